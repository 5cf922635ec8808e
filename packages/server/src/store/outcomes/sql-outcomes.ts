/**
 * What came true of the risks, as counts by deployment digest, month of scoring, group, bin of risk and kind; the same in SQLite and
 * PostgreSQL. Nothing else of an outcome is stored. Sums over groups and over bins are kept while counting, so that figures are read from
 * a few rows.
 */
import type { EntryGroup, QueueRows } from '../audit/audit-row.ts'
import type {
  CellColumn,
  CountedCell,
  OutcomeCell,
  OutcomeStore,
  ScoredColumn,
  ScoredCount,
  ScoredMonth,
  ServedState,
  ShadowCounts,
} from '@patient-risk/monitor'
import { cellKey } from 'patient-risk-engine/outcomes'
import { StoreError } from '@patient-risk/runtime'
import { addRows } from '../audit/usage-counters.ts'
import type { Query, SqlDatabase, SqlValue } from '../sql.ts'
import {
  type Additions,
  TABLE_OF,
  type Target,
  type WaitingPart,
  arePartsWaiting,
  isLarge,
  queueOutcomes,
  queueScored,
  takeScored,
  waitingScored,
  takePart,
  waitingCells,
  waitingShadow,
} from './outcome-queue.ts'
import { type PackedCells, unpackCells } from './packed-cells.ts'
import { type ScoredRisks, mergeScored } from './scored-risks.ts'
import { printPlaces } from './refused-places.ts'
import { type ReceiptSerials, noteReceived, readReceived, reserveSerials } from './sql-receipts.ts'
import { addShadow, addShadowPart, readShadowCounts } from './sql-shadow.ts'

/** What recognises a request: seals of its name and of its body. */
interface RequestSeals {
  readonly request: string
  readonly body: string
}

/** A request with outcomes. */
export interface OutcomeRequest extends RequestSeals, Additions {
  readonly deployment: string
  /** The same request by secrets, and by a key id, that were in use before. */
  readonly earlier: readonly RequestSeals[]
  /** Cells that the request takes from: they must not fall below 0. */
  readonly corrected?: readonly OutcomeCell[] | undefined
  /** Receipts that have their first outcome by this request. */
  readonly receipts?: readonly ReceiptSerials[] | undefined
  /** The positions of its elements that are refused for what was counted before: a repeat is answered alike. */
  readonly refused?: readonly number[] | undefined
  readonly now: number
  /** Until then a repeat is recognised: as long as outcomes of its months are accepted. */
  readonly keptUntil: number
  /** The audit row of an answer that says "counted". It is stored where the outcomes are counted, and only there. */
  readonly row: EntryGroup
}

/** Cells of risks that are written at once; more wait in SQLite, where each takes some 5 µs and answers wait for the thread. */
const MOST_DIRECT = 20

/**
 * A repeat names the positions of the elements that were refused for what was counted before, where there were any.
 * `changed`: others have taken what the request wanted to correct, or have used a receipt of it, so nothing is counted. Read the counts
 * again.
 */
export type CountedAs = 'counted' | 'repeated' | `repeated ${string}` | 'conflict' | 'changed'

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
/** A state of an earlier layout has no digest of its numbers; it gets one when it is served again. */
const NOTE_STATE = `INSERT INTO outcome_states VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (deployment, digest) DO UPDATE SET risk_digest = excluded.risk_digest WHERE outcome_states.risk_digest = ''`
const READ_STATES = `SELECT deployment, digest, model, output, threshold, centre, risk_digest AS "riskDigest"
  FROM outcome_states WHERE deployment = $1`
/** A request whose time is over is forgotten, even if its row is still there. */
const NOTE_REQUEST = `INSERT INTO outcome_requests VALUES ($1, $2, $3) ON CONFLICT (request)
  DO UPDATE SET body = excluded.body, kept_until = excluded.kept_until WHERE outcome_requests.kept_until <= $4
  RETURNING kept_until`
const FIND_DIGEST = 'SELECT id FROM outcome_digests WHERE deployment = $1 AND digest = $2'
const ADD_DIGEST = 'INSERT INTO outcome_digests (deployment, digest) VALUES ($1, $2) ON CONFLICT DO NOTHING'

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
      for (const { deployment, digest, model, output, threshold, centre, riskDigest } of inOrder)
        await query(NOTE_STATE, deployment, digest, model, output, threshold, centre, riskDigest)
    })
  }

  readStates(deployment: string): Promise<readonly ServedState[]> {
    return this.database.query(READ_STATES, deployment)
  }

  /**
   * Counts the outcomes of a request, remembers the request, and queues its audit row: all of it or nothing. So the audit says "counted" of
   * exactly the outcomes that are in the counts, whatever fails.
   */
  async countOutcomes(given: OutcomeRequest): Promise<CountedAs> {
    const found = { isTaken: false }
    try {
      return await this.countAll(given, found)
    } catch (error) {
      // A database may have put an error of its own in the place of the one that rolled it back.
      if (found.isTaken) return 'changed'
      throw error
    }
  }

  /** Notes in `found` that others have taken what it would correct; then it throws, so that all of it is rolled back. */
  private countAll(given: OutcomeRequest, found: { isTaken: boolean }): Promise<CountedAs> {
    const { deployment, request, body, earlier, now, keptUntil, row } = given
    const { corrected = [], receipts = [], refused = [] } = given
    return this.database.transaction(async (query) => {
      for (const other of earlier) {
        const kept = await bodyOf(query, other.request, now)
        if (kept !== undefined) return repeatOf(kept, other.body)
      }
      // First: the same request at the same time in another process waits here for the end of this one.
      const noted = refused.length === 0 ? body : `${body}\n${printPlaces(refused)}`
      if ((await query(NOTE_REQUEST, request, noted, keptUntil, now)).length === 0)
        return repeatOf((await bodyOf(query, request, now)) ?? '', body)
      // Where others cannot write meanwhile, they do not wait for all counts of a large request.
      if (!this.database.isConcurrent && isLarge(given)) await queueOutcomes(query, deployment, given)
      else await this.addOutcomes(query, given)
      // After its own counts: others that write the same cells wait for the end of this transaction.
      const left = await this.numbersOf(query, deployment, corrected)
      found.isTaken = left.some((number) => number < 0)
      if (found.isTaken) throw new StoreError('others have taken what the request corrects')
      const idOf = (digest: string): Promise<number> => idOfDigest(query, deployment, digest)
      found.isTaken = !(await noteReceived(query, this.database.isConcurrent, receipts, idOf))
      if (found.isTaken) throw new StoreError('others have sent an outcome with a receipt of the request')
      // Last: a lock on the queue is held for a moment only.
      await this.queueRows(query, row)
      return 'counted'
    }, COUNT_LIMIT_MS)
  }

  /** Adds a part of what waits to its table. Returns whether there may be more. */
  async addQueued(): Promise<boolean> {
    // Do not write where nothing waits.
    if (this.database.isConcurrent || !(await arePartsWaiting(this.database.query))) return false
    return this.database.transaction(async (query) => {
      const part = await takePart(query)
      if (part !== undefined) await this.addWaiting(query, part)
      return part !== undefined
    })
  }

  /** Inside a transaction: from here on nobody else counts until it ends, and nothing waits to be added. */
  async haveAlone(query: Query): Promise<void> {
    if (this.database.isConcurrent) {
      await query(`LOCK TABLE ${Object.values(TABLE_OF).join(', ')} IN EXCLUSIVE MODE`)
      return
    }
    for (let part = await takePart(query); part !== undefined; part = await takePart(query))
      await this.addWaiting(query, part)
  }

  /** The counts of a state in some months, of one group where it is named, added up over the columns that are not named. */
  async readOutcomes(
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
    const target = targetFor(columns, group)
    const sql = `SELECT ${[...shown, 'kind AS outcome', ...sums].join(', ')} FROM ${TABLE_OF[target]}
        WHERE digest_id = (${FIND_DIGEST}) AND month BETWEEN $3 AND $4 ${ofGroup} GROUP BY ${[...names, 'kind'].join(', ')}`
    const values = [deployment, digest, first, last, ...(group === undefined ? [] : [group])]
    if (this.database.isConcurrent) return this.database.query(sql, ...values)
    // Of one moment: a part that is added in between would be read twice, or not at all.
    return this.database.snapshot(async (query) => {
      const added = await query<CountedCell>(sql, ...values)
      const waiting = (await waitingCells(query, target)).filter(
        (cell) =>
          cell.deployment === deployment &&
          cell.digest === digest &&
          first <= cell.month &&
          cell.month <= last &&
          (group === undefined || cell.group === group),
      )
      return waiting.length === 0 ? added : addUp([...added, ...waiting], columns)
    })
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

  /** Adds risks that were counted at scoring, inside a transaction. */
  async addScored(query: Query, scored: readonly ScoredRisks[]): Promise<void> {
    const cells = scored.reduce((sum, each) => sum + each.size, 0)
    if (this.database.isConcurrent || cells <= MOST_DIRECT) await this.writeScored(query, scored)
    else if (await queueScored(query, scored))
      await this.writeScored(query, mergeScored(await takeScored(query)))
  }

  /** Adds what waits. */
  async settleScored(): Promise<void> {
    if (this.database.isConcurrent || (await waitingScored(this.database.query)).length === 0) return
    await this.database.transaction(async (query) =>
      this.writeScored(query, mergeScored(await takeScored(query))),
    )
  }

  private async writeScored(query: Query, scored: readonly ScoredRisks[]): Promise<void> {
    const rows: SqlValue[][] = []
    for (const each of scored) {
      const { deployment, digest, month, group } = each.place
      const id = await idOfDigest(query, deployment, digest)
      for (const [bin, number, units] of each.cells()) rows.push([id, month, group, bin, number, units])
    }
    await addRows(query, 'scored_risks', rows, this.database.rowsPerStatement)
  }

  readScoredRisks(
    deployment: string,
    digest: string,
    [first, last]: readonly [string, string],
    columns: readonly ScoredColumn[],
    group?: string,
  ): Promise<readonly ScoredCount[]> {
    const names = columns.map((column) => NAMES[column])
    const shown = columns.map((column) => `${NAMES[column]} AS "${column}"`)
    const sums = ['number', 'units'].map((name) => `CAST(sum(${name}) AS bigint) AS ${name}`)
    const ofGroup = group === undefined ? '' : 'AND grp = $5'
    const by = names.length === 0 ? 'HAVING count(*) > 0' : `GROUP BY ${names.join(', ')}`
    const sql = `SELECT ${[...shown, ...sums].join(', ')} FROM scored_risks
        WHERE digest_id = (${FIND_DIGEST}) AND month BETWEEN $3 AND $4 ${ofGroup} ${by}`
    const values = [deployment, digest, first, last, ...(group === undefined ? [] : [group])]
    if (this.database.isConcurrent) return this.database.query(sql, ...values)
    return this.database.snapshot(async (query) => {
      const added = await query<ScoredCount>(sql, ...values)
      const waiting = (await waitingScored(query)).filter(
        ({ place }) =>
          place.deployment === deployment &&
          place.digest === digest &&
          first <= place.month &&
          place.month <= last &&
          (group === undefined || place.group === group),
      )
      return waiting.length === 0 ? added : addUpScored([...added, ...waiting.flatMap(countsOf)], columns)
    })
  }

  /** How many outcomes single cells hold, those that wait included. */
  readCells(deployment: string, cells: readonly OutcomeCell[]): Promise<readonly number[]> {
    return this.database.snapshot((query) => this.numbersOf(query, deployment, cells))
  }

  /** Takes serial numbers for receipts of a state, and returns the first of them. */
  reserveReceipts(deployment: string, digest: string, month: string, count: number): Promise<number> {
    return this.database.transaction(async (query) =>
      reserveSerials(query, await idOfDigest(query, deployment, digest), month, count),
    )
  }

  /** The receipts among these that have an outcome. */
  readReceived(deployment: string, receipts: readonly ReceiptSerials[]): Promise<readonly ReceiptSerials[]> {
    return this.database.snapshot((query) =>
      readReceived(query, receipts, (digest) => findDigest(query, deployment, digest)),
    )
  }

  readShadow(deployment: string, digest: string, shadow: string): Promise<ShadowCounts> {
    if (this.database.isConcurrent) return readShadowCounts(this.database.query, deployment, digest, shadow)
    return this.database.snapshot(async (query) =>
      readShadowCounts(query, deployment, digest, shadow, await waitingShadow(query, deployment)),
    )
  }

  private async numbersOf(
    query: Query,
    deployment: string,
    cells: readonly OutcomeCell[],
  ): Promise<readonly number[]> {
    if (cells.length === 0) return []
    const waiting = new Map<string, number>()
    if (!this.database.isConcurrent)
      for (const cell of await waitingCells(query, 'counts'))
        if (cell.deployment === deployment)
          waiting.set(cellKey(cell), (waiting.get(cellKey(cell)) ?? 0) + cell.number)
    const sql = `SELECT number FROM outcome_counts WHERE digest_id = (${FIND_DIGEST}) AND grp = $3 AND month = $4
        AND bin = $5 AND flagged = $6 AND kind = $7`
    const numbers: number[] = []
    for (const cell of cells) {
      const { digest, group, month, bin, flagged, outcome } = cell
      const place = [deployment, digest, group, month, bin, flagged, outcome]
      const [row] = await query<{ readonly number: number }>(sql, ...place)
      numbers.push((row?.number ?? 0) + (waiting.get(cellKey(cell)) ?? 0))
    }
    return numbers
  }

  async forgetRequests(now: number): Promise<void> {
    await this.database.write('DELETE FROM outcome_requests WHERE kept_until <= $1', now)
  }

  private async addOutcomes(query: Query, { deployment, cells, shadow }: OutcomeRequest): Promise<void> {
    // In one order of tables and rows, so that two requests never wait for each other.
    for (const target of ['counts', 'bins', 'totals'] as const)
      await this.addPart(query, deployment, target, cells[target])
    if (shadow !== undefined)
      await addShadow(query, shadow, (digest) => idOfDigest(query, deployment, digest))
  }

  private async addWaiting(query: Query, part: WaitingPart): Promise<void> {
    const { deployment } = part
    if ('rows' in part) await addShadowPart(query, part, (digest) => idOfDigest(query, deployment, digest))
    else await this.addPart(query, deployment, part.target, part.cells)
  }

  private async addPart(query: Query, deployment: string, target: Target, cells: PackedCells): Promise<void> {
    const ids = new Map<string, number>()
    for (const digest of new Set(cells.places.map((place) => place.digest)))
      ids.set(digest, await idOfDigest(query, deployment, digest))
    const rows: SqlValue[][] = []
    for (const { digest, group, month, bin, flagged, outcome, number, units } of unpackCells(cells)) {
      const id = ids.get(digest) as number
      const keys = {
        counts: [id, group, month, bin, flagged, outcome],
        bins: [id, month, bin, flagged, outcome],
        totals: [id, month, group, outcome],
      }
      rows.push([...keys[target], number, units])
    }
    await addRows(query, TABLE_OF[target], rows, this.database.rowsPerStatement)
  }
}

/** The smallest table that has the columns. */
function targetFor(columns: readonly CellColumn[], group: string | undefined): Target {
  if (!columns.includes('bin') && !columns.includes('flagged')) return 'totals'
  return group === undefined && !columns.includes('group') ? 'bins' : 'counts'
}

function countsOf(scored: ScoredRisks): readonly ScoredCount[] {
  const { month, group } = scored.place
  return [...scored.cells()].map(([bin, number, units]) => ({ month, group, bin, number, units }))
}

function addUpScored(
  counts: readonly ScoredCount[],
  columns: readonly ScoredColumn[],
): readonly ScoredCount[] {
  const sums = new Map<string, ScoredCount>()
  for (const count of counts) {
    const named = Object.fromEntries(columns.map((column) => [column, count[column]]))
    const key = JSON.stringify(Object.values(named))
    const { number, units } = sums.get(key) ?? { number: 0, units: 0 }
    sums.set(key, { ...named, number: number + count.number, units: units + count.units })
  }
  return [...sums.values()]
}

/** One cell for all that are alike in these columns and in their outcome. */
function addUp(cells: readonly CountedCell[], columns: readonly CellColumn[]): readonly CountedCell[] {
  const sums = new Map<string, CountedCell>()
  for (const cell of cells) {
    const named = Object.fromEntries(columns.map((column) => [column, cell[column]]))
    const key = JSON.stringify([cell.outcome, ...Object.values(named)])
    const { number, units } = sums.get(key) ?? { number: 0, units: 0 }
    const { outcome } = cell
    sums.set(key, { ...named, outcome, number: number + cell.number, units: units + cell.units })
  }
  return [...sums.values()]
}

async function idOfDigest(query: Query, deployment: string, digest: string): Promise<number> {
  const known = await findDigest(query, deployment, digest)
  if (known !== undefined) return known
  // Another process may add it at the same time: then this waits for that one, and adds nothing.
  await query(ADD_DIGEST, deployment, digest)
  return (await findDigest(query, deployment, digest)) as number
}

async function findDigest(query: Query, deployment: string, digest: string): Promise<number | undefined> {
  return (await query<{ readonly id: number }>(FIND_DIGEST, deployment, digest))[0]?.id
}

/** What a request is that has come before, by what is kept of its body: a seal, and positions of what was refused. */
function repeatOf(kept: string, body: string): CountedAs {
  const [seal, refused] = kept.split('\n')
  if (seal !== body) return 'conflict'
  return refused === undefined ? 'repeated' : `repeated ${refused}`
}

/** The seal of the body that a request had; undefined where none is remembered. */
async function bodyOf(query: Query, request: string, now: number): Promise<string | undefined> {
  const sql = 'SELECT body FROM outcome_requests WHERE request = $1 AND kept_until > $2'
  const [kept] = await query<{ readonly body: string }>(sql, request, now)
  return kept?.body
}
