/**
 * One record per line: a chunk of whole lines in, one line per record out. Blank lines are skipped.
 * Each line is answered alone: repeated `idx` are not detected here.
 */
import { AppError } from '../../errors.ts'
import type { Assessor, Outcome } from '../assess.ts'
import type { BatchAnswer, BatchOptions, Print } from '../batch.ts'
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

export const NEWLINE = 0x0a
/** A line counts as deep as the same record in an array, so that both get the same answer. */
const IN_ARRAY = 1
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
  const claimed = new Map<number, readonly number[]>()
  const tally = new Tally()
  let malformedAt: number | undefined
  for (let offset = 0; offset < chunk.length;) {
    const newline = chunk.indexOf(NEWLINE, offset)
    const end = newline < 0 ? chunk.length : newline
    const line = chunk.subarray(offset, end)
    if (!isBlank(line)) {
      const start = offset
      const onMalformed = (): void => void (malformedAt ??= start)
      const outcome = judgeLine(line, first + printed.length, assessor, options, onMalformed)
      printed.push(`${print(outcome)}\n`)
      if (outcome.claimed.length > 0) claimed.set(idxs.length, outcome.claimed)
      idxs.push(outcome.idx ?? Number.NaN)
      risks.push(unitsOf(outcome))
      tally.add(outcome)
    }
    offset = end + 1
  }
  return {
    bytes: encoder.encode(printed.join('')),
    tally,
    idxs: Float64Array.from(idxs),
    claimed,
    risks: Int16Array.from(risks),
    ...(malformedAt === undefined ? {} : { malformedAt }),
  }
}

/** The outcome for one line. A line that is not a JSON value counts as a record that is not an object, and is reported. */
export function judgeLine(
  line: Uint8Array,
  position: number,
  assessor: Assessor,
  options: BatchOptions,
  onMalformed: () => void,
  isDuplicate = false,
): Outcome {
  try {
    return judgeSlice(line, IN_ARRAY, position, assessor, options, isDuplicate)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    onMalformed()
    return assessor.assess(undefined, position, options)
  }
}

/** The risk of an outcome in ten-thousandths; −1 where it is null. */
export function unitsOf({ blocked, risk }: Outcome): number {
  return blocked ? -1 : Math.round(risk * RISK_UNITS)
}

/** Space, tab or carriage return only. */
export function isBlank(slice: Uint8Array): boolean {
  for (const byte of slice) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  return true
}
