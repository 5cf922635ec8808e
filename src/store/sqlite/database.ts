/** The SQLite file itself, with one writer: every call is one transaction. It runs in the store's own thread. */
import { existsSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  type AuditEntry,
  type AuditRow,
  type ChainEnds,
  PRUNE_STEP,
  linkRows,
  retentionEntry,
} from '../audit/audit-row.ts'
import type { AuditQuery, StoredKey } from '../store.ts'
import { migrate } from './migrations.ts'
import { unpackEntries } from './packed-entries.ts'
import { makePrivate } from './private-file.ts'
import { type RingClaim, ringPath } from './ring/claim.ts'
import { type FramePlace, newEra, parseEra, printEra } from './ring/frame.ts'
import { makeRing } from './ring/make-ring.ts'
import { readRing } from './ring/reader.ts'
import { auditRowOf, keyOf, keyValues } from './rows.ts'

/** Below the caller's own limit, so that a lock held elsewhere is told as such. */
const BUSY_TIMEOUT_MS = 700
const MINUTE_MS = 60_000
/** Some thousand rows: those who wait for the lock meanwhile wait for milliseconds. */
const TAKEN_AT_ONCE_BYTES = 2_097_152
const KEY_COLUMNS =
  'id, name, digest, scopes, limits, created_at, expires_at, revoked_at, last_used_at, replaces'

export class SqliteDatabase {
  private readonly database: DatabaseSync
  private readonly statements = new Map<string, StatementSync>()
  private readonly path: string

  constructor(path: string) {
    this.path = path
    makePrivate(path)
    this.database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
    // FULL: with NORMAL, a power cut loses rows that were acknowledged.
    this.database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    migrate(this.database)
  }

  insertKey(key: StoredKey): void {
    this.statement(`INSERT INTO keys (${KEY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      ...keyValues(key),
    )
  }

  replaceKey(key: StoredKey, oldId: string, oldEndsAt: number): void {
    this.transaction(() => {
      this.insertKey(key)
      this.statement(
        'UPDATE keys SET expires_at = ?1 WHERE id = ?2 AND (expires_at IS NULL OR expires_at > ?1)',
      ).run(oldEndsAt, oldId)
    })
  }

  revokeKey(id: string, at: number): boolean {
    const { changes } = this.statement(
      'UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?',
    ).run(at, id)
    return changes > 0
  }

  findKey(id: string): StoredKey | undefined {
    const row = this.statement('SELECT * FROM keys WHERE id = ?').get(id)
    return row === undefined ? undefined : keyOf(row)
  }

  listKeys(): readonly StoredKey[] {
    return this.statement('SELECT * FROM keys ORDER BY created_at, id').all().map(keyOf)
  }

  latestTime(): number {
    return this.chain()['latest_time'] as number
  }

  secretFingerprint(own: string): string {
    this.statement('UPDATE chain SET secret_fingerprint = coalesce(secret_fingerprint, ?)').run(own)
    return this.chain()['secret_fingerprint'] as string
  }

  appendAudit(entries: readonly AuditEntry[]): void {
    this.transaction(() => this.append(entries))
  }

  /** Makes a ring ready for a process that holds its lock. What a former owner has left is taken in first. */
  adoptRing(slot: number): RingClaim {
    const path = ringPath(this.path, slot)
    // A store that was put back without its rings has nothing waiting in them.
    if (existsSync(path)) this.takeRing(slot)
    makeRing(path)
    const era = newEra()
    this.statement(
      'INSERT INTO rings VALUES (?1, ?2, 0) ON CONFLICT (slot) DO UPDATE SET era = ?2, taken = 0',
    ).run(slot, printEra(era))
    return { path, era }
  }

  /**
   * Takes the rows that wait in a ring into the chain, and tells up to where. Each row comes in once, whoever takes it.
   * The owner names its era: rows that it wrote would be passed over under another one, and it must know.
   */
  takeRing(slot: number, ownEra?: bigint): number {
    const path = ringPath(this.path, slot)
    for (;;) {
      const before = this.ringPlace(slot, ownEra)
      if (before === undefined) return 0
      // A look first: most rings hold nothing, and a write would keep others waiting.
      if (readRing(path, before, 1).texts.length === 0) return before.offset
      const taken = this.transaction(() => {
        const { era, offset: from } = this.ringPlace(slot, ownEra) as FramePlace
        const { texts, offset } = readRing(path, { era, offset: from }, TAKEN_AT_ONCE_BYTES)
        this.append(texts.flatMap(unpackEntries))
        this.statement('UPDATE rings SET taken = ? WHERE slot = ?').run(offset, slot)
        return { offset, bytes: offset - from }
      })
      // Everything that was there when it began; what comes in meanwhile has its turn, like all who wait.
      if (taken.bytes < TAKEN_AT_ONCE_BYTES) return taken.offset
    }
  }

  /** The rows of every process, also of those that are gone. A ring that cannot be read does not keep the others. */
  takeRings(): void {
    const failures: unknown[] = []
    for (const { slot } of this.statement('SELECT slot FROM rings').all()) {
      try {
        if (existsSync(ringPath(this.path, slot as number))) this.takeRing(slot as number)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0] as Error
  }

  readAudit(query: AuditQuery): readonly AuditRow[] {
    const { newestFirst = false, requestId = null, from = null, to = null } = query
    const after = query.after ?? (newestFirst ? Number.MAX_SAFE_INTEGER : 0)
    return this.statement(
      `SELECT * FROM audit WHERE seq ${newestFirst ? '<' : '>'} ?1
         ${requestId === null ? 'AND ?2 IS NULL' : 'AND request_id = ?2'}
         AND (?3 IS NULL OR at >= ?3) AND (?4 IS NULL OR at < ?4)
       ORDER BY seq ${newestFirst ? 'DESC' : 'ASC'} LIMIT ?5`,
    )
      .all(after, requestId, from, to, query.most)
      .map(auditRowOf)
  }

  chainEnds(): ChainEnds {
    const row = this.chain()
    return {
      start: { seq: row['start_seq'] as number, hash: row['start_hash'] as string },
      head: { seq: row['head_seq'] as number, hash: row['head_hash'] as string },
    }
  }

  pruneAudit(before: number, now: number): number {
    return this.transaction(() => {
      const kept = this.statement('SELECT min(seq) AS seq FROM audit WHERE at >= ?').get(before)?.['seq']
      const { start, head } = this.chainEnds()
      const through = Math.min(typeof kept === 'number' ? kept - 1 : head.seq, start.seq + PRUNE_STEP)
      const last = this.statement('SELECT seq, hash FROM audit WHERE seq = ?').get(through)
      if (through <= start.seq || last === undefined) return 0
      const point = { seq: through, hash: last['hash'] as string }
      const { changes } = this.statement('DELETE FROM audit WHERE seq <= ?').run(through)
      this.statement('UPDATE chain SET start_seq = ?, start_hash = ?').run(point.seq, point.hash)
      this.link([retentionEntry(now, point, Number(changes))])
      return Number(changes)
    })
  }

  close(): void {
    this.database.close()
  }

  /** Inside a transaction. */
  private append(entries: readonly AuditEntry[]): void {
    if (entries.length === 0) return
    this.link(entries)
    const used = new Map<string, number>()
    for (const { keyId, at } of entries) {
      const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS
      if (keyId !== null && minute > (used.get(keyId) ?? -1)) used.set(keyId, minute)
    }
    for (const [keyId, minute] of used) {
      this.statement(
        'UPDATE keys SET last_used_at = ?1 WHERE id = ?2 AND (last_used_at IS NULL OR last_used_at < ?1)',
      ).run(minute, keyId)
    }
  }

  private ringPlace(slot: number, ownEra?: bigint): FramePlace | undefined {
    const row = this.statement('SELECT era, taken FROM rings WHERE slot = ?').get(slot)
    if (row === undefined) return undefined
    const era = parseEra(row['era'] as string)
    if (ownEra !== undefined && ownEra !== era)
      throw new Error('the ring of this process was given to another')
    return { era, offset: row['taken'] as number }
  }

  private link(entries: readonly AuditEntry[]): void {
    const rows = linkRows(this.chainEnds().head, entries)
    const insert = this.statement(
      'INSERT INTO audit (seq, at, request_id, content, hash) VALUES (?, ?, ?, ?, ?)',
    )
    for (const row of rows) insert.run(row.seq, row.at, row.requestId, row.content, row.hash)
    const last = rows.at(-1)
    if (last === undefined) return
    const latest = entries.reduce((most, { at }) => Math.max(most, at), 0)
    this.statement('UPDATE chain SET head_seq = ?, head_hash = ?, latest_time = max(latest_time, ?)').run(
      last.seq,
      last.hash,
      latest,
    )
  }

  private chain(): Readonly<Record<string, unknown>> {
    return this.statement('SELECT * FROM chain').get() as Readonly<Record<string, unknown>>
  }

  private transaction<T>(work: () => T): T {
    // IMMEDIATE: a reader that becomes a writer half-way may find that another process was faster.
    this.database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.database.exec('COMMIT')
      return result
    } catch (error) {
      if (this.database.isTransaction) this.database.exec('ROLLBACK')
      throw error
    }
  }

  private statement(sql: string): StatementSync {
    const known = this.statements.get(sql)
    if (known !== undefined) return known
    const prepared = this.database.prepare(sql)
    this.statements.set(sql, prepared)
    return prepared
  }
}
