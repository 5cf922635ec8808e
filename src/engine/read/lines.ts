/**
 * One record per line: a chunk of whole lines in, one line per record out. Blank lines are skipped. A line that is too
 * long or is not JSON counts as a record that is not an object, one whose idx another line of the run has too is
 * refused, and the lines after them are answered like any other.
 */
import { AppError } from '../../errors.ts'
import type { Assessor, Outcome } from '../assess.ts'
import type { BatchAnswer, BatchOptions, Print } from '../batch.ts'
import { AnswerWriter } from '../bytes/answer-writer.ts'
import { judgeSlice } from '../judge/judge-slice.ts'
import { RISK_UNITS } from '../score/round.ts'
import { Tally } from '../tally.ts'

export type Claimed = ReadonlyMap<number, readonly number[]>

export interface LinesAnswer extends BatchAnswer {
  /** The `idx` of each record in turn; NaN where it has no usable one. */
  readonly idxs: Float64Array
  /** The numbers of each record that writes its idx twice, by its place in the chunk. No other record may have them. */
  readonly claimed: Claimed
  /** The risk of each record in ten-thousandths, also for Yes and No; −1 where it is null. */
  readonly risks: Int16Array
  /** The offset in the chunk of the first line that is not a JSON value. */
  readonly malformedAt?: number
}

/** The position of a chunk in the whole stream or file. */
export interface LinesPlace {
  /** Position of the first record of this chunk in the whole run, from 0. Blank lines take no position. */
  readonly first: number
  /** Positions, in the whole run, of records whose idx another record of the run has too. */
  readonly duplicates: ReadonlySet<number>
}

export interface LineTools {
  readonly assessor: Assessor
  readonly print: Print
  readonly options: BatchOptions
  readonly maxLineBytes: number
  /** Kept from call to call. */
  readonly writer: AnswerWriter
  /**
   * Answers lines that are not too long and of which nothing is known beyond them; `offset` is their place in the chunk.
   * Returns how many bytes it has answered. Absent where the reference answers every line.
   */
  readonly readFast?: (lines: Uint8Array, offset: number, answer: LinesBuilder) => number
}

export const NEWLINE = 0x0a
/** A line counts as deep as the same record in an array, so that both get the same answer. */
const IN_ARRAY = 1

/** Answers whole lines. The last line needs no line feed. */
export function answerLines(chunk: Uint8Array, place: LinesPlace, tools: LineTools): LinesAnswer {
  const { readFast, maxLineBytes } = tools
  const answer = new LinesBuilder(tools, place)
  for (let offset = 0; offset < chunk.length;) {
    const isFast = readFast !== undefined && place.duplicates.size === 0
    const short = isFast ? lengthUpToLongLine(chunk, offset, maxLineBytes) : 0
    const used = short > 0 && isFast ? readFast(chunk.subarray(offset, offset + short), offset, answer) : 0
    offset += used > 0 ? used : answer.addLine(chunk, offset)
  }
  return answer.finished()
}

/** How many bytes from an offset are lines that are not too long. */
function lengthUpToLongLine(chunk: Uint8Array, offset: number, maxLineBytes: number): number {
  let at = offset
  while (chunk.length - at > maxLineBytes) {
    const newline = chunk.lastIndexOf(NEWLINE, at + maxLineBytes)
    if (newline < at) return at - offset
    at = newline + 1
  }
  return chunk.length - offset
}

/** Collects the answers of lines, in their order. */
export class LinesBuilder {
  readonly writer: AnswerWriter
  readonly tally = new Tally()
  readonly idxs = new NumberColumn<Float64Array>(Float64Array)
  readonly risks = new NumberColumn<Int16Array>(Int16Array)
  private readonly claimed = new Map<number, readonly number[]>()
  private malformedAt: number | undefined
  private readonly tools: LineTools
  private readonly place: LinesPlace

  constructor(tools: LineTools, place: LinesPlace) {
    this.tools = tools
    this.place = place
    this.writer = tools.writer
    this.writer.clear()
  }

  /** Answers the line at this offset of the chunk by the reference, and says how many bytes it takes. */
  addLine(chunk: Uint8Array, offset: number): number {
    const newline = chunk.indexOf(NEWLINE, offset)
    const line = chunk.subarray(offset, newline < 0 ? chunk.length : newline)
    if (!isBlank(line)) this.addJudged(line, offset)
    return line.length + 1
  }

  /** Judges one line, which starts at this offset of the chunk, by the reference. */
  addJudged(line: Uint8Array, offset: number): void {
    this.add(this.judge(line, offset))
  }

  add(outcome: Outcome): void {
    this.writer.addText(this.tools.print(outcome))
    this.writer.addByte(NEWLINE)
    if (outcome.claimed.length > 0) this.claimed.set(this.idxs.length, outcome.claimed)
    this.idxs.add(outcome.idx ?? Number.NaN)
    this.risks.add(outcome.blocked ? -1 : Math.round(outcome.risk * RISK_UNITS))
    this.tally.add(outcome)
  }

  finished(): LinesAnswer {
    return {
      bytes: this.writer.finished(),
      tally: this.tally,
      idxs: this.idxs.finished(),
      claimed: this.claimed,
      risks: this.risks.finished(),
      ...(this.malformedAt === undefined ? {} : { malformedAt: this.malformedAt }),
    }
  }

  private judge(line: Uint8Array, offset: number): Outcome {
    const { assessor, options, maxLineBytes } = this.tools
    const position = this.place.first + this.idxs.length
    const isDuplicate = this.place.duplicates.has(position)
    if (line.length > maxLineBytes) return assessor.assess(undefined, position, options)
    try {
      return judgeSlice(line, IN_ARRAY, position, assessor, options, isDuplicate)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.malformedAt ??= offset
      return assessor.assess(undefined, position, options)
    }
  }
}

/** Space, tab or carriage return only. */
function isBlank(slice: Uint8Array): boolean {
  for (const byte of slice) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  return true
}

interface Numbers {
  readonly length: number
  [index: number]: number
  set(numbers: this, place?: number): void
  subarray(from: number, to: number): this
}

const FIRST_CAPACITY = 256

/** Numbers of one type in a buffer that grows. */
class NumberColumn<T extends Numbers> {
  length = 0
  private numbers: T
  private readonly kind: new (length: number) => T

  constructor(kind: new (length: number) => T) {
    this.kind = kind
    this.numbers = new kind(FIRST_CAPACITY)
  }

  add(number: number): void {
    this.reserve(1)
    this.numbers[this.length++] = number
  }

  addAll(numbers: T): void {
    this.reserve(numbers.length)
    this.numbers.set(numbers, this.length)
    this.length += numbers.length
  }

  finished(): T {
    return this.numbers.subarray(0, this.length)
  }

  private reserve(more: number): void {
    if (this.length + more <= this.numbers.length) return
    const larger = new this.kind((this.length + more) * 2)
    larger.set(this.numbers)
    this.numbers = larger
  }
}
