/** The key of the calls that are given up. */
import { fingerprintOf } from '@patient-risk/runtime'
import type { StoredKey } from '../../src/store/store.ts'
import { TEST_SECRET } from './open-file.ts'

export const FINGERPRINT = fingerprintOf(TEST_SECRET)
export const KEY: StoredKey = {
  id: 'key1',
  name: 'ward 3',
  digest: new Uint8Array([1]),
  secretFingerprint: FINGERPRINT,
  scopes: ['*'],
  limits: {},
  codes: {},
  createdAt: 1,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  replaces: null,
}
