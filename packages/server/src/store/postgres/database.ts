/**
 * PostgreSQL with a time limit on everything: waiting for a connection, every statement at the server and at this end, every lock, and
 * every transaction as a whole.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { QueueRow } from '../audit/audit-row.ts'
import { ChainError } from '../audit/write-groups.ts'
import { withinLimit, LateError, StoreError } from '@patient-risk/runtime'
import type { Query, SqlDatabase, SqlValue } from '../sql.ts'

const CONNECT_LIMIT_MS = 500
const STATEMENT_LIMIT_MS = 700
/** Beyond the server's own limit: reached only when the server does not answer at all. */
const ANSWER_LIMIT_MS = 800
const LIMIT_MS = 1_000
const PAUSE_MS = 500
/** Only a command waits for it, and no writer does. */
const SNAPSHOT_LIMIT_MS = 60_000
/** How much longer this end waits than the server works. */
const MARGIN_MS = ANSWER_LIMIT_MS - STATEMENT_LIMIT_MS
const MOST_CONNECTIONS = 10

const RECLAIM = { bytes: 64 * 1024 * 1024, lockMs: 50, tries: 5, pauseMs: 100, queued: 100 }

const IDLE_LIMIT_MS = 2_000

const sessionOf = (limitFactor: number): readonly string[] => [
  `statement_timeout=${limitFactor * STATEMENT_LIMIT_MS}`,
  `lock_timeout=${limitFactor * STATEMENT_LIMIT_MS}`,
  `idle_in_transaction_session_timeout=${limitFactor * IDLE_LIMIT_MS}`,
  // A server may be set up to acknowledge before it has written; an audit row must not be lost.
  'synchronous_commit=on',
]

export class PostgresDatabase implements SqlDatabase {
  readonly isConcurrent = true
  readonly rowsPerStatement = 100
  private readonly pool: pg.Pool
  private readonly limitFactor: number
  private closedUntil = 0

  constructor(url: string, limitFactor = 1) {
    this.limitFactor = limitFactor
    const types = new pg.TypeOverrides()
    // Times and counts lie far below 2^53, so that a number holds them.
    types.setTypeParser(pg.types.builtins.INT8, Number)
    this.pool = new pg.Pool({
      connectionString: url,
      max: MOST_CONNECTIONS,
      connectionTimeoutMillis: limitFactor * CONNECT_LIMIT_MS,
      query_timeout: limitFactor * ANSWER_LIMIT_MS,
      keepAlive: true,
      application_name: 'patient-risk',
      options: sessionOf(limitFactor)
        .map((setting) => `-c ${setting}`)
        .join(' '),
      types,
    })
    // A connection that breaks while nobody uses it is replaced; a caller that uses one gets the error.
    this.pool.on('error', () => undefined)
  }

  readonly query: Query = <Row>(text: string, ...values: readonly SqlValue[]) =>
    this.inTime(new TimedCall(), () => this.connected((query) => query<Row>(text, ...values)))

  readonly write: Query = <Row>(text: string, ...values: readonly SqlValue[]) => {
    const call = new TimedCall()
    const send = (query: Query): Promise<readonly Row[]> => {
      // The statement commits by itself.
      call.beginCommit()
      return query<Row>(text, ...values)
    }
    return this.inTime(call, () => this.connected(send))
  }

  transaction<T>(work: (query: Query) => Promise<T>, limitMs = LIMIT_MS): Promise<T> {
    const call = new TimedCall()
    const watched = async (query: Query): Promise<T> => {
      call.isWaiting = false
      const result = await work(async (...statement) => {
        call.assertWanted()
        call.isWaiting = true
        const rows = await query(...statement)
        call.isWaiting = false
        return rows as never[]
      })
      call.beginCommit()
      return result
    }
    return this.inTime(call, () => this.longTransaction(watched), limitMs)
  }

  snapshot<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
    const snapshot = (): Promise<T> => this.longTransaction(work, { begin, statementMs: SNAPSHOT_LIMIT_MS })
    return this.inTime(new TimedCall(), snapshot, SNAPSHOT_LIMIT_MS)
  }

  /** Without a limit on the whole, and with the server's own errors. `statementMs` is the limit of a statement, where it is another one. */
  longTransaction<T>(
    work: (query: Query) => Promise<T>,
    { begin = 'BEGIN', statementMs }: { readonly begin?: string; readonly statementMs?: number } = {},
  ): Promise<T> {
    return this.connected(async (query) => {
      await query(begin)
      if (statementMs !== undefined) await query(`SET LOCAL statement_timeout = ${statementMs}`)
      try {
        const result = await work(query)
        await query('COMMIT')
        return result
      } catch (error) {
        await query('ROLLBACK').catch(() => undefined)
        throw error
      }
    }, statementMs)
  }

  /**
   * Makes the file of the queue small again: deleted rows leave their room, and nothing is vacuumed when nobody writes any more. Appends
   * wait as long as this waits for its lock, and the few milliseconds that it then takes. The rows that are queued stay.
   */
  async reclaimQueue(): Promise<void> {
    const size = "SELECT pg_total_relation_size('audit_queue') AS bytes"
    for (let tries = 0; tries < RECLAIM.tries; tries++) {
      const [queue] = await this.query<{ readonly bytes: number }>(size)
      if (queue === undefined || queue.bytes < RECLAIM.bytes) return
      // Where the lock is not free, the next try or the next hour finds a better moment.
      await this.transaction(emptyQueue).catch(() => undefined)
      await sleep(RECLAIM.pauseMs)
    }
  }

  close(): Promise<void> {
    return this.pool.end()
  }

  /**
   * Every call to the server must end in time. After a call that got no answer the next ones are refused at once for a moment, so that
   * one request never waits for a silent server twice.
   */
  private async inTime<T>(call: TimedCall, work: () => Promise<T>, limitMs = LIMIT_MS): Promise<T> {
    if (performance.now() < this.closedUntil) throw new StoreError('PostgreSQL did not answer a moment ago')
    const working = work()
    try {
      try {
        return await withinLimit(working, this.limitFactor * limitMs, 'PostgreSQL did not answer in time')
      } catch (error) {
        // A commit that was sent cannot be taken back. Its answer, or the lack of one, ends this wait within ANSWER_LIMIT_MS.
        if (call.giveUp()) throw error
        return await working
      }
    } catch (error) {
      if (error instanceof ChainError) throw error
      // A transaction that was slow at this end says nothing about the server.
      if (error instanceof StoreError && !call.isWaiting) throw error
      // The server's code for the kind of error. Its text may quote a row, so it goes no further.
      if (error instanceof pg.DatabaseError) throw new StoreError(`PostgreSQL ${error.code ?? 'error'}`)
      this.closedUntil = performance.now() + PAUSE_MS
      throw error instanceof StoreError ? error : new StoreError('PostgreSQL did not answer')
    }
  }

  /** A connection on which an answer did not come is thrown away, for the answer may come later. */
  private async connected<T>(work: (query: Query) => Promise<T>, statementMs?: number): Promise<T> {
    const client = await this.pool.connect()
    let isBroken = false
    const onError = (): void => {
      isBroken = true
    }
    client.on('error', onError)
    try {
      return await work(async (text, ...values) => {
        if (isBroken) throw new Error('the connection is broken')
        try {
          const asked =
            statementMs === undefined
              ? client.query(text, [...values])
              : client.query({
                  text,
                  values: [...values],
                  query_timeout: statementMs + MARGIN_MS,
                } as pg.QueryConfig)
          return (await asked).rows as never[]
        } catch (error) {
          if (!(error instanceof pg.DatabaseError)) isBroken = true
          throw error
        }
      })
    } finally {
      client.off('error', onError)
      client.release(isBroken)
    }
  }
}

/** Either the caller gives up first, and nothing is committed, or the commit was sent first, and its answer counts. */
class TimedCall {
  /** Whether the server has been asked for something, a connection too, and has not answered yet. */
  isWaiting = true
  private isGivenUp = false
  private isCommitting = false

  /** Throws where the caller has given up. */
  assertWanted(): void {
    if (this.isGivenUp) throw new LateError()
  }

  /** Call it right before what commits is sent. Throws where the caller has given up. */
  beginCommit(): void {
    this.assertWanted()
    this.isCommitting = true
    this.isWaiting = true
  }

  /** Whether the caller may give up: not where the commit was sent. */
  giveUp(): boolean {
    this.isGivenUp = !this.isCommitting
    return this.isGivenUp
  }
}

async function emptyQueue(query: Query): Promise<void> {
  await query(`SET LOCAL lock_timeout = ${RECLAIM.lockMs}`)
  await query('LOCK TABLE audit_queue IN ACCESS EXCLUSIVE MODE')
  const queued = await query<QueueRow>(`SELECT id, texts, seal FROM audit_queue LIMIT ${RECLAIM.queued + 1}`)
  // Many rows mean that they cannot be chained; to copy them would take too long.
  if (queued.length > RECLAIM.queued) return
  await query('TRUNCATE audit_queue')
  for (const { id, texts, seal } of queued)
    await query('INSERT INTO audit_queue VALUES ($1, $2, $3)', id, texts, seal)
}
