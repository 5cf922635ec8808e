/** What the service stores: keys, the audit chain, counters. Times are milliseconds since 1970. Patient data is never stored. */
import type { AuditEntry, AuditRow, ChainEnds, KnownChain } from './audit/audit-row.ts'
import type { AuditQuery, PageQuery, ReadableGroup } from './audit/read-groups.ts'
import type { CountedUse, UsageQuery } from './audit/usage-counters.ts'

/** Limits of a key's own. Undefined leaves a limit to the deployment, null lifts it. */
export interface KeyLimits {
  readonly requestsPerMinute?: number | null | undefined
  readonly recordsPerMinute?: number | null | undefined
}

export interface StoredKey {
  readonly id: string
  readonly name: string
  /** HMAC-SHA-256 of the secret; the secret itself is never stored. */
  readonly digest: Uint8Array
  /** Which secret of the server the digest was made with. */
  readonly secretFingerprint: string
  /** Deployments that the key may use, and `admin`; `*` stands for every deployment. */
  readonly scopes: readonly string[]
  readonly limits: KeyLimits
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** To the minute. */
  readonly lastUsedAt: number | null
  /** The key that this one was made to replace. */
  readonly replaces: string | null
}

/** What the counters of use cover. */
export interface UsageCover {
  /** Rows before this time may be missing: they were removed, or damaged, before they were counted. 0: none is. */
  readonly since: number
}

export interface QuotaGrant {
  /** How much of what was wanted is given; from 0 to all of it. */
  readonly granted: number
  /** What is left of the window after this. */
  readonly remaining: number
  readonly resetsInMs: number
}

/** Where quota comes from that the store does not keep itself. */
export interface QuotaSource {
  /** As `takeQuota` of the store. */
  take(counter: string, limit: number, want: number, windowMs?: number): QuotaGrant | Promise<QuotaGrant>
}

export interface Store {
  /** How long a key may be served from memory before the store is asked again. */
  readonly keyFreshMs: number

  /** Stores a key, and with it the time at which the key that it replaces ends, both or neither. */
  insertKey(key: StoredKey, oldEndsAt?: number): Promise<void>
  /** Whether there is such a key. Revoking twice keeps the first time. */
  revokeKey(id: string, at: number): Promise<boolean>
  findKey(id: string): Promise<StoredKey | undefined>
  /** In the order in which they were made. */
  listKeys(): Promise<readonly StoredKey[]>
  /** The latest time in the chain: a clock set back does not set it back. */
  latestTime(): Promise<number>
  /** Keeps the fingerprint of the key secret the first time, and returns the kept one from then on. */
  secretFingerprint(own: string): Promise<string>
  /** Puts another secret into use. False where `from` is not the one in use. */
  replaceSecret(from: string, to: string): Promise<boolean>
  /** Gives a key its digest with another secret, where that is the one in use. */
  moveDigest(id: string, digest: Uint8Array, secretFingerprint: string): Promise<void>

  /** Appends rows durably, all or none, and records the last use of the keys. Soon after, or when it is read, the chain has them. */
  appendAudit(entries: readonly AuditEntry[]): Promise<void>
  /** Undefined while rows can be appended, else the reason. After a failure it tries again, so that a probe sees the recovery. */
  health(): Promise<string | undefined>
  readAudit(query: AuditQuery): Promise<readonly AuditRow[]>
  /** Groups of rows as they are stored, a page of them; for readers of the whole chain. Rows in the queue are not chained first. */
  readGroups(page: PageQuery): Promise<readonly ReadableGroup[]>
  chainEnds(): Promise<ChainEnds>
  /** The chain after the last rows that this process has chained; undefined before the first. */
  knownChain(): KnownChain | undefined
  /** Forgets the entries of the queue that this service did not write. */
  removeRefused(): Promise<void>
  /**
   * Removes rows before a time, at most some thousand, and records that in the chain itself. Rows that were chained together go
   * together, when all of them are due. Returns how many were removed; call it until that is 0.
   */
  pruneAudit(before: number, now: number): Promise<number>
  readUsage(wanted: UsageQuery): Promise<CountedUse & UsageCover>
  /** Counts some thousand rows that the counters of use lack. Returns whether there may be more; call it until that is false. */
  countRows(): Promise<boolean>
  /** Removes counters of more than 400 days ago, and gives back the room that the queue no longer needs. */
  tidyAudit(now: number): Promise<void>

  /** Takes up to `want` from a window, of one minute unless said otherwise, that begins with its first use. */
  takeQuota(counter: string, limit: number, want: number, windowMs?: number): Promise<QuotaGrant>
  close(): Promise<void>
}
