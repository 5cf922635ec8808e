/** Keys and the audit chain, the same in SQLite and PostgreSQL. */
import { type AuditRow, type ChainEnds, type EntryGroup } from './audit/audit-row.ts'
import { readParts, removeOldest, retentionEntry } from './audit/dropped-parts.ts'
import type { QueueRow, QueueSeal } from './audit/queue-seal.ts'
import {
  type AuditQuery,
  type PageQuery,
  type ReadableGroup,
  readPage,
  readRows,
} from './audit/read-groups.ts'
import {
  type CountedUse,
  type UsageQuery,
  addUsage,
  countLater,
  readCounters,
  removeOldCounters,
} from './audit/usage-counters.ts'
import { ChainError, assertHead, dictionaryFor, endOf, insertGroup, linkGroup } from './audit/write-groups.ts'
import type { Query, SqlDatabase } from './sql.ts'
import type { KeyLimits, StoredKey, UsageCover } from './store.ts'

const SELECT_KEYS = `SELECT id, name, digest, coalesce(secret_fingerprint, '') AS "secretFingerprint", scopes, limits,
  created_at AS "createdAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt", last_used_at AS "lastUsedAt", replaces FROM keys`
const INSERT_KEY = `INSERT INTO keys
  (id, name, digest, secret_fingerprint, scopes, limits, created_at, expires_at, revoked_at, last_used_at, replaces)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
const MOVE_DIGEST = `UPDATE keys SET digest = $1, secret_fingerprint = $2
  WHERE id = $3 AND $2 = (SELECT secret_fingerprint FROM chain)`
const END_KEY = 'UPDATE keys SET expires_at = $1 WHERE id = $2 AND (expires_at IS NULL OR expires_at > $1)'
const USE_KEY =
  'UPDATE keys SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)'
/**
 * What one transaction chains: the oldest entries of the queue, up to the first beyond so many bytes. An entry holds the rows of a commit,
 * one or a thousand. Linking a megabyte of rows takes some 50 ms; many more would exceed the time limit of a transaction.
 */
const QUEUE_STEP = { entries: 64, bytes: 1_000_000 }
const TAKE_QUEUED = `DELETE FROM audit_queue WHERE id IN (
    SELECT id FROM (
      SELECT id, sum(octet_length(texts)) OVER (ORDER BY id) - octet_length(texts) AS bytes_before
      FROM (SELECT id, texts FROM audit_queue ORDER BY id LIMIT ${QUEUE_STEP.entries}) AS oldest
    ) AS sized WHERE bytes_before < ${QUEUE_STEP.bytes}
  ) RETURNING id, texts, seal`
/** Only into the store that this process knows: another one, or an older state of it, takes no row. */
const QUEUE = `INSERT INTO audit_queue (texts, seal)
  SELECT $1, $2 FROM chain WHERE store_id = $3 AND head_seq >= $4 RETURNING id`
const MOST_REFUSED = 100
const ROWS_OF_A_GROUP = 1_000
const MOVE_HEAD = `UPDATE chain SET head_seq = $1, head_hash = $2,
  latest_time = CASE WHEN latest_time > $3 THEN latest_time ELSE $3 END, counted_seq = $4`
type Head = Pick<ChainEnds, 'head' | 'countedSeq'>

/** What a process knows of a chain: that of which store, and its ends. */
export type KnownChain = Pick<ChainEnds, 'storeId' | 'inUse' | 'start' | 'head'>

/** A key with its lists as JSON texts. */
type KeyRow = Omit<StoredKey, 'scopes' | 'limits'> & Readonly<Record<'scopes' | 'limits', string>>

interface ChainRow {
  readonly start_seq: number
  readonly start_hash: string
  readonly head_seq: number
  readonly head_hash: string
  readonly latest_time: number
  readonly secret_fingerprint: string | null
  /** Made with the tables, and the same in every copy. */
  readonly store_id: string
  readonly counted_seq: number
  readonly counted_since: number
  readonly parts: string
  /** Of the rows that are stored. */
  readonly last_seq: number | null
}

/** What a process remembers of its store, also when the database is opened again. */
export interface StoreMemory {
  /** The highest head that it has seen. */
  known?: KnownChain
}

const OTHER_STORE =
  'the database is not the one that this process has written to, or an older state of it; see "Store and anchor" in docs/storage.md'

export class SqlStore<Database extends SqlDatabase = SqlDatabase> {
  protected readonly database: Database
  /** Keys and the minute of their last use, as far as this process has recorded it. */
  private readonly uses = new Map<string, number>()
  private readonly seal: QueueSeal
  private readonly memory: StoreMemory

  constructor(database: Database, seal: QueueSeal, memory: StoreMemory = {}) {
    this.database = database
    this.seal = seal
    this.memory = memory
  }

  insertKey(key: StoredKey, oldEndsAt?: number): Promise<void> {
    const { id, name, digest, secretFingerprint, scopes, limits, replaces } = key
    const { createdAt, expiresAt, revokedAt, lastUsedAt } = key
    const lists = [JSON.stringify(scopes), JSON.stringify(limits)]
    const times = [createdAt, expiresAt, revokedAt, lastUsedAt]
    return this.database.transaction(async (query) => {
      await query(INSERT_KEY, id, name, digest, secretFingerprint, ...lists, ...times, replaces)
      if (oldEndsAt !== undefined) await query(END_KEY, oldEndsAt, replaces)
    })
  }

  async revokeKey(id: string, at: number): Promise<boolean> {
    const sql = 'UPDATE keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2 RETURNING id'
    return (await this.database.query(sql, at, id)).length > 0
  }

  async findKey(id: string): Promise<StoredKey | undefined> {
    const [row] = await this.database.query<KeyRow>(`${SELECT_KEYS} WHERE id = $1`, id)
    return row && keyOfRow(row)
  }

  async listKeys(): Promise<readonly StoredKey[]> {
    return (await this.database.query<KeyRow>(`${SELECT_KEYS} ORDER BY created_at, id`)).map(keyOfRow)
  }

  async latestTime(): Promise<number> {
    return (await readChain(this.database.query)).latest_time
  }

  async secretFingerprint(own: string): Promise<string> {
    const { query } = this.database
    const kept = (await readChain(query)).secret_fingerprint
    // Do not write if one exists, so that a store on a full disk can still be opened.
    if (kept !== null) return kept
    await query('UPDATE chain SET secret_fingerprint = coalesce(secret_fingerprint, $1)', own)
    await query('UPDATE keys SET secret_fingerprint = (SELECT secret_fingerprint FROM chain)')
    return (await readChain(query)).secret_fingerprint ?? ''
  }

  async replaceSecret(from: string, to: string): Promise<boolean> {
    const sql = 'UPDATE chain SET secret_fingerprint = $1 WHERE secret_fingerprint = $2 RETURNING id'
    return (await this.database.query(sql, to, from)).length > 0
  }

  async moveDigest(id: string, digest: Uint8Array, secretFingerprint: string): Promise<void> {
    await this.database.query(MOVE_DIGEST, digest, secretFingerprint, id)
  }

  /** Makes rows durable, at least one. `chainQueued` gives them their place in the chain. */
  async appendGroup({ texts, uses }: EntryGroup): Promise<void> {
    const due = uses.filter(([keyId, minute]) => (this.uses.get(keyId) ?? -1) < minute)
    if (this.memory.known === undefined) this.know(endsOf(await readChain(this.database.query)))
    const { storeId, head, inUse } = this.memory.known as KnownChain
    const insert = async (query: Query): Promise<void> => {
      const queued = await query(QUEUE, texts, this.seal.make(texts, inUse), storeId, head.seq)
      if (queued.length === 0) throw new ChainError(OTHER_STORE)
    }
    if (this.database.isConcurrent || due.length === 0) {
      await insert(this.database.query)
      // Another process may hold a key's row; answers do not wait for it.
      void this.recordUses(this.database.query, due)
      return
    }
    // Together, so that one call waits only once for a lock of another process.
    await this.database.transaction(async (query) => {
      await insert(query)
      await this.recordUses(query, due)
    })
  }

  /** Moves the rows that are queued to the end of the chain; those that arrive meanwhile are left to the next call. Returns
   * the chain as far as this process knows it. */
  async chainQueued(): Promise<KnownChain | undefined> {
    const sql = 'SELECT max(id) AS last FROM audit_queue'
    const [queued] = await this.database.query<{ readonly last: number | null }>(sql)
    // Do not write if the queue is empty, so that a store on a full disk can still be read.
    const last = queued?.last ?? -Infinity
    for (let taken = -Infinity; taken < last;) taken = await this.chainStep()
    return this.memory.known
  }

  /** Throws where no row could be appended: a changed end of the chain, or a database that takes no writes. */
  async tryAppend(): Promise<void> {
    await this.chainQueued()
    await this.database.transaction(async (query) => {
      await this.lockHead(query)
      await query('UPDATE chain SET latest_time = latest_time')
    })
  }

  async readAudit(query: AuditQuery): Promise<readonly AuditRow[]> {
    // What cannot be chained, as on a full disk or after a changed end, is left in the queue.
    await this.chainQueued().catch(() => undefined)
    return readRows(this.database.query, query)
  }

  readGroups(page: PageQuery): Promise<readonly ReadableGroup[]> {
    return readPage(this.database.query, page)
  }

  async readUsage(wanted: UsageQuery): Promise<CountedUse & UsageCover> {
    await this.chainQueued().catch(() => undefined)
    const {
      counted_seq: counted,
      head_seq: head,
      counted_since: since,
    } = await readChain(this.database.query)
    return { isCounted: counted === head, since, ...(await readCounters(this.database.query, wanted)) }
  }

  async tidyAudit(now: number): Promise<boolean> {
    const isMore = await this.database.transaction(async (query) =>
      countLater(query, await this.lockHead(query)),
    )
    if (isMore) return true
    await removeOldCounters(this.database.query, now)
    await this.chainQueued()
    await this.database.reclaimQueue?.()
    return false
  }

  async chainEnds(): Promise<ChainEnds> {
    const queueFault = await this.chainQueued().then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    )
    const ends = endsOf(await readChain(this.database.query))
    const sql = 'SELECT id FROM audit_refused ORDER BY id LIMIT $1'
    const refused = await this.database.query<{ readonly id: number }>(sql, MOST_REFUSED)
    return { ...ends, queueFault, refused: refused.map(({ id }) => id) }
  }

  async removeRefused(): Promise<void> {
    await this.database.query('DELETE FROM audit_refused')
  }

  async pruneAudit(before: number, now: number): Promise<number> {
    await this.chainQueued()
    return this.database.transaction(async (query) => {
      const ends = await this.lockHead(query)
      const parts = await removeOldest(query, ends, before)
      if (parts === undefined) return 0
      const removed = (parts.at(-1)?.seq ?? 0) - ends.start.seq
      await this.link(query, ends, [retentionEntry(now, parts, removed).text])
      return removed
    })
  }

  /** Inside a transaction, which has the chain for itself from here on. */
  private async lockHead(query: Query): Promise<ChainEnds> {
    // A statement of its own: the next one sees what was committed while this one waited.
    if (this.database.isConcurrent) await query('SELECT 1 FROM chain FOR UPDATE')
    const chain = await readChain(query)
    await this.assertKnown(query, chain)
    const ends = endsOf(chain)
    assertHead(ends)
    return ends
  }

  /** Throws where the chain does not go on from what this process has seen. */
  private async assertKnown(query: Query, chain: ChainRow): Promise<void> {
    const { known } = this.memory
    if (known === undefined) return
    const { storeId, head } = known
    if (storeId !== chain.store_id) throw new ChainError(OTHER_STORE)
    // Rows that retention has removed cannot be compared.
    if (head.seq <= chain.start_seq) return
    const sql = 'SELECT last_seq AS "lastSeq", hash FROM audit WHERE last_seq = $1'
    const [group] = await query<Parameters<typeof endOf>[0]>(sql, head.seq)
    if (group === undefined || endOf(group).hash !== head.hash) throw new ChainError(OTHER_STORE)
  }

  private know({ storeId, inUse, start, head }: KnownChain): void {
    // Two calls may end in the other order.
    if (head.seq < (this.memory.known?.head.seq ?? 0)) return
    this.memory.known = { storeId, inUse, start, head }
  }

  /** Returns the number of the last entry of the queue that was taken; Infinity where the queue is empty. */
  private async chainStep(): Promise<number> {
    const { last, ...chain } = await this.database.transaction(async (query) => {
      const ends = await this.lockHead(query)
      let reached: Head = ends
      const entries = [...(await query<QueueRow>(TAKE_QUEUED))].sort((one, other) => one.id - other.id)
      const texts: string[] = []
      for (const { id, texts: lines, seal } of entries) {
        if (this.seal.fits(lines, seal)) texts.push(...lines.split('\n'))
        // Kept as evidence. "audit verify" names it.
        else await query('INSERT INTO audit_refused VALUES ($1, $2)', id, lines)
      }
      for (let at = 0; at < texts.length; at += ROWS_OF_A_GROUP) {
        reached = await this.link(query, reached, texts.slice(at, at + ROWS_OF_A_GROUP))
      }
      return { ...ends, ...reached, last: entries[entries.length - 1]?.id ?? Infinity }
    })
    // Only now: a transaction that is rolled back has moved nothing.
    this.know(chain)
    return last
  }

  /** Returns the new head. */
  private async link(query: Query, { head, countedSeq }: Head, texts: readonly string[]): Promise<Head> {
    const dictionary = await dictionaryFor(query, texts[0] ?? '')
    const linked = linkGroup(head, texts, dictionary.text)
    await insertGroup(query, linked, dictionary)
    const end = endOf(linked)
    // In their order: where rows before these are not counted yet, these are counted after them.
    const isCounted = countedSeq === head.seq
    if (isCounted) await addUsage(query, texts)
    const counted = isCounted ? end.seq : countedSeq
    await query(MOVE_HEAD, end.seq, end.hash, linked.lastAt, counted)
    return { head: end, countedSeq: counted }
  }

  private async recordUses(query: Query, uses: EntryGroup['uses']): Promise<void> {
    for (const [keyId, minute] of uses) {
      const before = this.uses.get(keyId) ?? -1
      this.uses.set(keyId, minute)
      try {
        await query(USE_KEY, minute, keyId)
      } catch {
        // The next answer records it again.
        this.uses.set(keyId, before)
      }
    }
  }
}

function keyOfRow(row: KeyRow): StoredKey {
  const { scopes, limits } = row
  return { ...row, scopes: JSON.parse(scopes) as string[], limits: JSON.parse(limits) as KeyLimits }
}

/** One statement, so that both ends are of the same moment. */
async function readChain(query: Query): Promise<ChainRow> {
  const [row] = await query<ChainRow>('SELECT *, (SELECT max(last_seq) FROM audit) AS last_seq FROM chain')
  return row as ChainRow
}

function endsOf(row: ChainRow): ChainEnds {
  return {
    start: { seq: row.start_seq, hash: row.start_hash },
    head: { seq: row.head_seq, hash: row.head_hash },
    storeId: row.store_id,
    inUse: row.secret_fingerprint,
    lastSeq: row.last_seq ?? row.start_seq,
    countedSeq: row.counted_seq,
    parts: readParts(row.parts),
  }
}
