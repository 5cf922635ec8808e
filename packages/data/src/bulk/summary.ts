/** The summary of a run: counts, problems by field and kind, and the distribution of the risks. */
import {
  type Output,
  REASONS,
  RISK_UNITS,
  Tally,
  type TallyCounts,
  makePlan,
  unitFields,
} from 'patient-risk-engine'
import type { FeedDoubt } from '@patient-risk/monitor'
import type { Change, ScoreRun } from './run.ts'

const BARS = 10
const BAR_WIDTH = 40
const MOST_PROBLEMS = 20
/** Characters that a terminal may interpret. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

export interface RunReport {
  readonly summary: Summary
  /** Notes on the inputs, each with its file and line. */
  readonly notes: readonly string[]
  /** Columns that are not fields and were ignored. */
  readonly unknown: readonly string[]
  /** How text tables were read, each with its file. */
  readonly forms?: readonly string[]
  /** What the values of the inputs leave in doubt. */
  readonly doubts: readonly InputDoubt[]
  readonly days: DaysRead
  readonly rowChanges?: Readonly<Record<Change, number>> | undefined
  /** Bin, number and sum of the risks of each bin in ten-thousandths, where they are counted. A No has the bin −1, a Yes −2. */
  readonly riskCounts?: readonly number[]
}

/** A field that probably means something else, and the file that has it. */
export interface InputDoubt extends FeedDoubt {
  readonly file: string
}

/** What of the answers depends on the day on which they were given. */
export interface DaysRead {
  /** Whether the input has fields that are dates. A file without any may be counted as one that has them, never the other way. */
  readonly hasDates: boolean
  /** Whether a date was refused because it lay in the future. */
  readonly hasFutureDates: boolean
}

/** In the message of a date that is refused for the day, and in no other. */
export const FUTURE_DATE = `(${REASONS.dateInFuture})`

/** The counts of a run, as a checkpoint keeps them. */
export type SummaryState = Pick<Summary, 'histogram' | 'yes'> & { readonly tally: TallyCounts }

interface Counted {
  readonly tally: TallyCounts
  readonly risks: Int16Array
}

export class Summary {
  readonly tally = new Tally()
  readonly histogram = new Array<number>(BARS).fill(0)
  yes = 0
  private readonly output: Output

  constructor(output: Output, from?: SummaryState) {
    this.output = output
    if (from !== undefined) this.merge(from)
  }

  /** Adds what was counted; with −1 takes it away again. */
  add({ tally, risks }: Counted, times = 1): void {
    this.tally.merge(tally, times)
    const threshold = this.output.kind === 'yes-no' ? this.output.threshold : Infinity
    for (const units of risks) {
      if (units < 0) continue
      const bar = Math.floor((units * BARS) / RISK_UNITS)
      this.histogram[bar] = (this.histogram[bar] ?? 0) + times
      if (units / RISK_UNITS >= threshold) this.yes += times
    }
  }

  merge({ tally, histogram, yes }: SummaryState): void {
    this.tally.merge(tally)
    histogram.forEach((count, bar) => (this.histogram[bar] = (this.histogram[bar] ?? 0) + count))
    this.yes += yes
  }

  text(): string {
    const { records, scored } = this.tally
    const head = `${count(records)} records, ${count(scored)} scored, ${count(records - scored)} not scored.`
    const lines = [head, ...this.problemLines(), ...(scored > 0 ? this.riskLines() : [])]
    return `${lines.join('\n')}\n`
  }

  private problemLines(): string[] {
    const rows = [...this.tally.problems]
      .map(([name, kinds]) => [name.replace(UNPRINTABLE, '?'), kinds] as const)
      .flatMap(([field, kinds]) => [...kinds].map(([kind, many]) => ({ field, kind, many })))
      // Records that were scored again are taken off first.
      .filter(({ many }) => many > 0)
      .sort((a, b) => b.many - a.many || a.field.localeCompare(b.field))
    if (rows.length === 0) return ['No problems.']
    const width = Math.max(...rows.slice(0, MOST_PROBLEMS).map(({ field }) => field.length))
    const shown = rows
      .slice(0, MOST_PROBLEMS)
      .map(({ field, kind, many }) => `  ${field.padEnd(width)}  ${kind.padEnd(12)}  ${count(many)}`)
    const rest = rows.length - shown.length
    return ['Problems:', ...shown, ...(rest > 0 ? [`  and ${rest} more kinds`] : [])]
  }

  private riskLines(): string[] {
    const { yes, tally } = this
    const counted = `Yes: ${count(yes)}, No: ${count(tally.scored - yes)}.`
    const yesNo = this.output.kind === 'yes-no' ? [counted] : []
    const most = Math.max(...this.histogram)
    if (most === 0) return yesNo
    const bars = this.histogram.map((many, bar) => {
      const range = `${(bar / BARS).toFixed(1)} to ${((bar + 1) / BARS).toFixed(1)}`
      const length = many === 0 ? 0 : Math.max(1, Math.round((many / most) * BAR_WIDTH))
      return `  ${range}  ${'#'.repeat(length).padEnd(BAR_WIDTH)}  ${count(many)}`
    })
    return ['Risk:', ...bars, ...yesNo]
  }
}

export function count(number: number): string {
  return number.toLocaleString('en')
}

/** The inputs of the model whose unit the files may show to be another than the declared one. */
export function unitFieldsOf({ catalog, deployment }: ScoreRun): ReturnType<typeof unitFields> {
  const model = deployment.model.definition
  const plan = makePlan(catalog.definitions, model, deployment.scorerOptions.conversions)
  return unitFields({ plan, units: catalog.units, model })
}
