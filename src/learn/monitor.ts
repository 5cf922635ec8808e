/**
 * Predictions and outcomes month by month, with control limits (Shewhart): calibration in the large around 0, and the
 * c-statistic around its value in the baseline months. A month is out of control when it lies more than three standard
 * errors away, and a series when eight months in a row lie on the same side of the centre.
 */
import type { ModelDefinition } from '../definition/model.ts'
import type { DataSpecificationType } from './data/data-specification.ts'
import { DataError } from './data/data-error.ts'
import { newIntake, readLabelled } from './data/labelled.ts'
import { calibrationOf, meansOf } from './figures/calibration.ts'
import { cStatistic } from './figures/discrimination.ts'
import { type Estimate, type Predictions, eventsOf, subset } from './figures/predictions.ts'
import { NotEstimable } from './fit/not-estimable.ts'
import type { GatherInput } from './gather.ts'
import { scoreRows } from './score-rows.ts'

export interface RiskFile {
  readonly path: string
  /** The outcome and, where patients repeat, the patient. */
  readonly data: DataSpecificationType
  readonly riskColumn: string
  readonly monthColumn: string
}

export interface MonthlyRows {
  readonly predictions: Predictions
  /** A month or a date. */
  readonly monthOf: (row: number) => string
}

export interface MonitorOptions {
  /** Months at the start that give the expected c-statistic, unless it is given. */
  readonly baselineMonths: number
  readonly expectedC?: number
}

export interface MonitoredMonth {
  readonly month: string
  readonly rows: number
  readonly events: number
  readonly meanPredicted: number
  readonly observed: number
  /** Left out where fewer than ten rows have the event, or fewer than ten do not. */
  readonly inTheLarge?: Limited
  readonly cStatistic?: Limited
}

export interface Limited {
  readonly value: number
  readonly low: number
  readonly high: number
  readonly isOut: boolean
}

export interface MonitorReport {
  readonly expectedC: number
  readonly months: readonly MonitoredMonth[]
  /** What is out of control, in sentences. */
  readonly alarms: readonly string[]
}

const LIMIT = 3
const RUN = 8
const FEWEST = 10
const MONTH = /^\d{4}-(0[1-9]|1[0-2])/

export function monitorMonths({ predictions, monthOf }: MonthlyRows, options: MonitorOptions): MonitorReport {
  const monthAt = Array.from(predictions.risks, (_risk, row) => {
    const month = MONTH.exec(monthOf(row))?.[0]
    if (month !== undefined) return month
    throw new DataError([
      'the column of the month has a value that does not start with a month such as 2026-11',
    ])
  })
  const names = [...new Set(monthAt)].sort()
  const parts = names.map((month) => ({
    month,
    ...figuresFor(subset(predictions, (row) => monthAt[row] === month)),
  }))
  const baseline = parts
    .slice(0, options.baselineMonths)
    .flatMap(({ c }) => (c === undefined ? [] : [c.value]))
  const expectedC = options.expectedC ?? baseline.reduce((sum, value) => sum + value, 0) / baseline.length
  if (!Number.isFinite(expectedC)) {
    throw new DataError([
      `none of the first ${options.baselineMonths} months has ten events and ten others, so no c-statistic can be expected; give --expected-c`,
    ])
  }
  const months = parts.map(({ month, head, large, c }): MonitoredMonth => ({
    month,
    ...head,
    ...(large === undefined ? {} : { inTheLarge: limited(large, 0) }),
    ...(c === undefined ? {} : { cStatistic: limited(c, expectedC) }),
  }))
  return { expectedC, months, alarms: alarmsOf(months, expectedC) }
}

/** Rows with the risk that was given, from a file that has it. */
export async function readRisks({ path, data, riskColumn, monthColumn }: RiskFile): Promise<MonthlyRows> {
  const risks: number[] = []
  const outcomes: number[] = []
  const clusters: number[] = []
  const months: string[] = []
  const source = {
    path,
    data: { ...data, groups: [riskColumn, monthColumn] },
    fields: [],
    domains: new Map(),
  }
  await readLabelled(source, newIntake(), ({ line, groups, outcome, patient }) => {
    const risk = Number(groups[0])
    if (!(risk >= 0 && risk <= 1)) {
      throw new DataError([`${path}, line ${line}, column ${riskColumn}: is not a risk between 0 and 1`])
    }
    risks.push(risk)
    outcomes.push(outcome)
    clusters.push(patient)
    months.push(groups[1] ?? '')
  })
  if (risks.length === 0) throw new DataError([`${path}: has no rows`])
  return {
    predictions: {
      risks: Float64Array.from(risks),
      outcomes: Uint8Array.from(outcomes),
      clusters: Int32Array.from(clusters),
    },
    monthOf: (row) => months[row] ?? '',
  }
}

/** The same with the risk that a model gives to each row now. */
export async function scoreMonths(
  input: GatherInput,
  model: ModelDefinition,
  monthColumn: string,
): Promise<MonthlyRows> {
  const { predictions, notes } = await scoreRows(
    { ...input, data: { ...input.data, splitBy: monthColumn } },
    model,
  )
  const grouping = notes.split()
  return { predictions, monthOf: (row) => grouping?.levels[grouping.levelOf[row] ?? 0] ?? '' }
}

function figuresFor(part: Predictions): {
  readonly head: Pick<MonitoredMonth, 'rows' | 'events' | 'meanPredicted' | 'observed'>
  readonly large?: Estimate
  readonly c?: Estimate
} {
  const rows = part.risks.length
  const events = eventsOf(part)
  const { meanPredicted, observed } = meansOf(part)
  const head = { rows, events, meanPredicted, observed }
  if (Math.min(events, rows - events) < FEWEST) return { head }
  try {
    return { head, large: calibrationOf(part).inTheLarge, c: cStatistic(part) }
  } catch (error) {
    if (error instanceof NotEstimable) return { head }
    throw error
  }
}

/** Control limits lie around the centre, as far as the month's own standard error allows. */
function limited({ value, error }: Estimate, centre: number): Limited {
  const [low, high] = [centre - LIMIT * error, centre + LIMIT * error]
  return { value, low, high, isOut: value < low || value > high }
}

function alarmsOf(months: readonly MonitoredMonth[], expectedC: number): readonly string[] {
  const series = [
    ['calibration in the large', 0, months.map(({ inTheLarge }) => inTheLarge)],
    ['the c-statistic', expectedC, months.map((month) => month.cStatistic)],
  ] as const
  return series.flatMap(([name, centre, limits]) => {
    const alarms: string[] = []
    let run = 0
    limits.forEach((each, index) => {
      if (each === undefined) return
      const month = months[index]?.month ?? ''
      // A c-statistic above its limit is good news, and no alarm.
      const isBad = name === 'the c-statistic' ? each.value < each.low : each.isOut
      if (isBad)
        alarms.push(
          `${month}: ${name} is ${each.value.toFixed(3)}, outside ${each.low.toFixed(3)} to ${each.high.toFixed(3)}`,
        )
      const side = Math.sign(each.value - centre)
      run = Math.sign(run) === side ? run + side : side
      const isRun = name === 'the c-statistic' ? run === -RUN : Math.abs(run) === RUN
      if (isRun)
        alarms.push(`${month}: ${name} has been on the same side of ${centre.toFixed(3)} for ${RUN} months`)
    })
    return alarms
  })
}
