/**
 * The secrets that a process has for key digests and seals: one, and during a rotation the one before it. The store says which of them is
 * in use, so that no process makes a digest that another one cannot check yet. What either of them has made is accepted.
 */
import { fingerprintOf, StoreError } from '@patient-risk/runtime'
import type { Store } from '../store.ts'

const OTHER_SECRET =
  'The keys in this store were made with another key secret. Give every process the same KEY_SECRET, ' +
  'or restore the file key-secret of the data folder. During a rotation, set KEY_SECRET_PREVIOUS too.'

export class KeySecrets {
  /** The newest first. */
  readonly all: readonly Uint8Array[]
  readonly byFingerprint: ReadonlyMap<string, Uint8Array>
  readonly isRotating: boolean
  /** The fingerprint of the secret in use. */
  fingerprint: string

  constructor(newest: Uint8Array, ...previous: readonly Uint8Array[]) {
    this.all = [newest, ...previous]
    this.byFingerprint = new Map(this.all.map((secret) => [fingerprintOf(secret), secret]))
    this.isRotating = this.byFingerprint.size > 1
    this.fingerprint = fingerprintOf(newest)
  }

  /** The secret that digests and seals are made with now. */
  get inUse(): Uint8Array {
    return this.byFingerprint.get(this.fingerprint) as Uint8Array
  }

  /** Asks the store which secret is in use. Throws where this process does not have it. A new store takes the newest. */
  async refresh(store: Pick<Store, 'secretFingerprint'>): Promise<this> {
    const kept = await store.secretFingerprint(fingerprintOf(this.all[0] as Uint8Array))
    if (!this.byFingerprint.has(kept)) throw new StoreError(OTHER_SECRET)
    this.fingerprint = kept
    return this
  }
}
