/** Answers records by the reference, in their order, with what the caller must know of each record. */
import { AppError } from '../errors.ts'
import { type AssessOptions, type Assessor, type Outcome, usableIdx } from './assess.ts'
import { GrowingBuffer, GrowingText } from './growing-buffer.ts'
import { type Structure, colonsIfFlat, decodeText, jsonIn, parseText, scanStructure } from './read/body.ts'
import { describeJsonFault } from './read/json-fault.ts'
import { type RepeatedKeys, countKeys, duplicatesAmong, findRepeatedKeys } from './read/repeated-keys.ts'
import { RISK_UNITS } from './score/link.ts'
import { Tally } from './tally.ts'

export interface BatchOptions extends AssessOptions {
  readonly maxRecords: number
  readonly maxDepth: number
  readonly budget?: WorkBudget | undefined
}

/** Lets a caller stop work that proves too expensive: both calls may throw. Clean records cost too little to be asked about. */
export interface WorkBudget {
  /** Before a whole body is parsed at once. */
  beforeParse(bytes: number): void
  /** From time to time while records are judged, with the size of the answer so far. */
  step(answerBytes: number): void
}

export interface BatchAnswer {
  /** The answer's JSON in UTF-8. It belongs to the caller: no later call writes into it. */
  readonly bytes: Uint8Array
  readonly tally: Tally
}

/** Prints one outcome as an element of the answer. */
export type Print = (outcome: Outcome) => string

/** No text is deeper that looks flat and has no more colons than its records have keys: `[{"}":{}}]`. */
const FLAT_DEPTH = 3
/** A budget is asked after this many records. */
const BUDGET_STEP = 64

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
  private readonly print: Print
  private readonly form: 'array' | 'lines'
  private judged = 0

  constructor(form: 'array' | 'lines', tools: AnswerTools, print: Print, options: BatchOptions) {
    this.form = form
    this.tools = tools
    this.print = print
    this.options = options
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
    this.add(assessor.assess(record, position, this.options, repeated, isDuplicate))
    this.keys += assessor.extras.keys
  }

  add(outcome: Outcome): void {
    const { text, idxs, risks } = this.tools
    text.addText(this.print(outcome))
    text.add(this.form === 'array' ? COMMA : NEWLINE)
    if (outcome.ambiguousIdxs.length > 0) this.ambiguousIdxs.set(idxs.length, outcome.ambiguousIdxs)
    idxs.add(outcome.idx ?? Number.NaN)
    risks.add(outcome.blocked ? -1 : Math.round(outcome.risk * RISK_UNITS))
    this.tally.add(outcome)
    if (++this.judged % BUDGET_STEP === 0) this.options.budget?.step(text.length)
  }

  /**
   * Judges the bytes of one record by the reference. Throws the AppError of a body that holds only this value if it is
   * not well-formed.
   */
  judgeBytes(slice: Uint8Array, position: number, isDuplicate = false): void {
    const { assessor } = this.tools
    // A line counts as deep as the same record in an array, so that both get the same answer.
    const maxDepth = this.options.maxDepth - 1
    const { text, colons } = textWithin(slice, maxDepth)
    const record = parseText(text)
    let outcome = assessor.assess(record, position, this.options, undefined, isDuplicate)
    if (assessor.extras.keys !== colons) {
      const repeated = repeatedKeys(slice, `[${text}]`, record, maxDepth).get(0)
      if (repeated !== undefined)
        outcome = assessor.assess(record, position, this.options, repeated, isDuplicate)
    }
    this.add(outcome)
  }

  finished(): BatchAnswer {
    const { text } = this.tools
    if (this.form === 'array') {
      // The bracket takes the place of the last comma.
      if (this.length > 0) text.length--
      text.add(CLOSE_BRACKET)
    }
    return { bytes: text.finished(), tally: this.tally }
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
  const { text, colons, records } = parseRecords(body, options)
  const judgeAll = (repeated: ReadonlyMap<number, RepeatedKeys>): AnswerBuilder => {
    const idxs = records.map((record: { idx?: unknown } | null, position) => {
      const idx = usableIdx(record?.idx)
      return idx === null || repeated.get(position)?.names.has('idx') === true ? Number.NaN : idx
    })
    const ambiguousIdxs = new Set([...repeated.values()].flatMap((keys) => keys.idxs))
    const duplicates = duplicatesAmong(idxs, ambiguousIdxs)
    const answer = new AnswerBuilder('array', tools, print, options)
    records.forEach((record, at) => answer.judge(record, at, repeated.get(at), duplicates.has(at)))
    return answer
  }
  // Few bodies repeat a key, and only the walk over all records shows it: these are judged a second time.
  const answer = judgeAll(NONE_REPEATED)
  if (answer.keys === colons) return answer.finished()
  const repeated = repeatedKeys(body, text, records, options.maxDepth)
  return (repeated.size === 0 ? answer : judgeAll(repeated)).finished()
}

/** The records of a body. A body that is too deep is refused before it is parsed, and whatever else is wrong with it. */
function parseRecords(body: Uint8Array, { maxDepth, maxRecords }: BatchOptions) {
  try {
    const { text, colons } = textWithin(body, maxDepth)
    const records = jsonIn(text)
    if (records === undefined) throw new AppError('BODY_MALFORMED', describeJsonFault(text))
    if (!Array.isArray(records)) throw new AppError('BODY_NOT_ARRAY')
    if (records.length > maxRecords) {
      const counts = `The body holds ${records.length} records; the limit is ${maxRecords}.`
      throw new AppError('TOO_MANY_RECORDS', `${counts} Send them in several requests.`)
    }
    return { text, colons, records: records as readonly ({ idx?: unknown } | null)[] }
  } catch (error) {
    checkDepth(body, maxDepth)
    throw error
  }
}

/** The text of bytes that nest no deeper than this, and how many colons it has if it is flat. */
function textWithin(bytes: Uint8Array, maxDepth: number) {
  const text = decodeText(bytes)
  const colons = maxDepth < FLAT_DEPTH ? undefined : colonsIfFlat(text)
  if (colons === undefined) checkDepth(bytes, maxDepth)
  return { text, colons }
}

function checkDepth(body: Uint8Array, maxDepth: number): Structure {
  const structure = scanStructure(body)
  if (structure.depth > maxDepth) throw new AppError('BODY_TOO_DEEP')
  return structure
}

/** The keys that a text repeats, by the position of the record: the parsed value has fewer keys than were written. */
function repeatedKeys(
  bytes: Uint8Array,
  text: string,
  value: unknown,
  maxDepth: number,
): ReadonlyMap<number, RepeatedKeys> {
  const { colons } = checkDepth(bytes, maxDepth)
  return countKeys(value) === colons ? NONE_REPEATED : findRepeatedKeys(text)
}
