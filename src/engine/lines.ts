/**
 * Records a line each: a chunk of whole lines in, a line for each record out. Blank lines are passed over.
 * Lines are answered alone: whether an `idx` occurs in another line is not looked at here.
 */
import { AppError, type ErrorCode } from '../errors.ts'
import type { Assessor } from './assess.ts'
import type { BatchAnswer, BatchOptions, Print } from './batch.ts'
import { judgeSlice } from './judge-slice.ts'
import { RISK_UNITS } from './round.ts'
import { Tally } from './tally.ts'

export interface LinesAnswer extends BatchAnswer {
  /** The `idx` of each answered record in turn; NaN where it has no usable one. */
  readonly idxs: Float64Array
  /** The risk of each answered record in ten-thousandths, also for Yes and No; −1 where it is null. */
  readonly risks: Int16Array
  /** The first line that is no JSON value. The lines before it are answered, it and those after it are not. */
  readonly refused?: RefusedLine
}

export interface RefusedLine {
  readonly code: ErrorCode
  /** Where the line starts, in bytes of the chunk. */
  readonly offset: number
  /** Its number in the chunk, from 0, blank lines counted. */
  readonly line: number
}

export const NEWLINE = 0x0a
/** A line counts as deep as the same record in an array, so that both get the same answer. */
export const IN_ARRAY = 1
const encoder = new TextEncoder()

/** The reference for lines. `first` is the position of the chunk's first record, for records without an idx. */
export function answerLines(
  chunk: Uint8Array,
  first: number,
  assessor: Assessor,
  print: Print,
  options: BatchOptions,
): LinesAnswer {
  const printed: string[] = []
  const idxs: number[] = []
  const risks: number[] = []
  const tally = new Tally()
  let refused: RefusedLine | undefined
  for (let offset = 0, line = 0; offset < chunk.length; line++) {
    const newline = chunk.indexOf(NEWLINE, offset)
    const end = newline < 0 ? chunk.length : newline
    const slice = chunk.subarray(offset, end)
    if (!isBlank(slice)) {
      try {
        const outcome = judgeSlice(slice, IN_ARRAY, first + printed.length, assessor, options)
        printed.push(`${print(outcome)}\n`)
        idxs.push(outcome.idx ?? Number.NaN)
        risks.push(outcome.blocked ? -1 : Math.round(outcome.risk * RISK_UNITS))
        tally.add(outcome)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        refused = { code: error.code, offset, line }
        break
      }
    }
    offset = end + 1
  }
  return {
    bytes: encoder.encode(printed.join('')),
    tally,
    idxs: Float64Array.from(idxs),
    risks: Int16Array.from(risks),
    ...(refused === undefined ? {} : { refused }),
  }
}

/** Space, tab or carriage return only. */
export function isBlank(slice: Uint8Array): boolean {
  for (const byte of slice) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  return true
}
