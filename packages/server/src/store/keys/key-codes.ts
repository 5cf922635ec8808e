/** The codes of a key as calls use them: with their digest, made once for each key that is in memory. */
import { type KeyCodes, codesDigest } from '@patient-risk/catalog'
import type { StoredKey } from './stored-key.ts'

const known = new WeakMap<StoredKey, KeyCodes>()

/** Undefined where the key has none: the codes of the deployment hold. */
export function keyCodesOf(key: StoredKey | undefined): KeyCodes | undefined {
  if (key === undefined || Object.keys(key.codes).length === 0) return undefined
  const made = known.get(key) ?? { codes: key.codes, digest: codesDigest(key.codes) }
  known.set(key, made)
  return made
}
