/** One element of a batch, or one line, from its own bytes: parsed, its repeated keys found, and judged. */
import { AppError } from '../errors.ts'
import type { Assessor, Outcome, SecondLook } from './assess.ts'
import type { BatchOptions } from './batch.ts'
import { decodeText, parseText } from './body-text.ts'
import { countOutside } from './count-keys.ts'
import { findRepeatedKeys } from './repeated-keys.ts'
import { scanStructure } from './structure.ts'

const NONE: readonly string[] = []

/**
 * The outcome for the bytes of one value, which lies `depth` levels deep in its body.
 * Throws the AppError of a body that holds nothing but this value where it is not well-formed.
 */
export function judgeSlice(
  slice: Uint8Array,
  depth: number,
  position: number,
  assessor: Assessor,
  options: BatchOptions,
  duplicateIdx = false,
): Outcome {
  const structure = scanStructure(slice)
  if (structure.depth + depth > options.maxDepth) throw new AppError('BODY_TOO_DEEP')
  const text = decodeText(slice)
  const record = parseText(text)
  const outcome = assessor.assess(record, position, options)
  const isWhole = outcome.keys + countOutside(record) === structure.colons
  if (isWhole && !duplicateIdx) return outcome
  const repeatedKeys = isWhole ? NONE : (findRepeatedKeys(`[${text}]`).get(0) ?? NONE)
  if (repeatedKeys.length === 0 && !duplicateIdx) return outcome
  const look: SecondLook = { duplicateIdx, repeatedKeys }
  return assessor.assess(record, position, options, look)
}
