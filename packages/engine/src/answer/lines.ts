/**
 * One record per line: a chunk of whole lines in, one line per record out. Blank lines are skipped. A line that is too
 * long or is not JSON counts as a record that is not an object, one whose idx another line of the run has too is
 * refused, and the lines after them are answered like any other.
 */
import { EngineError } from '../read/engine-error.ts'
import type { AnswerBuilder, BatchAnswer } from './answer-builder.ts'

export interface LinesAnswer extends BatchAnswer {
  /** The `idx` of each record in turn; NaN where it has no usable one. */
  readonly idxs: Float64Array
  /** The numbers of each record that writes its idx twice, by its place in the chunk. No other record may have them. */
  readonly ambiguousIdxs: ReadonlyMap<number, readonly number[]>
  /** The offset in the chunk of the first line that is not a JSON value. */
  readonly malformedAt: number | undefined
}

/** The position of a chunk in the whole stream or file. */
export interface LinesPlace {
  /** Position of the first record of this chunk in the whole run, from 0. Blank lines take no position. */
  readonly first: number
  /** Positions, in the whole run, of records whose idx another record of the run has too. */
  readonly duplicates: ReadonlySet<number>
}

type Judge = (line: Uint8Array, offset: number) => void

/**
 * Answers lines that are not too long, without knowing other lines. Returns how many bytes it has answered,
 * and hands the lines that it cannot answer to `judge`, with their offset.
 */
export type ReadFast = (lines: Uint8Array, judge: Judge) => number

const NEWLINE = 0x0a

/** Answers whole lines. The last line needs no line feed. Without `readFast` the reference answers every line. */
export function answerLines(
  chunk: Uint8Array,
  place: LinesPlace,
  answer: AnswerBuilder,
  maxLineBytes: number,
  readFast?: ReadFast,
): LinesAnswer {
  let malformedAt: number | undefined
  const judge: Judge = (line, offset) => {
    const position = place.first + answer.length
    if (line.length > maxLineBytes) answer.judge(undefined, position)
    else {
      try {
        answer.judgeBytes(line, position, place.duplicates.has(position))
      } catch (error) {
        if (!(error instanceof EngineError)) throw error
        malformedAt ??= offset
        answer.judge(undefined, position)
      }
    }
  }
  const fast = place.duplicates.size === 0 ? readFast : undefined
  // Stryker disable next-line EqualityOperator: the empty rest after the last line is a blank line.
  for (let offset = 0; offset < chunk.length;) {
    if (fast !== undefined) {
      const from = offset
      const lines = chunk.subarray(from, startOfLongLine(chunk, from, maxLineBytes))
      offset += fast(lines, (line, at) => judge(line, from + at))
    }
    // Here is a line that the fast reader does not take, or the end.
    const newline = chunk.indexOf(NEWLINE, offset)
    const line = chunk.subarray(offset, newline < 0 ? chunk.length : newline)
    if (!isBlank(line)) judge(line, offset)
    offset += line.length + 1
  }
  return {
    ...answer.finished(),
    idxs: answer.tools.idxs.finished(),
    ambiguousIdxs: answer.ambiguousIdxs,
    malformedAt,
  }
}

/** Where the first line after an offset starts that is too long, or else the end. */
function startOfLongLine(chunk: Uint8Array, offset: number, maxLineBytes: number): number {
  let at = offset
  // Stryker disable EqualityOperator: the reference, which takes a line that is taken for a long one, gives the same answer.
  while (chunk.length - at > maxLineBytes) {
    const newline = chunk.lastIndexOf(NEWLINE, at + maxLineBytes)
    if (newline < at) return at
    // Stryker restore EqualityOperator
    at = newline + 1
  }
  return chunk.length
}

/** Space, tab or carriage return only. */
function isBlank(slice: Uint8Array): boolean {
  return slice.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}
