/** Jobs, the same in SQLite and PostgreSQL: which there are, who works on each, and how far it has come. */
import type { EntryGroup } from '../audit/audit-row.ts'
import type { Query, SqlDatabase } from '../sql.ts'
import type { Insertion, JobEnd, JobStep, ListedJob, NewJob, StoredJob } from './stored-job.ts'

const COLUMNS = `id, deployment, digest, owner, key_id AS "keyId", request, body, state, created_at AS "createdAt",
  expires_at AS "expiresAt", lease_until AS "leaseUntil", fence, tries, sealed_key AS "sealedKey", bytes, records, done, facts,
  checkpoint, answer`
const INSERT = `INSERT INTO jobs
  (id, deployment, digest, owner, key_id, request, body, state, created_at, expires_at, lease_until, fence, tries, sealed_key, bytes,
   records, done, facts)
  VALUES ($1, $2, $3, $4, $5, $6, $7, 'waiting', $8, $9, 0, 0, 0, $10, $11, $12, 0, $13)`
const STEP = `UPDATE jobs SET lease_until = $1, expires_at = $2 WHERE id = $3 AND fence = $4 AND state = 'running' RETURNING id`
const STEP_ON = `UPDATE jobs SET lease_until = $1, expires_at = $2, done = $5, records = $6, checkpoint = $7, tries = 0
  WHERE id = $3 AND fence = $4 AND state = 'running' RETURNING id`
const END = `UPDATE jobs SET state = $1, expires_at = $2, bytes = $3, done = $4, answer = $5, checkpoint = NULL, lease_until = 0
  WHERE id = $6 AND fence = $7 AND state = 'running' RETURNING id`
const OPEN_STATES = `state IN ('waiting', 'running')`

type QueueRows = (query: Query, group: EntryGroup) => Promise<void>

export class SqlJobs {
  private readonly database: SqlDatabase
  private readonly queueRows: QueueRows

  constructor(database: SqlDatabase, queueRows: QueueRows) {
    this.database = database
    this.queueRows = queueRows
  }

  insertJob({ room, requests, row, ...job }: NewJob): Promise<Insertion> {
    return this.database.transaction(async (query) => {
      // One after the other, so that two at once cannot both take the last room.
      if (this.database.isConcurrent) await query('LOCK TABLE jobs IN SHARE ROW EXCLUSIVE MODE')
      for (const request of requests) {
        // One whose time is over is gone for its owner, also where it was not removed yet.
        await query('DELETE FROM jobs WHERE request = $1 AND expires_at <= $2', request, job.createdAt)
        const known = await this.byRequest(query, request)
        if (known !== undefined) return { kind: 'known', job: known }
      }
      const [used] = await query<{ readonly jobs: number; readonly bytes: number }>(
        'SELECT count(*) AS jobs, coalesce(sum(bytes), 0) AS bytes FROM jobs WHERE owner = $1',
        job.owner,
      )
      if (Number(used?.jobs) >= room.jobs || Number(used?.bytes) + job.bytes > room.bytes)
        return { kind: 'owner-full' }
      const [all] = await query<{ readonly bytes: number }>(
        'SELECT coalesce(sum(bytes), 0) AS bytes FROM jobs',
      )
      if (Number(all?.bytes) + job.bytes > room.totalBytes) return { kind: 'full' }
      const { id, deployment, digest, owner, keyId, body, createdAt, expiresAt } = job
      const who = [
        id,
        deployment,
        digest,
        owner,
        keyId,
        requests[0] ?? null,
        body,
        createdAt,
        expiresAt,
      ] as const
      await query(INSERT, ...who, job.sealedKey, job.bytes, job.records, job.facts)
      await this.queueRows(query, row)
      return { kind: 'new' }
    })
  }

  async findJob(id: string): Promise<StoredJob | undefined> {
    const [job] = await this.database.query<StoredJob>(`SELECT ${COLUMNS} FROM jobs WHERE id = $1`, id)
    return job
  }

  /**
   * A job that nobody works on, of these states of deployments; it is this worker's until the lease is over. Owners take turns: the next
   * one after `lastOwner` that has a job, and its oldest.
   */
  async claimJob(
    digests: readonly string[],
    now: number,
    leaseUntil: number,
    lastOwner = '',
  ): Promise<StoredJob | undefined> {
    const list = digests.map((_digest, place) => `$${place + 4}`).join(', ')
    const free = `${OPEN_STATES} AND lease_until <= $1`
    const inTurn = 'CASE WHEN owner > $3 THEN 0 ELSE 1 END, owner, created_at, id'
    const [job] = await this.database.write<StoredJob>(
      `UPDATE jobs SET state = 'running', fence = fence + 1, tries = tries + 1, lease_until = $2
       WHERE id = (SELECT id FROM jobs WHERE ${free} AND digest IN (${list}) ORDER BY ${inTurn} LIMIT 1) AND ${free}
       RETURNING ${COLUMNS}`,
      now,
      leaseUntil,
      lastOwner,
      ...digests,
    )
    return job
  }

  /** Takes a job that no instance can answer, since none serves its state of the deployment, to end it. */
  async claimLostJob(waitedSince: number, now: number, leaseUntil: number): Promise<StoredJob | undefined> {
    const free = `${OPEN_STATES} AND lease_until <= $1 AND created_at <= $3`
    const [job] = await this.database.write<StoredJob>(
      `UPDATE jobs SET state = 'running', fence = fence + 1, lease_until = $2
       WHERE id = (SELECT id FROM jobs WHERE ${free} ORDER BY created_at, id LIMIT 1) AND ${free} RETURNING ${COLUMNS}`,
      now,
      leaseUntil,
      waitedSince,
    )
    return job
  }

  /** Keeps the lease, and notes how far the job has come. False where another worker has it, or it is gone. */
  async stepJob({ id, fence, leaseUntil, expiresAt, progress }: JobStep): Promise<boolean> {
    const own = [leaseUntil, expiresAt, id, fence] as const
    const rows =
      progress === undefined
        ? await this.database.write(STEP, ...own)
        : await this.database.write(STEP_ON, ...own, progress.done, progress.records, progress.checkpoint)
    return rows.length > 0
  }

  /** Gives a job back at a stop, so that another instance takes it at once. */
  async releaseJob(id: string, fence: number): Promise<void> {
    const sql = `UPDATE jobs SET lease_until = 0, tries = 0 WHERE id = $1 AND fence = $2 AND state = 'running'`
    await this.database.write(sql, id, fence)
  }

  /** Publishes what came of a job. False, and nothing is stored, where another worker has it, or it is gone. */
  endJob({ id, fence, state, expiresAt, bytes, done, answer, row }: JobEnd): Promise<boolean> {
    return this.database.transaction(async (query) => {
      const ended = await query(END, state, expiresAt, bytes, done, answer, id, fence)
      if (ended.length > 0) await this.queueRows(query, row)
      return ended.length > 0
    })
  }

  /** Returns whether it was there. Its key is gone with it. */
  async removeJob(id: string): Promise<boolean> {
    return (await this.database.write('DELETE FROM jobs WHERE id = $1 RETURNING id', id)).length > 0
  }

  /** Removes the jobs whose time is over, and returns them. */
  removeExpiredJobs(now: number): Promise<readonly Pick<StoredJob, 'id' | 'deployment' | 'state'>[]> {
    return this.database.write('DELETE FROM jobs WHERE expires_at <= $1 RETURNING id, deployment, state', now)
  }

  listJobs(): Promise<readonly ListedJob[]> {
    return this.database.query('SELECT id, state, owner, bytes FROM jobs')
  }

  private async byRequest(query: Query, request: string): Promise<StoredJob | undefined> {
    const [job] = await query<StoredJob>(`SELECT ${COLUMNS} FROM jobs WHERE request = $1`, request)
    return job
  }
}
