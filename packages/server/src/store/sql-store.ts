/** What is stored, keys, outcomes and the audit chain, the same in SQLite and PostgreSQL. */
import { type Differences, acceptChanges } from './audit/accept-changes.ts'
import type {
  AuditEntry,
  AuditRow,
  ChainEnds,
  ChainPoint,
  EntryGroup,
  KnownChain,
  QueueRow,
  QueueRows,
} from './audit/audit-row.ts'
import type {
  Alarm,
  CellColumn,
  CountedCell,
  OutcomeCell,
  ScoredColumn,
  ScoredCount,
  ScoredMonth,
  ServedState,
  ShadowCounts,
} from '@patient-risk/monitor'
import { removeOldest, retentionEntry } from './audit/dropped-parts.ts'
import { type AuditPage, type ListedRows, listRows } from './audit/list-rows.ts'
import type { QueueSeal } from '@patient-risk/runtime'
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
  countSome,
  readCounters,
  removeOldCounters,
} from './audit/usage-counters.ts'
import {
  ChainError,
  type ChainRow,
  assertHead,
  dictionaryFor,
  endOf,
  endsOf,
  insertGroup,
  linkGroup,
  readChain,
} from './audit/write-groups.ts'
import { type StoredTotals, readTotals } from './audit/stored-totals.ts'
import { SqlAlarms } from './sql-alarms.ts'
import type { Insertion, JobEnd, JobStep, ListedJob, NewJob, StoredJob } from './jobs/stored-job.ts'
import { SqlJobs } from './jobs/sql-jobs.ts'
import { SqlKeys } from './keys/sql-keys.ts'
import type { StoredKey } from './keys/stored-key.ts'
import { type ScoredRisks, isScoredLine, mergeScored, scoredOf } from './outcomes/scored-risks.ts'
import type { ReceiptSerials } from './outcomes/sql-receipts.ts'
import { type CountedAs, type OutcomeRequest, SqlOutcomes } from './outcomes/sql-outcomes.ts'
import type { Query, SqlDatabase } from './sql.ts'

const USE_KEY =
  'UPDATE keys SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)'
/** A number beyond what a number holds here can only be forged; the entry is taken like others. */
const SAFE_ID = `CASE WHEN id > ${Number.MAX_SAFE_INTEGER} THEN ${Number.MAX_SAFE_INTEGER} ELSE id END`
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
  ) RETURNING ${SAFE_ID} AS id, texts, seal`
/** Only into the store that this process knows: another one, or an older state of it, takes no row. */
const QUEUE = `INSERT INTO audit_queue (texts, seal)
  SELECT $1, $2 FROM chain WHERE store_id = $3 AND head_seq >= $4 AND coalesce(secret_fingerprint, '') = $5 RETURNING 1`
const MOST_REFUSED = 100
/** Answers wait for it. An operator asks for it, once. */
const ACCEPT_LIMIT_MS = 60_000
const ROWS_OF_A_GROUP = 1_000
const MOVE_HEAD = `UPDATE chain SET head_seq = $1, head_hash = $2,
  latest_time = CASE WHEN latest_time > $3 THEN latest_time ELSE $3 END`

/** What a process remembers of its store, also when the database is opened again. */
export interface StoreMemory {
  /** The highest head that it has seen. */
  known?: KnownChain
}

const OTHER_STORE =
  'the database is not the one that this process has written to, or an older state of it; see "Store and anchor" in docs/storage.md'

/** The audit chain, and beside it the tables of keys, alarms and outcomes. */
export class SqlStore<Database extends SqlDatabase = SqlDatabase> {
  protected readonly database: Database
  private readonly keys: SqlKeys
  private readonly alarms: SqlAlarms
  private readonly outcomes: SqlOutcomes
  private readonly jobs: SqlJobs
  /** Keys and the minute of their last use, as far as this process has recorded it. */
  private readonly uses = new Map<string, number>()
  private readonly seal: QueueSeal
  private readonly memory: StoreMemory

  constructor(database: Database, seal: QueueSeal, memory: StoreMemory = {}) {
    this.database = database
    const queueRows: QueueRows = (query, group) => this.queueRows(query, group)
    this.keys = new SqlKeys(database, seal, queueRows)
    this.alarms = new SqlAlarms(database)
    this.outcomes = new SqlOutcomes(database, queueRows)
    this.jobs = new SqlJobs(database, queueRows)
    this.seal = seal
    this.memory = memory
  }

  findKey(id: string): Promise<StoredKey | undefined> {
    return this.keys.findKey(id)
  }

  listKeys(): Promise<readonly StoredKey[]> {
    return this.keys.listKeys()
  }

  insertKey(key: StoredKey, oldEndsAt?: number, row?: EntryGroup): Promise<void> {
    return this.keys.insertKey(key, oldEndsAt, row)
  }

  revokeKey(id: string, at: number, row?: EntryGroup): Promise<boolean> {
    return this.keys.revokeKey(id, at, row)
  }

  revokeSpareKey(id: string, at: number, latest: number, row?: EntryGroup): Promise<boolean> {
    return this.keys.revokeSpareKey(id, at, latest, row)
  }

  secretFingerprint(own: string): Promise<string> {
    return this.keys.secretFingerprint(own)
  }

  replaceSecret(from: string, to: string): Promise<boolean> {
    return this.keys.replaceSecret(from, to)
  }

  moveDigest(id: string, digest: Uint8Array, secretFingerprint: string): Promise<void> {
    return this.keys.moveDigest(id, digest, secretFingerprint)
  }

  readAlarms(): Promise<readonly Alarm[]> {
    return this.alarms.readAlarms()
  }

  writeAlarm(alarm: Alarm): Promise<void> {
    return this.alarms.writeAlarm(alarm)
  }

  noteStates(states: readonly ServedState[]): Promise<void> {
    return this.outcomes.noteStates(states)
  }

  readStates(deployment: string): Promise<readonly ServedState[]> {
    return this.outcomes.readStates(deployment)
  }

  countOutcomes(given: OutcomeRequest): Promise<CountedAs> {
    return this.outcomes.countOutcomes(given)
  }

  /** Adds some of the counts that wait. Returns whether there may be more. */
  addQueuedOutcomes(): Promise<boolean> {
    return this.outcomes.addQueued()
  }

  readOutcomes(
    deployment: string,
    digest: string,
    months: readonly [first: string, last: string],
    columns: readonly CellColumn[],
    group?: string,
  ): Promise<readonly CountedCell[]> {
    return this.outcomes.readOutcomes(deployment, digest, months, columns, group)
  }

  readScored(deployment: string, digest: string): Promise<readonly ScoredMonth[]> {
    return this.outcomes.readScored(deployment, digest)
  }

  readScoredRisks(
    deployment: string,
    digest: string,
    months: readonly [first: string, last: string],
    columns: readonly ScoredColumn[],
    group?: string,
  ): Promise<readonly ScoredCount[]> {
    return this.outcomes.readScoredRisks(deployment, digest, months, columns, group)
  }

  readCells(deployment: string, cells: readonly OutcomeCell[]): Promise<readonly number[]> {
    return this.outcomes.readCells(deployment, cells)
  }

  reserveReceipts(deployment: string, digest: string, month: string, count: number): Promise<number> {
    return this.outcomes.reserveReceipts(deployment, digest, month, count)
  }

  readReceived(deployment: string, receipts: readonly ReceiptSerials[]): Promise<readonly ReceiptSerials[]> {
    return this.outcomes.readReceived(deployment, receipts)
  }

  readShadow(deployment: string, digest: string, shadow: string): Promise<ShadowCounts> {
    return this.outcomes.readShadow(deployment, digest, shadow)
  }

  insertJob(job: NewJob): Promise<Insertion> {
    return this.jobs.insertJob(job)
  }

  findJob(id: string): Promise<StoredJob | undefined> {
    return this.jobs.findJob(id)
  }

  claimJob(
    digests: readonly string[],
    now: number,
    leaseUntil: number,
    lastOwner = '',
  ): Promise<StoredJob | undefined> {
    return this.jobs.claimJob(digests, now, leaseUntil, lastOwner)
  }

  claimLostJob(waitedSince: number, now: number, leaseUntil: number): Promise<StoredJob | undefined> {
    return this.jobs.claimLostJob(waitedSince, now, leaseUntil)
  }

  stepJob(step: JobStep): Promise<boolean> {
    return this.jobs.stepJob(step)
  }

  releaseJob(id: string, fence: number): Promise<void> {
    return this.jobs.releaseJob(id, fence)
  }

  endJob(end: JobEnd): Promise<boolean> {
    return this.jobs.endJob(end)
  }

  removeJob(id: string): Promise<boolean> {
    return this.jobs.removeJob(id)
  }

  removeExpiredJobs(now: number): Promise<readonly Pick<StoredJob, 'id' | 'deployment' | 'state'>[]> {
    return this.jobs.removeExpiredJobs(now)
  }

  listJobs(): Promise<readonly ListedJob[]> {
    return this.jobs.listJobs()
  }

  /** The latest time in the chain: a clock set back does not set it back. */
  async latestTime(): Promise<number> {
    return (await readChain(this.database.query)).latest_time
  }

  /** Makes rows durable, at least one. `chainQueued` gives them their place in the chain. */
  async appendGroup(group: EntryGroup): Promise<void> {
    // Together in SQLite, so that one call waits only once for a lock of another process.
    if (!this.database.isConcurrent) await this.database.transaction((query) => this.queueRows(query, group))
    else await this.queueRows(this.database.write, group)
  }

  private async queueRows(query: Query, { texts, uses }: EntryGroup): Promise<void> {
    if (this.memory.known === undefined) this.rememberHead(endsOf(await readChain(query)))
    if (!(await this.insertSealed(query, texts))) {
      // Another secret may be in use since the last row. Everything else stays refused.
      const { storeId, inUse } = endsOf(await readChain(query))
      const known = this.memory.known as KnownChain
      if (storeId === known.storeId) this.memory.known = { ...known, inUse }
      if (!(await this.insertSealed(query, texts))) throw new ChainError(OTHER_STORE)
    }
    const due = uses.filter(([keyId, minute]) => (this.uses.get(keyId) ?? -1) < minute)
    // In PostgreSQL another process may hold a key's row; answers do not wait for it.
    if (this.database.isConcurrent) void this.recordUses(this.database.write, due)
    else await this.recordUses(query, due)
  }

  /**
   * Moves the rows that are queued to the end of the chain; those that arrive meanwhile are left to the next call. Returns the chain as
   * far as this process knows it.
   */
  async chainQueued(): Promise<KnownChain | undefined> {
    const sql = `SELECT max(${SAFE_ID}) AS last FROM audit_queue`
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

  /** A page of the audit for an administrator. */
  listAudit(wanted: ListedRows): Promise<AuditPage> {
    return listRows(this.database.query, wanted)
  }

  /** Groups of rows as they are stored, a page of them; for readers of the whole chain. Rows in the queue are not chained first. */
  readGroups(page: PageQuery): Promise<readonly ReadableGroup[]> {
    return readPage(this.database.query, page)
  }

  async readUsage(wanted: UsageQuery): Promise<CountedUse> {
    const { counted_since: since } = await readChain(this.database.query)
    return { since, ...(await readCounters(this.database.query, wanted)) }
  }

  /** Counts some thousand rows that the counters of use lack. Returns whether there may be more; call it until that is false. */
  async countRows(): Promise<boolean> {
    await this.chainQueued()
    await this.outcomes.settleScored()
    const { counted_seq: counted, head_seq: head } = await readChain(this.database.query)
    if (counted === head) return false
    return this.database.transaction(async (query) => countSome(query, await this.lockHead(query)))
  }

  /** Removes counters of more than 400 days ago and requests whose months are over, and gives back free room of the queue. */
  async tidyAudit(now: number): Promise<void> {
    await removeOldCounters(this.database.write, now)
    await this.outcomes.forgetRequests(now)
    // Usually nothing: they are added soon after their request. A process that ended meanwhile has left them.
    while (await this.outcomes.addQueued());
    await this.chainQueued()
    await this.database.reclaimQueue?.()
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

  /** What the chain must agree with. */
  readTotals(): Promise<StoredTotals> {
    return this.database.snapshot((query) => readTotals(query, this.seal, !this.database.isConcurrent))
  }

  /**
   * Takes counts and keys as they are where they differ from what the chain knows, and appends a row that says so, both or neither. An
   * operator asks for it.
   */
  async acceptChanges(differences: Differences, row: AuditEntry): Promise<void> {
    await this.chainQueued()
    await this.database.transaction(async (query) => {
      await this.outcomes.haveAlone(query)
      const ends = await this.lockHead(query)
      await acceptChanges(query, this.seal, differences)
      await this.link(query, ends.head, [row.text])
    }, ACCEPT_LIMIT_MS)
  }

  /** Forgets the entries of the queue that this service did not write. */
  async removeRefused(): Promise<void> {
    await this.database.write('DELETE FROM audit_refused')
  }

  /**
   * Removes rows before a time, at most some thousand, and records that in the chain itself. Rows that were chained together go
   * together, when all of them are due. Returns how many were removed; call it until that is 0.
   */
  async pruneAudit(before: number, now: number): Promise<number> {
    await this.chainQueued()
    return this.database.transaction(async (query) => {
      const ends = await this.lockHead(query)
      const parts = await removeOldest(query, ends, before, this.seal)
      if (parts === undefined) return 0
      const removed = (parts.at(-1)?.seq ?? 0) - ends.start.seq
      await this.link(query, ends.head, [retentionEntry(now, parts, removed).text])
      return removed
    })
  }

  /** Whether the store took the rows: not where it is another one, an older state, or uses another secret. */
  private async insertSealed(query: Query, texts: string): Promise<boolean> {
    const { storeId, head, inUse } = this.memory.known as KnownChain
    const seal = this.seal.make(texts, inUse)
    return (await query(QUEUE, texts, seal, storeId, head.seq, inUse ?? '')).length > 0
  }

  /** Inside a transaction, which has the chain for itself from here on. */
  private async lockHead(query: Query): Promise<ChainEnds> {
    // A statement of its own: the next one sees what was committed while this one waited.
    if (this.database.isConcurrent) await query('SELECT 1 FROM chain FOR UPDATE')
    const chain = await readChain(query)
    await this.assertKnown(query, chain)
    const ends = endsOf(chain)
    assertHead(ends)
    // It could not tell the rows of others from forged ones.
    if (!this.seal.knows(ends.inUse)) throw new ChainError('this process does not have the key secret in use')
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

  private rememberHead({ storeId, inUse, start, head }: KnownChain): void {
    // Two calls may end in the other order.
    if (head.seq < (this.memory.known?.head.seq ?? 0)) return
    this.memory.known = { storeId, inUse, start, head }
  }

  /** Returns the number of the last entry of the queue that was taken; Infinity where the queue is empty. */
  private async chainStep(): Promise<number> {
    const { last, ...chain } = await this.database.transaction(async (query) => {
      const ends = await this.lockHead(query)
      let { head } = ends
      const entries = [...(await query<QueueRow>(TAKE_QUEUED))].sort((one, other) => one.id - other.id)
      const texts: string[] = []
      const scored: ScoredRisks[] = []
      for (const { id, texts: lines, seal } of entries) {
        if (this.seal.fits(lines, seal)) {
          for (const line of lines.split('\n')) {
            if (isScoredLine(line)) scored.push(scoredOf(line))
            else texts.push(line)
          }
        }
        // Kept as evidence. "audit verify" names it.
        else await query('INSERT INTO audit_refused VALUES ($1, $2)', id, lines)
      }
      for (let at = 0; at < texts.length; at += ROWS_OF_A_GROUP) {
        head = await this.link(query, head, texts.slice(at, at + ROWS_OF_A_GROUP))
      }
      // In the transaction that takes them from the queue: each is counted once.
      await this.outcomes.addScored(query, mergeScored(scored))
      return { ...ends, head, last: entries[entries.length - 1]?.id ?? Infinity }
    })
    // Only now: a transaction that is rolled back has moved nothing.
    this.rememberHead(chain)
    return last
  }

  /** Returns the new head. */
  private async link(query: Query, head: ChainPoint, texts: readonly string[]): Promise<ChainPoint> {
    const dictionary = await dictionaryFor(query, texts[0] ?? '')
    const linked = linkGroup(head, texts, dictionary.text)
    await insertGroup(query, linked, dictionary)
    const end = endOf(linked)
    await query(MOVE_HEAD, end.seq, end.hash, linked.lastAt)
    return end
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
