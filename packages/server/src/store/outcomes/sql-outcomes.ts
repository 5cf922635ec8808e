/**
 * What came true of the risks, as counts by deployment digest, month of scoring, group, bin of risk and kind; the same in SQLite and
 * PostgreSQL. Nothing else of an outcome is stored. Sums over groups and over bins are kept while counting, so that figures are read from
 * a few rows.
 */
import type { CellColumn, CountedCell, OutcomeStore, ScoredMonth, ServedState } from '@patient-risk/monitor'
import type { EntryGroup } from '../audit/audit-row.ts'
import { addRows } from '../audit/usage-counters.ts'
import type { Query, SqlDatabase, SqlValue } from '../sql.ts'
import { type PackedOutcomes, unpackCells } from './packed-cells.ts'

/** What recognises a request: seals of its name and of its body. */
interface RequestSeals {
  readonly request: string
  readonly body: string
}

/** A request with outcomes. */
export interface OutcomeRequest extends RequestSeals {
  readonly deployment: string
  /** The same request by secrets, and by a key id, that were in use before. */
  readonly earlier: readonly RequestSeals[]
  readonly cells: PackedOutcomes
  readonly now: number
  /** Until then a repeat is recognised: as long as outcomes of its months are accepted. */
  readonly keptUntil: number
  /** The audit row of an answer that says "counted". It is stored where the outcomes are counted, and only there. */
  readonly row: EntryGroup
}

/**
 * Several bodies wait for each other. What is rolled back at the limit was done in vain, and its retry would meet the same limit, so there
 * is more time than for other calls.
 */
export const COUNT_LIMIT_MS = 5_000
/** PostgreSQL and SQLite keep `group` and `number` for themselves. */
const NAMES: Readonly<Record<CellColumn, string>> = {
  month: 'month',
  group: 'grp',
  bin: 'bin',
  flagged: 'flagged',
}
const NOTE_STATE = `INSERT INTO outcome_states VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (deployment, digest) DO NOTHING`
/** A request whose time is over is forgotten, even if its row is still there. */
const NOTE_REQUEST = `INSERT INTO outcome_requests VALUES ($1, $2, $3) ON CONFLICT (request)
  DO UPDATE SET body = excluded.body, kept_until = excluded.kept_until WHERE outcome_requests.kept_until <= $4
  RETURNING kept_until`
const FIND_DIGEST = 'SELECT id FROM outcome_digests WHERE deployment = $1 AND digest = $2'
const ADD_DIGEST = 'INSERT INTO outcome_digests (deployment, digest) VALUES ($1, $2) ON CONFLICT DO NOTHING'

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
    const { deployment, request, body, earlier, cells, now, keptUntil, row } = given
    return this.database.transaction(async (query) => {
      for (const other of earlier) {
        const kept = await bodyOf(query, other.request, now)
        if (kept !== undefined) return kept === other.body ? 'repeated' : 'conflict'
      }
      // First: the same request at the same time in another process waits here for the end of this one.
      if ((await query(NOTE_REQUEST, request, body, keptUntil, now)).length === 0)
        return (await bodyOf(query, request, now)) === body ? 'repeated' : 'conflict'
      await this.addCells(query, deployment, cells)
      // Last: a lock on the queue is held for a moment only.
      await this.queueRows(query, row)
      return 'counted'
    }, COUNT_LIMIT_MS)
  }

  /** The counts of a state in some months, of one group where it is named, added up over the columns that are not named. */
  readOutcomes(
    deployment: string,
    digest: string,
    [first, last]: readonly [string, string],
    columns: readonly CellColumn[],
    group?: string,
  ): Promise<readonly CountedCell[]> {
    const names = columns.map((column) => NAMES[column])
    const shown = columns.map((column) => `${NAMES[column]} AS "${column}"`)
    const sums = ['number', 'units'].map((name) => `CAST(sum(${name}) AS bigint) AS ${name}`)
    const ofGroup = group === undefined ? '' : 'AND grp = $5'
    return this.database.query(
      `SELECT ${[...shown, 'kind AS outcome', ...sums].join(', ')} FROM ${tableFor(columns, group)}
        WHERE digest_id = (${FIND_DIGEST}) AND month BETWEEN $3 AND $4 ${ofGroup} GROUP BY ${[...names, 'kind'].join(', ')}`,
      deployment,
      digest,
      first,
      last,
      ...(group === undefined ? [] : [group]),
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
    await this.database.write('DELETE FROM outcome_requests WHERE kept_until <= $1', now)
  }

  private async addCells(query: Query, deployment: string, cells: PackedOutcomes): Promise<void> {
    const ids = new Map<string, number>()
    for (const digest of new Set(cells.totals.places.map((place) => place.digest)))
      ids.set(digest, await idOfDigest(query, deployment, digest))
    const idOf = (digest: string): number => ids.get(digest) as number
    const counts: SqlValue[][] = []
    for (const { digest, group, month, bin, flagged, outcome, number, units } of unpackCells(cells.counts))
      counts.push([idOf(digest), group, month, bin, flagged, outcome, number, units])
    const bins: SqlValue[][] = []
    for (const { digest, month, bin, flagged, outcome, number, units } of unpackCells(cells.bins))
      bins.push([idOf(digest), month, bin, flagged, outcome, number, units])
    const totals: SqlValue[][] = []
    for (const { digest, month, group, outcome, number, units } of unpackCells(cells.totals))
      totals.push([idOf(digest), month, group, outcome, number, units])
    // In one order of tables and rows, so that two requests never wait for each other.
    const { rowsPerStatement } = this.database
    await addRows(query, 'outcome_counts', counts, rowsPerStatement)
    await addRows(query, 'outcome_bins', bins, rowsPerStatement)
    await addRows(query, 'outcome_totals', totals, rowsPerStatement)
  }
}

/** The smallest table that has the columns. */
function tableFor(columns: readonly CellColumn[], group: string | undefined): string {
  if (!columns.includes('bin') && !columns.includes('flagged')) return 'outcome_totals'
  return group === undefined && !columns.includes('group') ? 'outcome_bins' : 'outcome_counts'
}

async function idOfDigest(query: Query, deployment: string, digest: string): Promise<number> {
  const find = async (): Promise<number | undefined> =>
    (await query<{ readonly id: number }>(FIND_DIGEST, deployment, digest))[0]?.id
  const known = await find()
  if (known !== undefined) return known
  // Another process may add it at the same time: then this waits for that one, and adds nothing.
  await query(ADD_DIGEST, deployment, digest)
  return (await find()) as number
}

/** The seal of the body that a request had; undefined where none is remembered. */
async function bodyOf(query: Query, request: string, now: number): Promise<string | undefined> {
  const sql = 'SELECT body FROM outcome_requests WHERE request = $1 AND kept_until > $2'
  const [kept] = await query<{ readonly body: string }>(sql, request, now)
  return kept?.body
}
