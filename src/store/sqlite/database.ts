/** The SQLite file with one writer: every call is one transaction. It runs in the store's own thread. */
import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import {
  type EntryGroup,
  type GroupRow,
  type ReadableGroup,
  assertHead,
  commonPart,
  endOf,
  groupEntries,
  groupOfRow,
  linkGroup,
  selectRows,
} from '../audit/audit-group.ts'
import { type AuditRow, type ChainEnds, PRUNE_STEP, retentionEntry } from '../audit/audit-row.ts'
import { type KeyRow, keyOfRow, rowOfKey } from '../keys/key-row.ts'
import type { AuditQuery, StoredKey } from '../store.ts'
import { migrate } from './migrations.ts'
import { makePrivate } from './private-file.ts'

/** Below the caller's own limit, so that a lock held elsewhere is reported as such. */
const BUSY_TIMEOUT_MS = 700
/** A check of so much takes a second or two, also from a slow disk. */
const FULLY_CHECKED_BYTES = 256 * 1024 * 1024
const INSERT_KEY = `INSERT INTO keys
  (id, name, digest, scopes, limits, created_at, expires_at, revoked_at, last_used_at, replaces) VALUES
  (:id, :name, :digest, :scopes, :limits, :created_at, :expires_at, :revoked_at, :last_used_at, :replaces)`

export class SqliteDatabase {
  private readonly database: DatabaseSync
  private readonly statements = new Map<string, StatementSync>()
  /** Dictionaries of groups: by their number, and the number by the part that rows have in common. */
  private readonly dictionaries = new Map<number, string>()
  private readonly contexts = new Map<string, number>()
  /** Keys and the minute of their last use, as far as this process has recorded it. */
  private readonly uses = new Map<string, number>()

  constructor(path: string) {
    this.database = openFile(path)
  }

  /** Throws where pages of the file are damaged. A large file is checked in its small tables and its newest rows only. */
  checkFile(): void {
    const { page_count: pages, page_size: size } = this.statement(
      'SELECT * FROM pragma_page_count, pragma_page_size',
    ).get() as { readonly page_count: number; readonly page_size: number }
    const tables = pages * size <= FULLY_CHECKED_BYTES ? [''] : ['(keys)', '(chain)', '(audit_context)']
    for (const table of tables) {
      const result = this.database.prepare(`PRAGMA quick_check${table}`).get()?.['quick_check']
      if (result !== 'ok') throw new Error('the file is damaged; restore a backup (docs/storage.md)')
    }
  }

  insertKey(key: StoredKey): void {
    this.statement(INSERT_KEY).run({ ...rowOfKey(key) })
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
    return row === undefined ? undefined : keyOfRow(row as unknown as KeyRow)
  }

  listKeys(): readonly StoredKey[] {
    const rows = this.statement(
      'SELECT * FROM keys ORDER BY created_at, id',
    ).all() as unknown as readonly KeyRow[]
    return rows.map(keyOfRow)
  }

  latestTime(): number {
    return this.chain()['latest_time'] as number
  }

  secretFingerprint(own: string): string {
    const kept = this.chain()['secret_fingerprint'] as string | null
    // A store that has one is only read: also a full disk can be looked at.
    if (kept !== null) return kept
    this.statement('UPDATE chain SET secret_fingerprint = coalesce(secret_fingerprint, ?)').run(own)
    return this.chain()['secret_fingerprint'] as string
  }

  appendAudit(group: EntryGroup): void {
    this.transaction(() => {
      this.append(group)
      for (const [keyId, minute] of group.uses) {
        if ((this.uses.get(keyId) ?? -1) >= minute) continue
        this.statement(
          'UPDATE keys SET last_used_at = ?1 WHERE id = ?2 AND (last_used_at IS NULL OR last_used_at < ?1)',
        ).run(minute, keyId)
      }
    })
    for (const [keyId, minute] of group.uses) this.uses.set(keyId, minute)
  }

  /** Throws where no row could be appended: a changed end of the chain, or a disk that takes no writes. */
  tryAppend(): void {
    this.transaction(() => {
      assertHead(this.chainEnds())
      this.statement('UPDATE chain SET latest_time = latest_time').run()
    })
  }

  readAudit(query: AuditQuery): readonly AuditRow[] {
    return selectRows(this.groups(query), query)
  }

  chainEnds(): ChainEnds {
    const row = this.chain()
    const head = { seq: row['head_seq'] as number, hash: row['head_hash'] as string }
    const start = { seq: row['start_seq'] as number, hash: row['start_hash'] as string }
    return { start, head, lastSeq: (row['last_seq'] as number | null) ?? start.seq }
  }

  pruneAudit(before: number, now: number): number {
    return this.transaction(() => {
      const { start, head } = this.chainEnds()
      const kept = this.statement('SELECT min(last_seq) AS seq FROM audit WHERE last_at >= ?').get(before)?.[
        'seq'
      ]
      const most = Math.min(typeof kept === 'number' ? kept - 1 : head.seq, start.seq + PRUNE_STEP)
      const last = this.statement(
        'SELECT last_seq AS "lastSeq", hash FROM audit WHERE last_seq <= ? ORDER BY last_seq DESC LIMIT 1',
      ).get(most) as { readonly lastSeq: number; readonly hash: Uint8Array } | undefined
      if (last === undefined) return 0
      const point = endOf(last)
      this.statement('DELETE FROM audit WHERE last_seq <= ?').run(point.seq)
      this.statement('UPDATE chain SET start_seq = ?, start_hash = ?').run(point.seq, point.hash)
      const removed = point.seq - start.seq
      this.append(groupEntries([retentionEntry(now, point, removed)]))
      return removed
    })
  }

  close(): void {
    this.database.close()
  }

  /** Inside a transaction. */
  private append(group: EntryGroup): void {
    const ends = this.chainEnds()
    assertHead(ends)
    const context = this.contextOf(group)
    const linked = linkGroup(ends.head, group, this.dictionary(context))
    this.statement('INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?)').run(
      linked.lastSeq,
      linked.count,
      linked.lastAt,
      context,
      linked.packed,
      linked.hash,
    )
    const { seq, hash } = endOf(linked)
    this.statement('UPDATE chain SET head_seq = ?, head_hash = ?, latest_time = max(latest_time, ?)').run(
      seq,
      hash,
      linked.lastAt,
    )
  }

  private *groups({ after, from, newestFirst = false }: AuditQuery): Generator<ReadableGroup> {
    const conditions = ['TRUE']
    const values: number[] = []
    if (after !== undefined) {
      // Newest first, the group that holds the limit itself may hold rows before it.
      const least = '(SELECT coalesce(min(last_seq), 9e15) FROM audit WHERE last_seq >= ?)'
      conditions.push(newestFirst ? `a.last_seq <= ${least}` : 'a.last_seq > ?')
      values.push(after)
    }
    if (from !== undefined) {
      conditions.push('a.last_seq >= (SELECT min(last_seq) FROM audit WHERE last_at >= ?)')
      values.push(from)
    }
    const { start } = this.chainEnds()
    const rows = this.statement(
      `SELECT a.*, (SELECT p.hash FROM audit p WHERE p.last_seq = a.last_seq - a.count) AS prev
       FROM audit a WHERE ${conditions.join(' AND ')} ORDER BY a.last_seq ${newestFirst ? 'DESC' : 'ASC'}`,
    ).iterate(...values)
    for (const row of rows as Iterable<GroupRow & { readonly prev: Uint8Array | null }>) {
      yield groupOfRow(row, start, this.dictionary(row.context))
    }
  }

  /** The number of the dictionary for a group. The first group of a kind is the dictionary of those after it. */
  private contextOf({ texts }: EntryGroup): number {
    const common = commonPart(texts)
    const known = this.contexts.get(common)
    if (known !== undefined) return known
    const [first = ''] = texts.split('\n', 1)
    const stored = this.statement('SELECT id, text FROM audit_context').all()
    const same = stored.find(({ text }) => commonPart(text as string) === common)?.['id']
    const id = Number(
      same ?? this.statement('INSERT INTO audit_context (text) VALUES (?)').run(first).lastInsertRowid,
    )
    this.contexts.set(common, id)
    return id
  }

  private dictionary(context: number): string {
    const known = this.dictionaries.get(context)
    if (known !== undefined) return known
    const text = this.statement('SELECT text FROM audit_context WHERE id = ?').get(context)?.['text']
    if (typeof text !== 'string') return ''
    this.dictionaries.set(context, text)
    return text
  }

  private chain(): Readonly<Record<string, unknown>> {
    // One statement, so that both ends are of the same moment.
    return this.statement(
      'SELECT *, (SELECT max(last_seq) FROM audit) AS last_seq FROM chain',
    ).get() as Readonly<Record<string, unknown>>
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
      // One of them may be gone with the transaction.
      this.contexts.clear()
      this.dictionaries.clear()
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

function openFile(path: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    makePrivate(path)
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
    // FULL: with NORMAL, a power cut loses rows that were acknowledged.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    migrate(database, path)
    return database
  } catch (error) {
    database?.close()
    // On a full disk there is no room for the files beside it. A file that was closed properly can still be read.
    if (isOutOfRoom(error) && (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) {
      return new DatabaseSync(new URL(`${pathToFileURL(path).href}?immutable=1`), { readOnly: true })
    }
    throw error
  }
}

const IO_ERROR = 10
const FULL = 13
const CANNOT_OPEN = 14

function isOutOfRoom(error: unknown): boolean {
  const { errcode = 0 } = error as { readonly errcode?: number }
  return [IO_ERROR, FULL, CANNOT_OPEN].includes(errcode & 0xff)
}
