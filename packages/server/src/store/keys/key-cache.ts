/**
 * Recently used keys, so that a request needs no look-up. An entry is looked up again after a fraction of a second, so that a
 * revocation takes effect. While the store is unavailable, keys that it confirmed within the last minute stay valid.
 */
import { timingSafeEqual } from 'node:crypto'
import type { KeySecrets } from './key-secrets.ts'
import { type ApiKey, idOfApiKey, isGenuine, keyDigest, parseApiKey } from './keys.ts'
import type { Store, StoredKey } from '../store.ts'

/** How long a key stays valid while the store is unavailable. */
const GRACE_MS = 60_000
/** Pause between two look-ups while the store is unavailable. */
const RETRY_MS = 1_000
const MOST_KEYS = 10_000

interface Entry {
  readonly key: StoredKey
  /** The key as it was shown. The memory of this process holds it anyway, with the header of every request. */
  readonly shown: Uint8Array
  /** By a clock that is never set back. */
  checkedAt: number
  retryAt: number
}

export class KeyCache {
  private readonly store: Store
  private readonly secrets: KeySecrets
  private readonly steadyNow: () => number
  private readonly entries = new Map<string, Entry>()
  private readonly lookUps = new Map<string, Promise<StoredKey | undefined>>()
  /** Of keys that send outcomes. It never changes. */
  private readonly firstIds = new Map<string, string>()
  /** Keys whose digest is being made again. */
  private readonly moving = new Set<string>()
  private latest = 0

  constructor(store: Store, secrets: KeySecrets, steadyNow: () => number = () => performance.now()) {
    this.store = store
    this.secrets = secrets
    this.steadyNow = steadyNow
  }

  /** The key that was shown, if it is in memory and needs no look-up. Undefined for anything that is not a key. */
  recall(text: string, now: number): StoredKey | undefined {
    const entry = this.entries.get(idOfApiKey(text))
    if (entry === undefined) return undefined
    const steady = this.steadyNow()
    const isFresh = steady - entry.checkedAt < this.store.keyFreshMs
    if (!isFresh && (steady >= entry.retryAt || steady - entry.checkedAt >= GRACE_MS)) return undefined
    return isSame(text, entry.shown) ? this.ifValid(entry.key, now) : undefined
  }

  /** The key that was shown, or undefined for one that is unknown, mistyped, expired or revoked. Throws if the store is unavailable. */
  async verify(text: string, now: number): Promise<StoredKey | undefined> {
    // Noted even if the store does not answer.
    this.latestTime(now)
    const known = this.recall(text, now)
    if (known !== undefined) return known
    const shown = parseApiKey(text)
    if (shown === undefined) return undefined
    const entry = this.entries.get(shown.id)
    try {
      const stored = await this.lookUp(shown.id)
      if (stored === undefined || !(await this.isGenuine(shown, stored))) return undefined
      this.keep(text, stored)
      return this.ifValid(stored, now)
    } catch (error) {
      const steady = this.steadyNow()
      if (entry === undefined || steady - entry.checkedAt >= GRACE_MS) throw error
      entry.retryAt = steady + RETRY_MS
      return isSame(text, entry.shown) ? this.ifValid(entry.key, now) : undefined
    }
  }

  /** The key with this id, for a caller that has proved otherwise that it is its own. Undefined and throws as `verify`. */
  async find(id: string, now: number): Promise<StoredKey | undefined> {
    const key = await this.lookUp(id)
    return key && this.ifValid(key, now)
  }

  /** The first key of the rotations that led to this one; a key that replaces none is its own first. */
  async firstIdOf(key: StoredKey): Promise<string> {
    let first = this.firstIds.get(key.id)
    if (first === undefined) {
      first = await this.followRotations(key)
      if (this.firstIds.size >= MOST_KEYS) this.firstIds.clear()
      this.firstIds.set(key.id, first)
    }
    return first
  }

  /** Makes the next request ask the store. */
  forget(id: string): void {
    this.entries.delete(id)
  }

  /** The latest time ever seen, in this process or by the store. */
  latestTime(now: number): number {
    this.latest = Math.max(this.latest, now)
    return this.latest
  }

  private async followRotations({ id, replaces }: StoredKey): Promise<string> {
    const seen = new Set([id])
    let first = id
    let before = replaces
    // A key that was seen already can only be forged.
    while (before !== null && !seen.has(before)) {
      seen.add(before)
      first = before
      before = (await this.store.findKey(before))?.replaces ?? null
    }
    return first
  }

  private ifValid(key: StoredKey, now: number): StoredKey | undefined {
    // Not the clock alone: one that is set back must not revive a key. The time is noted for keys without an end too.
    const latest = this.latestTime(now)
    const isExpired = key.expiresAt !== null && key.expiresAt <= latest
    return isExpired || key.revokedAt !== null ? undefined : key
  }

  /** Checks the digest of a key, and makes it again where another secret has come into use. */
  private async isGenuine(shown: ApiKey, key: StoredKey): Promise<boolean> {
    const { secrets, store } = this
    const secret = secrets.byFingerprint.get(key.secretFingerprint)
    // If the rotation has passed this process by, the key may be valid: that is an error and no refusal.
    if (secret === undefined || secrets.isRotating) await secrets.refresh(store)
    if (secret === undefined || !isGenuine(secret, shown, key)) return false
    if (key.secretFingerprint !== secrets.fingerprint) this.moveDigest(shown, key.id)
    return true
  }

  /** Requests that come at once share one write. Where it fails, the next look-up tries again. */
  private moveDigest(shown: ApiKey, id: string): void {
    if (this.moving.has(id)) return
    this.moving.add(id)
    const { secrets, store } = this
    store
      .moveDigest(id, keyDigest(secrets.inUse, shown.secret), secrets.fingerprint)
      .catch(() => undefined)
      .finally(() => this.moving.delete(id))
  }

  /** Requests that come at once share one look-up. */
  private lookUp(id: string): Promise<StoredKey | undefined> {
    const running = this.lookUps.get(id)
    if (running !== undefined) return running
    const started = Promise.all([this.store.findKey(id), this.store.latestTime()])
      .then(([key, latest]) => {
        this.latestTime(latest)
        if (key === undefined) this.entries.delete(id)
        return key
      })
      .finally(() => this.lookUps.delete(id))
    this.lookUps.set(id, started)
    return started
  }

  private keep(text: string, key: StoredKey): void {
    // Deleted first, so that the Map has them in the order in which they were checked.
    this.entries.delete(key.id)
    const steady = this.steadyNow()
    for (const [id, { checkedAt }] of this.entries) {
      if (steady - checkedAt < GRACE_MS && this.entries.size < MOST_KEYS) break
      this.entries.delete(id)
    }
    this.entries.set(key.id, { key, shown: Buffer.from(text), checkedAt: steady, retryAt: 0 })
  }
}

/** Takes as long for a near miss as for a far one. */
function isSame(shown: string, known: Uint8Array): boolean {
  const bytes = Buffer.from(shown)
  return bytes.length === known.length && timingSafeEqual(bytes, known)
}
