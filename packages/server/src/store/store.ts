/**
 * What the service stores: keys, the audit chain, counters of use and of outcomes, alarms. Times are milliseconds since 1970. Patient
 * data is never stored.
 */
import type { AuditEntry, KnownChain } from './audit/audit-row.ts'
import type { SqlStore } from './sql-store.ts'

export type { KeyLimits, StoredKey } from './keys/stored-key.ts'

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

/** The calls of the database, but rows are appended through a queue. */
export interface Store extends Omit<SqlStore, 'appendGroup' | 'chainQueued' | 'tryAppend'> {
  /** How long a key may be served from memory before the store is asked again. */
  readonly keyFreshMs: number
  /** Appends rows durably, all or none, and records the last use of the keys. Soon after, or when it is read, the chain has them. */
  appendAudit(entries: readonly AuditEntry[]): Promise<void>
  /** Undefined while rows can be appended, else the reason. After a failure it tries again, so that a probe sees the recovery. */
  health(): Promise<string | undefined>
  /** The chain after the last rows that this process has chained; undefined before the first. */
  knownChain(): KnownChain | undefined
  /** Takes up to `want` from a window, of one minute unless said otherwise, that begins with its first use. */
  takeQuota(counter: string, limit: number, want: number, windowMs?: number): Promise<QuotaGrant>
  close(): Promise<void>
}
