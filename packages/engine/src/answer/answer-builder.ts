/** Answers records by the reference, in their order, with what the caller must know of each record. */
import { EngineError } from '../read/engine-error.ts'
import { type AssessOptions, type Assessor, type RecordResult, usableIdx } from './assess.ts'
import { GrowingBuffer, GrowingText } from './growing-buffer.ts'
import { type Parsed, checkDepth, parseWithin, withoutMark } from '../read/body.ts'
import type { FeedNotice } from './feed-notice.ts'
import { describeJsonFault } from '../read/json-fault.ts'
import { type RepeatedKeys, duplicatesAmong, findRepeatedKeys } from '../read/repeated-keys.ts'
import { RISK_UNITS } from '../score/link.ts'
import { type RecordWatch, type WatchSample, WatchedBody } from './record-watch.ts'
import { Tally } from './tally.ts'
import { BudgetWatch, JUDGED_STEPS, type WorkBudget } from '../work-meter.ts'

export interface BatchOptions extends AssessOptions {
  readonly maxRecords: number
  readonly maxDepth: number
  readonly budget?: WorkBudget | undefined
  /** Sees records of the body. */
  readonly watch?: RecordWatch | undefined
  /** Which of them it sees: all where absent. */
  readonly sample?: WatchSample | undefined
  /** Doubts about what the sender sends, for calls that say what an answer rests on. */
  readonly feed?: readonly FeedNotice[] | undefined
}

export interface BatchAnswer {
  /** The answer's JSON in UTF-8. It belongs to the caller: no later call writes into it. */
  readonly bytes: Uint8Array
  readonly tally: Tally
  /** The risk of each record in ten-thousandths, also for Yes and No; −1 where it is null. */
  readonly risks: Int16Array
}

/** Prints one result as an element of the answer. The budget is asked before expensive work. */
export type Print = (result: RecordResult, options: Pick<BatchOptions, 'today' | 'budget' | 'feed'>) => string

const NONE_REPEATED: ReadonlyMap<number, RepeatedKeys> = new Map()
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COMMA = 0x2c
const NEWLINE = 0x0a

/** What answers are made with, kept from call to call. */
export class AnswerTools {
  readonly assessor: Assessor
  readonly text = new GrowingText()
  /** The `idx` of each record; NaN where it has no usable one. */
  readonly idxs = new GrowingBuffer<Float64Array>(Float64Array)
  /** The risk of each record in ten-thousandths; −1 where it is null. */
  readonly risks = new GrowingBuffer<Int16Array>(Int16Array)

  constructor(assessor: Assessor) {
    this.assessor = assessor
  }
}

export class AnswerBuilder {
  readonly options: BatchOptions
  readonly tools: AnswerTools
  readonly tally = new Tally()
  /** The numbers of each record that writes its idx twice, by its place in this answer. */
  readonly ambiguousIdxs = new Map<number, readonly number[]>()
  /** The keys of the parsed records. */
  keys = 0
  /** The records of this body that are watched; undefined where nobody watches. */
  readonly watched: WatchedBody | undefined
  private readonly print: Print
  private readonly form: 'array' | 'lines'
  private readonly watch: BudgetWatch

  constructor(form: 'array' | 'lines', tools: AnswerTools, print: Print, options: BatchOptions) {
    this.form = form
    this.watched = options.watch && new WatchedBody(options.watch, options.sample)
    this.tools = tools
    this.print = print
    this.options = options
    this.watch = new BudgetWatch(options.budget)
    for (const buffer of [tools.text, tools.idxs, tools.risks]) buffer.clear()
    if (form === 'array') tools.text.add(OPEN_BRACKET)
  }

  /** How many records were answered. */
  get length(): number {
    return this.tools.idxs.length
  }

  /** Judges one parsed record by the reference. */
  judge(record: unknown, position: number, repeated?: RepeatedKeys, isDuplicate?: boolean): void {
    const { assessor } = this.tools
    const result = assessor.assess(record, position, this.options, repeated, isDuplicate)
    this.watched?.judged(assessor.slots, result)
    this.add(result, assessor.steps)
    this.keys += assessor.extras.keys
  }

  /** Adds the result of one record, which took so many steps here. */
  add(result: RecordResult, steps = 0): void {
    const { text, idxs, risks } = this.tools
    text.addText(this.print(result, this.options))
    text.add(this.form === 'array' ? COMMA : NEWLINE)
    if (result.ambiguousIdxs.length > 0) this.ambiguousIdxs.set(idxs.length, result.ambiguousIdxs)
    idxs.add(result.idx ?? Number.NaN)
    risks.add(result.blocked ? -1 : Math.round(result.risk * RISK_UNITS))
    this.tally.add(result)
    this.watch.spend(JUDGED_STEPS + steps, text.length)
  }

  /**
   * Judges the bytes of one record by the reference. Throws the EngineError of a body that holds only this value if it is
   * not well-formed.
   */
  judgeBytes(slice: Uint8Array, position: number, isDuplicate = false): void {
    const { assessor } = this.tools
    // A line counts as deep as the same record in an array, so that both get the same answer.
    const parsed = parseWithin(slice, this.options.maxDepth - 1)
    if (parsed.value === undefined) throw new EngineError('BODY_MALFORMED')
    const assess = (repeated?: RepeatedKeys): RecordResult =>
      assessor.assess(parsed.value, position, this.options, repeated, isDuplicate)
    const result = assess()
    const list = { ...parsed, text: `[${parsed.text}]` }
    const repeated = findRepeatedKeys(list, assessor.extras.keys).get(0)
    const final = repeated === undefined ? result : assess(repeated)
    this.watched?.judged(assessor.slots, final)
    this.add(final, assessor.steps)
  }

  finished(): BatchAnswer {
    const { text } = this.tools
    if (this.form === 'array') {
      // The bracket takes the place of the last comma.
      if (this.length > 0) text.length--
      text.add(CLOSE_BRACKET)
    }
    return { bytes: text.finished(), tally: this.tally, risks: this.tools.risks.finished() }
  }
}

/** A whole request by the reference: the bytes of the body in, the bytes of the answer out. A bad record never costs another its answer. */
export function answerBytes(
  body: Uint8Array,
  tools: AnswerTools,
  print: Print,
  options: BatchOptions,
): BatchAnswer {
  options.budget?.beforeParse(body.length)
  const parsed = parseBody(body, options)
  const records = parsed.value as readonly ({ readonly idx?: unknown } | null)[]
  const judgeAll = (repeated: ReadonlyMap<number, RepeatedKeys>): AnswerBuilder => {
    const idxs = records.map((record, position) => {
      const idx = usableIdx(record?.idx)
      return idx === null || repeated.get(position)?.names.has('idx') === true ? Number.NaN : idx
    })
    const ambiguousIdxs = [...repeated.values()].flatMap((keys) => keys.idxs)
    const duplicates = duplicatesAmong(idxs, ambiguousIdxs)
    const answer = new AnswerBuilder('array', tools, print, options)
    records.forEach((record, at) => answer.judge(record, at, repeated.get(at), duplicates.has(at)))
    return answer
  }
  // Few bodies repeat a key, and only the walk over all records shows it: these are judged a second time.
  const answer = judgeAll(NONE_REPEATED)
  const repeated = findRepeatedKeys(parsed, answer.keys)
  return (repeated.size === 0 ? answer : judgeAll(repeated)).finished()
}

/** Refuses a body that is not a list of records or outcomes. That it is too deep comes before all else that is wrong with it. */
export function parseBody(
  body: Uint8Array,
  { maxDepth, maxRecords }: Pick<BatchOptions, 'maxDepth' | 'maxRecords'>,
  elements: 'records' | 'outcomes' = 'records',
): Parsed {
  try {
    const parsed = parseWithin(withoutMark(body), maxDepth)
    const { value, text } = parsed
    if (value === undefined) throw new EngineError('BODY_MALFORMED', describeJsonFault(text))
    const notArray = `The body must be a JSON array of ${elements}, also for a single one.`
    if (!Array.isArray(value))
      throw new EngineError('BODY_NOT_ARRAY', elements === 'records' ? undefined : notArray)
    if (value.length <= maxRecords) return parsed
    const counts = `The body holds ${value.length} ${elements}; the limit is ${maxRecords}.`
    throw new EngineError('TOO_MANY_RECORDS', `${counts} Send them in several requests.`)
  } catch (error) {
    checkDepth(body, maxDepth)
    throw error
  }
}
