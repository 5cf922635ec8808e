/** The answers for a list, row by row. Numbers are in typed arrays, so that fifty thousand rows sort at once. */
import type { ErrorItem, Explained, Notice, Result } from '../../shapes/answers.ts'
import { thresholdOf } from '../../patient/result/rests-on-words.ts'
import type { Model } from '../../shapes/model.ts'
import { reasonsOf, type Effect } from './row-reasons.ts'
import { restsOnTexts } from './rests-on-texts.ts'

const NONE: readonly Notice[] = []
const NO_REASONS: readonly number[] = []
/** In `firstRisks`, for a row that had no risk. */
const NO_RISK = -1

/** Between which risks the answer of a row lies, as long as a value is missing or assumed. */
export interface RowRange {
  readonly low: number
  readonly high: number
  /** Whether every possible value gives the same side of the threshold, and which. */
  readonly decided: 'Yes' | 'No' | undefined
}

const DECIDED = [undefined, 'Yes', 'No'] as const

export class ListResults {
  readonly size: number
  /** The risk; 1 and 0 for Yes and No; NaN for a row without a risk. */
  readonly risks: Float64Array
  /** 1 once a row was answered. */
  readonly answered: Uint8Array
  /** The month of the alarm of calibration that was open when a row was answered; empty where none was. */
  private readonly alarms: string[]
  /** When a row was answered, as a time in ms; 0 for one that was not scored. */
  readonly times: Float64Array
  readonly problems: (readonly ErrorItem[] | null)[]
  readonly notices: (readonly Notice[])[]
  /** What an answer rests on, as a download holds it. The rest of an explanation is asked for when a row is opened. */
  readonly restsOn: (readonly string[] | undefined)[]
  /** What the answers of this list are made of, and for every row what counted most: places in it from 1, negative where it lowers. */
  readonly effects: Effect[] = []
  readonly reasons: (readonly number[])[]
  private readonly rangeLows: Float64Array
  private readonly rangeHighs: Float64Array
  private readonly rangeDecided: Uint8Array
  /** The risks that rows had before they were corrected for the first time. */
  private readonly firstRisks = new Map<number, number>()
  /** The states of the deployment that rows were answered under, and which of them answered a row. */
  readonly digests: string[] = []
  /** The model of each of these states, as a download names it. A list that was saved before has none. */
  private readonly models: (string | null)[] = []
  private readonly digestPlaces: Uint8Array
  /** Rows that are being scored again. */
  readonly pending = new Set<number>()
  /** Rows that were to be scored again, and got no answer. */
  readonly unanswered = new Set<number>()
  /** Counts how often a row was asked about. An answer to an earlier question is not the row's any more. */
  private readonly revisions: Uint32Array
  /** When corrected rows were scored again for the last time; 0 where none was. */
  againAt = 0
  done = 0

  constructor(size: number) {
    this.size = size
    this.risks = new Float64Array(size).fill(Number.NaN)
    this.answered = new Uint8Array(size)
    this.alarms = new Array<string>(size).fill('')
    this.times = new Float64Array(size)
    this.problems = new Array<readonly ErrorItem[] | null>(size).fill(null)
    this.notices = new Array<readonly Notice[]>(size).fill(NONE)
    this.restsOn = new Array<readonly string[] | undefined>(size).fill(undefined)
    this.reasons = new Array<readonly number[]>(size).fill(NO_REASONS)
    this.rangeLows = new Float64Array(size).fill(Number.NaN)
    this.rangeHighs = new Float64Array(size).fill(Number.NaN)
    this.rangeDecided = new Uint8Array(size)
    this.digestPlaces = new Uint8Array(size)
    this.revisions = new Uint32Array(size)
  }

  /** Begins a question about a row; the answer must come with this revision. */
  begin(row: number): number {
    const revision = this.revisionOf(row) + 1
    this.revisions[row] = revision
    return revision
  }

  revisionOf(row: number): number {
    return this.revisions[row] ?? 0
  }

  /** An answer of the service: when it came, and the model and deployment that gave it. */
  putAnswer(row: number, answer: Explained, at: number, model: Model, alarm = ''): void {
    const { id, version } = model
    const { digest } = model.deployment
    this.put(row, answer, at)
    this.alarms[row] = alarm
    this.notices[row] = answer.notices.length === 0 ? NONE : answer.notices
    this.restsOn[row] = restsOnTexts(answer)
    this.reasons[row] = reasonsOf(answer.explanation, this.effects)
    this.putRange(row, answer.range, thresholdOf(model))
    if (!this.digests.includes(digest)) this.digests.push(digest)
    const place = this.digests.indexOf(digest)
    this.models[place] = `${id}@${version}`
    this.digestPlaces[row] = place + 1
  }

  private putRange(row: number, range: Explained['range'], threshold?: number): void {
    const [low = Number.NaN, high = Number.NaN] = range?.possible ?? []
    this.rangeLows[row] = low
    this.rangeHighs[row] = high
    this.rangeDecided[row] = DECIDED.indexOf(range?.decided ?? sideOf(low, high, threshold))
  }

  /** `at` is when the row was answered; nothing for a row that is not scored. */
  put(row: number, result: Result, at = 0): void {
    const { risk } = result
    this.times[row] = at
    this.risks[row] = numberOf(risk)
    this.problems[row] = result.error_message
    this.pending.delete(row)
    this.unanswered.delete(row)
    if (this.answered[row] === 0) this.done++
    this.answered[row] = 1
  }

  /** Takes the risk of a row away, because its cells are no longer those that were scored. */
  clear(row: number): void {
    if (this.answered[row] === 1 && !this.firstRisks.has(row)) {
      this.firstRisks.set(row, this.riskOf(row) ?? NO_RISK)
    }
    this.risks[row] = Number.NaN
    this.problems[row] = null
    this.notices[row] = NONE
    this.restsOn[row] = undefined
    this.reasons[row] = NO_REASONS
    this.putRange(row, null)
    this.alarms[row] = ''
    this.digestPlaces[row] = 0
    this.times[row] = 0
    this.unanswered.delete(row)
    this.pending.add(row)
  }

  /** No answer came: the row waits until it is asked about again. */
  giveUp(row: number): void {
    if (this.pending.delete(row)) this.unanswered.add(row)
  }

  /** Whether a row was corrected and has no answer to that yet. */
  isUnscored(row: number): boolean {
    return this.pending.has(row) || this.unanswered.has(row)
  }

  /** The state of the deployment that answered a row; undefined for one that was not scored. */
  digestOf(row: number): string | undefined {
    return this.digests[(this.digestPlaces[row] ?? 0) - 1]
  }

  /** The month of the alarm of calibration that was open when a row was answered; empty where none was. */
  alarmOf(row: number): string {
    return this.alarms[row] ?? ''
  }

  /** The first month of those that came with the answers. */
  get alarm(): string {
    return this.alarms.reduce(
      (first, each) => (each !== '' && (first === '' || each < first) ? each : first),
      '',
    )
  }

  /** The model that answered a row, where it is known. */
  modelOf(row: number): string | undefined {
    return this.models[(this.digestPlaces[row] ?? 0) - 1] ?? undefined
  }

  /** How many states of the deployment the rows were answered under. */
  get states(): number {
    if (this.digests.length < 2) return this.digests.length
    return new Set(this.digestPlaces.filter((place) => place > 0)).size
  }

  riskOf(row: number): number | undefined {
    const risk = this.risks[row] ?? Number.NaN
    return Number.isNaN(risk) ? undefined : risk
  }

  /** Undefined for a row of which everything is known. */
  rangeOf(row: number): RowRange | undefined {
    const low = this.rangeLows[row] ?? Number.NaN
    if (Number.isNaN(low)) return undefined
    return { low, high: this.rangeHighs[row] ?? low, decided: DECIDED[this.rangeDecided[row] ?? 0] }
  }

  /** The risk of a row before it was corrected: null where it had none, undefined where it was never scored again. */
  firstRiskOf(row: number): number | null | undefined {
    const risk = this.firstRisks.get(row)
    return risk === NO_RISK ? null : risk
  }

  problemsOf(row: number): readonly ErrorItem[] {
    return this.problems[row] ?? []
  }
}

/** A deployment that answers a number decides nothing; the threshold of its model says on which side its risks are. */
function sideOf(low: number, high: number, threshold: number | undefined): RowRange['decided'] {
  if (threshold === undefined) return undefined
  if (low >= threshold) return 'Yes'
  return high < threshold ? 'No' : undefined
}

/** Yes and No as 1 and 0; NaN where there is no risk. */
function numberOf(risk: Result['risk']): number {
  if (risk === null) return Number.NaN
  if (typeof risk === 'number') return risk
  return risk === 'Yes' ? 1 : 0
}
