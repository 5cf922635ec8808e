/** Collects the answers of records, in their order, with what the caller must know of each record. */
import { AppError } from '../errors.ts'
import type { AssessOptions, Assessor, Outcome, SecondLook } from './assess.ts'
import { GrowingBuffer, GrowingText } from './growing-buffer.ts'
import { decodeText, parseText, scanStructure } from './read/body.ts'
import { NO_KEYS, countKeys, findRepeatedKeys } from './read/repeated-keys.ts'
import { RISK_UNITS } from './score/round.ts'
import { Tally } from './tally.ts'

export interface BatchOptions extends AssessOptions {
  readonly maxRecords: number
  readonly maxDepth: number
  readonly budget?: WorkBudget
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

/** A budget is asked after this many records. */
const BUDGET_STEP = 64

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
  readonly claimed = new Map<number, readonly number[]>()
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
  judge(record: unknown, position: number, look?: SecondLook): void {
    this.add(this.tools.assessor.assess(record, position, this.options, look))
  }

  add(outcome: Outcome): void {
    const { text, idxs, risks } = this.tools
    text.addText(this.print(outcome))
    text.add(this.form === 'array' ? COMMA : NEWLINE)
    if (outcome.claimed.length > 0) this.claimed.set(idxs.length, outcome.claimed)
    idxs.add(outcome.idx ?? Number.NaN)
    risks.add(outcome.blocked ? -1 : Math.round(outcome.risk * RISK_UNITS))
    this.tally.add(outcome)
    if (++this.judged % BUDGET_STEP === 0) this.options.budget?.step(text.length)
  }

  /**
   * Judges the bytes of one record by the reference. Throws the AppError of a body that holds only this value if it is
   * not well-formed.
   */
  judgeBytes(slice: Uint8Array, position: number, duplicateIdx = false): void {
    const { depth, colons } = scanStructure(slice)
    // A line counts as deep as the same record in an array, so that both get the same answer.
    if (depth + 1 > this.options.maxDepth) throw new AppError('BODY_TOO_DEEP')
    const text = decodeText(slice)
    const record = parseText(text)
    const isWhole = countKeys(record) === colons
    const repeated = isWhole ? NO_KEYS : (findRepeatedKeys(`[${text}]`).get(0) ?? NO_KEYS)
    this.judge(record, position, { ...repeated, duplicateIdx })
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
