/**
 * What came true of the risks, as counts by deployment digest, month of scoring, group, bin of risk and outcome; the same in SQLite and
 * PostgreSQL. Nothing else of an outcome is stored.
 */
import type { CellColumn, CountedCell, OutcomeStore, ScoredMonth, ServedState } from '@patient-risk/monitor'
import type { EntryGroup } from '../audit/audit-row.ts'
import { addRows } from '../audit/usage-counters.ts'
import type { Query, SqlDatabase, SqlValue } from '../sql.ts'
import { type PackedCells, unpackCells } from './packed-cells.ts'

/** What recognises a request: seals of its name and of its body. */
interface RequestSeals {
  readonly request: string
  readonly body: string
}

/** A request with outcomes. */
export interface OutcomeRequest extends RequestSeals {
  readonly deployment: string
  /** The same request by secrets that were in use before. */
  readonly earlier: readonly RequestSeals[]
  readonly cells: PackedCells
  readonly now: number
  /** The audit row of an answer that says "counted". It is stored where the outcomes are counted, and only there. */
  readonly row: EntryGroup
}

/**
 * A body may have 10,000 cells, and several bodies wait for each other. What is rolled back at the limit was done in vain, and its retry
 * would meet the same limit, so there is more time than for other calls.
 */
export const COUNT_LIMIT_MS = 5_000
/** For how long a repeated request is recognised. */
const REMEMBERED_MS = 24 * 3_600_000
/** PostgreSQL and SQLite keep `group` and `number` for themselves. */
const NAMES: Readonly<Record<CellColumn, string>> = {
  month: 'month',
  group: 'grp',
  bin: 'bin',
  flagged: 'flagged',
}
const NOTE_STATE = `INSERT INTO outcome_states VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (deployment, digest) DO NOTHING`
/** A request of a day ago is forgotten, even if its row is still there. */
const NOTE_REQUEST = `INSERT INTO outcome_requests VALUES ($1, $2, $3) ON CONFLICT (request)
  DO UPDATE SET body = excluded.body, at = excluded.at WHERE outcome_requests.at <= $4 RETURNING at`

/** Makes audit rows durable inside a transaction. */
type QueueRows = (query: Query, group: EntryGroup) => Promise<void>

export class SqlOutcomes implements OutcomeStore {
  private readonly database: SqlDatabase
  private readonly queueRows: QueueRows

  constructor(database: SqlDatabase, queueRows: QueueRows) {
    this.database = database
    this.queueRows = queueRows
  }

  async noteStates(states: readonly ServedState[]): Promise<void> {
    // In one order, so that two processes that start together never wait for each other.
    const inOrder = states.toSorted((a, b) => (a.deployment < b.deployment ? -1 : 1))
    await this.database.transaction(async (query) => {
      for (const { deployment, digest, model, output, threshold, centre } of inOrder)
        await query(NOTE_STATE, deployment, digest, model, output, threshold, centre)
    })
  }

  readStates(deployment: string): Promise<readonly ServedState[]> {
    return this.database.query('SELECT * FROM outcome_states WHERE deployment = $1', deployment)
  }

  /**
   * Counts the outcomes of a request, remembers the request, and queues its audit row: all of it or nothing. So the audit says "counted" of
   * exactly the outcomes that are in the counts, whatever fails.
   */
  countOutcomes(given: OutcomeRequest): Promise<'counted' | 'repeated' | 'conflict'> {
    const { deployment, request, body, earlier, cells, now, row } = given
    const oldest = now - REMEMBERED_MS
    return this.database.transaction(async (query) => {
      for (const other of earlier) {
        const kept = await bodyOf(query, other.request, oldest)
        if (kept !== undefined) return kept === other.body ? 'repeated' : 'conflict'
      }
      // First: the same request at the same time in another process waits here for the end of this one.
      if ((await query(NOTE_REQUEST, request, body, now, oldest)).length === 0)
        return (await bodyOf(query, request, oldest)) === body ? 'repeated' : 'conflict'
      const rows: SqlValue[][] = []
      for (const { digest, month, group, bin, flagged, outcome, number, units } of unpackCells(cells))
        rows.push([deployment, digest, month, group, bin, flagged, outcome, number, units])
      await addRows(query, 'outcomes', rows, this.database.rowsPerStatement)
      // Last: a lock on the queue is held for a moment only.
      await this.queueRows(query, row)
      return 'counted'
    }, COUNT_LIMIT_MS)
  }

  /** The counts of a state in some months, added up over the columns that are not named. */
  readOutcomes(
    deployment: string,
    digest: string,
    [first, last]: readonly [string, string],
    columns: readonly CellColumn[],
  ): Promise<readonly CountedCell[]> {
    const names = columns.map((column) => NAMES[column])
    const shown = columns.map((column) => `${NAMES[column]} AS "${column}"`)
    const sums = ['number', 'units'].map((name) => `CAST(sum(${name}) AS bigint) AS ${name}`)
    return this.database.query(
      `SELECT ${[...shown, 'outcome', ...sums].join(', ')} FROM outcomes
        WHERE deployment = $1 AND digest = $2 AND month BETWEEN $3 AND $4 GROUP BY ${[...names, 'outcome'].join(', ')}`,
      deployment,
      digest,
      first,
      last,
    )
  }

  /**
   * Patients that a state has scored, by month. Many systems score a list and then explain single patients of it, so the larger of the
   * two counts is taken.
   */
  readScored(deployment: string, digest: string): Promise<readonly ScoredMonth[]> {
    return this.database.query(
      `SELECT month, CASE WHEN explained > scored THEN explained ELSE scored END AS scored FROM scored_months
        WHERE deployment = $1 AND digest = $2 ORDER BY month`,
      deployment,
      digest,
    )
  }

  async forgetRequests(now: number): Promise<void> {
    await this.database.write('DELETE FROM outcome_requests WHERE at <= $1', now - REMEMBERED_MS)
  }
}

/** The seal of the body that a request had; undefined where none is remembered. */
async function bodyOf(query: Query, request: string, oldest: number): Promise<string | undefined> {
  const sql = 'SELECT body FROM outcome_requests WHERE request = $1 AND at > $2'
  const [kept] = await query<{ readonly body: string }>(sql, request, oldest)
  return kept?.body
}
