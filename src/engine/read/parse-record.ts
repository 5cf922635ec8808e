/** The bytes of one record as a value, with the keys that it writes twice. `score` and `learn` read a line of JSON with it. */
import { AppError } from '../../errors.ts'
import { decodeText, parseText, scanStructure } from './body.ts'
import { NO_KEYS, type RepeatedKeys, countKeys, findRepeatedKeys } from './repeated-keys.ts'

export interface ParsedRecord {
  readonly record: unknown
  readonly repeated: RepeatedKeys
}

/** Throws the AppError of a body that holds only this value if it is not well-formed. */
export function parseRecord(bytes: Uint8Array, maxDepth: number): ParsedRecord {
  const { depth, colons } = scanStructure(bytes)
  // A line counts as deep as the same record in an array, so that both get the same answer.
  if (depth + 1 > maxDepth) throw new AppError('BODY_TOO_DEEP')
  const text = decodeText(bytes)
  const record = parseText(text)
  const isWhole = countKeys(record) === colons
  return { record, repeated: (isWhole ? undefined : findRepeatedKeys(`[${text}]`).get(0)) ?? NO_KEYS }
}
