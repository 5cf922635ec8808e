/** One element of a batch, or one line, from its own bytes: parsed, its repeated keys found, and judged. */
import { AppError } from '../../errors.ts'
import type { Assessor, Outcome, SecondLook } from '../assess.ts'
import type { BatchOptions } from '../batch.ts'
import { decodeText, parseText } from '../read/body-text.ts'
import { countOutside } from '../read/count-keys.ts'
import { findRepeatedKeys } from '../read/repeated-keys.ts'
import { scanStructure } from '../read/structure.ts'

const NONE: ReadonlySet<string> = new Set()

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
  const repeatedKeys = isWhole ? NONE : (findRepeatedKeys(`[${text}]`).get(0) ?? NONE)
  if (repeatedKeys.size === 0 && !duplicateIdx) return outcome
  const look: SecondLook = { duplicateIdx, repeatedKeys }
  return assessor.assess(record, position, options, look)
}

const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b

/** Whether the bytes are those of an object in which nothing else can begin: then it is one level deep. */
function isFlat(slice: Uint8Array): boolean {
  return slice[0] === OPEN_BRACE && !slice.includes(OPEN_BRACE, 1) && !slice.includes(OPEN_BRACKET)
}

/**
 * Whether a text has exactly so many colons, wherever they stand. A key that a parser has lost leaves its colon behind;
 * so when there are as many colons as keys, none was lost. When there are more, a closer look must tell.
 */
function hasColons(text: string, count: number): boolean {
  let found = 0
  for (let at = text.indexOf(':'); at >= 0 && found <= count; at = text.indexOf(':', at + 1)) found++
  return found === count
}
