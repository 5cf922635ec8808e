/** What administrators do with keys, for the command line and HTTP alike: list, make, replace, revoke. */
import {
  type KeyRequest,
  DEFAULT_OVERLAP,
  KeyRuleError,
  checkLimits,
  checkName,
  codesFor,
  lifetimeOf,
  lifetimeStart,
  scopesFor,
} from './key-rules.ts'
import { type AuditEntry, groupEntries } from '../audit/audit-row.ts'
import { type MadeKey, type Reach, isUsable, isWithin, makeKey } from './keys.ts'
import type { Domains } from 'patient-risk-engine/definition'
import type { KeySecrets } from './key-secrets.ts'
import type { Store, StoredKey } from '../store.ts'

export interface RotationRequest {
  /** How long the old key still works, as in 12h. */
  readonly overlap?: string | undefined
  /** How long the new key works; as long as the old one was made for where absent. */
  readonly expires?: string | undefined
}

interface KeyManagerParts {
  readonly store: Store
  readonly secrets: KeySecrets
  /** Names of the existing deployments. */
  readonly deployments: readonly string[]
  /** What fields may hold, to check codes by; keys with codes cannot be made where it is absent. */
  readonly domains?: Domains
  readonly now: () => number
  /** The latest time that this process has seen; the store learns of it with its next audit row. */
  readonly latest?: () => number
}

/**
 * Makes the audit row of a change, which is stored in the same transaction: a change that cannot be recorded is not made. Where it is
 * absent, the caller records the change itself.
 */
type RowFor<T> = (result: T) => AuditEntry

/** A new key; with warnings where its codes are doubtful. */
type Created = MadeKey & { readonly warnings?: readonly string[] }

export class KeyManager {
  private readonly parts: KeyManagerParts

  constructor(parts: KeyManagerParts) {
    this.parts = parts
  }

  async list(reach: Reach): Promise<readonly StoredKey[]> {
    return (await this.parts.store.listKeys()).filter((key) => isWithin(reach, key))
  }

  async create(request: KeyRequest, reach: Reach, rowFor?: RowFor<Created>): Promise<Created> {
    const { store, secrets, deployments, domains = new Map() } = this.parts
    const name = checkName(request.name)
    const scopes = scopesFor(request, reach, deployments)
    const limits = checkLimits(request.limits ?? {})
    const { codes, warnings } = codesFor(request.codes ?? {}, domains)
    const { now, expiresAt } = await this.times(lifetimeOf(request.expires, 1, 'expires') ?? null)
    const withWarnings = (made: MadeKey): Created => (warnings.length === 0 ? made : { ...made, warnings })
    const asked = { name, scopes, expiresAt, limits, codes }
    const row = rowFor && ((made: MadeKey): AuditEntry => rowFor(withWarnings(made)))
    return withWarnings(await makeKey(store, secrets, asked, now, undefined, row))
  }

  async rotate(
    id: string,
    request: RotationRequest,
    reach: Reach,
    rowFor?: RowFor<MadeKey>,
  ): Promise<MadeKey> {
    const { store, secrets } = this.parts
    const { overlap = DEFAULT_OVERLAP, expires } = request
    const overlapMs = lifetimeOf(overlap, 0, 'overlap') ?? 0
    const old = await this.find(id, reach)
    const ownLifetimeMs = old.expiresAt === null ? null : old.expiresAt - old.createdAt
    const { now, expiresAt } = await this.times(lifetimeOf(expires, 1, 'expires') ?? ownLifetimeMs)
    // The old key gets an end too, and no end is set by a clock that was wrong.
    if (overlapMs > 0) lifetimeStart(this.parts.now(), await this.latestTime())
    if (!isUsable(old, now))
      throw new KeyRuleError('key ended', 'The key is revoked or expired. Make a new one instead.')
    return makeKey(store, secrets, { ...old, expiresAt }, now, { id, endsAt: now + overlapMs }, rowFor)
  }

  /** Refuses the last usable key that can manage something, unless it is forced: afterwards nobody could over HTTP. */
  async revoke(id: string, reach: Reach, isForced = false, rowFor?: RowFor<StoredKey>): Promise<StoredKey> {
    const { store } = this.parts
    const key = await this.find(id, reach)
    const clock = this.parts.now()
    const latest = Math.max(clock, await this.latestTime())
    // Not read again after it: where that took too long, the caller would be told that nothing was done.
    const revoked = { ...key, revokedAt: key.revokedAt ?? clock }
    const row = rowFor && groupEntries([rowFor(revoked)])
    if (isForced) await store.revokeKey(id, clock, row)
    else if (!(await store.revokeSpareKey(id, clock, latest, row)))
      throw new KeyRuleError(
        'key last',
        'No other usable key could manage what this one does. Make another admin key first.',
      )
    return revoked
  }

  /** The current time, and the expiry of a key with this lifetime. */
  private async times(lifetimeMs: number | null): Promise<Pick<StoredKey, 'expiresAt'> & { now: number }> {
    const clock = this.parts.now()
    const latest = await this.latestTime()
    if (lifetimeMs === null) return { now: Math.max(clock, latest), expiresAt: null }
    const now = lifetimeStart(clock, latest)
    return { now, expiresAt: now + lifetimeMs }
  }

  private async latestTime(): Promise<number> {
    return Math.max(await this.parts.store.latestTime(), this.parts.latest?.() ?? 0)
  }

  /** A key that lies outside the reach does not exist for this administrator. */
  private async find(id: string, reach: Reach): Promise<StoredKey> {
    const key = await this.parts.store.findKey(id)
    if (key === undefined || !isWithin(reach, key))
      throw new KeyRuleError('key unknown', 'There is no key with this id.')
    return key
  }
}

/** Everything about a key but its digest. */
interface KeyDescription extends Pick<StoredKey, 'id' | 'name' | 'scopes' | 'limits' | 'codes' | 'replaces'> {
  readonly created: string | null
  readonly expires: string | null
  readonly revoked: string | null
  readonly lastUsed: string | null
}

export function describeKey(key: StoredKey): KeyDescription {
  const { id, name, scopes, limits, codes, replaces } = key
  const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
  return {
    id,
    name,
    scopes,
    limits,
    codes,
    created: time(key.createdAt),
    expires: time(key.expiresAt),
    revoked: time(key.revokedAt),
    lastUsed: time(key.lastUsedAt),
    replaces,
  }
}
