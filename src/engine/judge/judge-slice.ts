/** One element of a batch, or one line, from its bytes: parses it, finds its repeated keys, and judges it. */
import { AppError } from '../../errors.ts'
import type { Assessor, Outcome, SecondLook } from '../assess.ts'
import type { BatchOptions } from '../batch.ts'
import { decodeText, parseText, scanStructure } from '../read/body.ts'
import { type RepeatedKeys, countOutside, findRepeatedKeys } from '../read/repeated-keys.ts'

const NO_KEYS: RepeatedKeys = { names: new Set(), idxs: [] }

/**
 * The outcome for the bytes of one value, `depth` levels deep in its body. If it is not well-formed, throws the AppError
 * of a body that holds only this value.
 */
export function judgeSlice(
  slice: Uint8Array,
  depth: number,
  position: number,
  assessor: Assessor,
  options: BatchOptions,
  duplicateIdx = false,
): Outcome {
  const structure = isFlat(slice) ? undefined : scanStructure(slice)
  if ((structure?.depth ?? 1) + depth > options.maxDepth) throw new AppError('BODY_TOO_DEEP')
  const text = decodeText(slice)
  const record = parseText(text)
  const outcome = assessor.assess(record, position, options)
  const keys = outcome.keys + countOutside(record)
  const isWhole =
    structure === undefined
      ? hasColons(text, keys) || scanStructure(slice).colons === keys
      : structure.colons === keys
  if (isWhole && !duplicateIdx) return outcome
  const { names, idxs } = isWhole ? NO_KEYS : (findRepeatedKeys(`[${text}]`).get(0) ?? NO_KEYS)
  if (names.size === 0 && !duplicateIdx) return outcome
  const look: SecondLook = { duplicateIdx, repeatedKeys: names, claimed: idxs }
  return assessor.assess(record, position, options, look)
}

const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b

/** Whether the bytes are an object without nested values: then it is one level deep. */
function isFlat(slice: Uint8Array): boolean {
  return slice[0] === OPEN_BRACE && !slice.includes(OPEN_BRACE, 1) && !slice.includes(OPEN_BRACKET)
}

/**
 * Whether a text has exactly this many colons, wherever they stand. The colon of a key that the parser dropped is still
 * in the text; so with as many colons as keys, no key was dropped. With more colons the structure must be scanned.
 */
function hasColons(text: string, count: number): boolean {
  let found = 0
  for (let at = text.indexOf(':'); at >= 0 && found <= count; at = text.indexOf(':', at + 1)) found++
  return found === count
}
