/** A store in memory, on the thread of the test: for what is stored and read, not for how it survives. */
import { DatabaseSync } from 'node:sqlite'
import { type AuditEntry, makeEntry, groupEntries } from '../../src/store/audit/audit-row.ts'
import { QueueSeal } from '@patient-risk/runtime'
import { SqlStore } from '../../src/store/sql-store.ts'
import { SqliteDatabase } from '../../src/store/sqlite/database.ts'
import { migrate } from '../../src/store/sqlite/migrations.ts'
import type { QuotaGrant, Store } from '../../src/store/store.ts'
import { TEST_SECRET } from './open-file.ts'

const SEAL = new QueueSeal([TEST_SECRET])

export class MemoryStore extends SqlStore<SqliteDatabase> implements Store {
  readonly keyFreshMs = 200
  readonly tables: DatabaseSync

  constructor(tables: DatabaseSync) {
    super(new SqliteDatabase(tables), SEAL)
    this.tables = tables
  }

  async appendAudit(entries: readonly AuditEntry[]): Promise<void> {
    await this.appendGroup(groupEntries(entries))
    await this.chainQueued()
  }

  knownChain(): undefined {
    return undefined
  }

  health(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  takeQuota(): Promise<QuotaGrant> {
    return Promise.reject(new Error('no quota here'))
  }

  close(): Promise<void> {
    this.tables.close()
    return Promise.resolve()
  }
}

export async function openMemoryStore(): Promise<MemoryStore> {
  const tables = new DatabaseSync(':memory:')
  await migrate(tables, new SqliteDatabase(tables).query, ':memory:', SEAL)
  return new MemoryStore(tables)
}

/** The entry of row `place`, which has that second. */
export const entry = (place: number, more: object = {}): AuditEntry =>
  makeEntry({ at: place * 1_000, requestId: `r${place}`, keyId: null, call: 'score', ...more })

/** Rows 1 to `rows`, of which so many are committed at once. */
export async function storeOf(rows: number, atOnce = 1, more: object = {}): Promise<MemoryStore> {
  const store = await openMemoryStore()
  for (let from = 1; from <= rows; from += atOnce) {
    const size = Math.min(atOnce, rows + 1 - from)
    await store.appendAudit(Array.from({ length: size }, (_each, place) => entry(from + place, more)))
  }
  return store
}

export const seqsOf = (rows: readonly { readonly seq: number }[]): readonly number[] =>
  rows.map(({ seq }) => seq)
