/**
 * Counts of a large request that wait to be added to their tables, in SQLite. Adding ten thousand counts takes 100 ms and more, and every
 * answer waits for a transaction that writes. So the transaction of a large request stores its counts as they came, in parts, and
 * transactions after it add one part each; others write in between. What waits is counted: who reads the tables adds it.
 */
import type { OutcomeCell } from '@patient-risk/monitor'
import { parseJson } from 'patient-risk-engine/read'
import type { Query } from '../sql.ts'
import { type PackedShadow, SHADOW_TABLES, rowsOf, type ShadowTable } from './packed-shadow.ts'
import {
  NUMBERS_OF_A_CELL,
  type PackedCells,
  type PackedOutcomes,
  cellCount,
  unpackCells,
} from './packed-cells.ts'

import { type ScoredRisks, scoredOf } from './scored-risks.ts'
import type { ShadowPart } from './sql-shadow.ts'

/** The tables of counts, by what is packed for them. */
export const TABLE_OF = {
  counts: 'outcome_counts',
  bins: 'outcome_bins',
  totals: 'outcome_totals',
} as const satisfies Record<keyof PackedOutcomes, string>

export type Target = keyof typeof TABLE_OF

const TARGETS = Object.keys(TABLE_OF) as Target[]

/** Counts that one transaction adds: some 3 ms. */
export const PART_CELLS = 400

/** Counts of one request that wait for one table. */
export type WaitingPart = { readonly deployment: string } & (
  { readonly target: Target; readonly cells: PackedCells } | ShadowPart
)

/** What the outcomes of a request add to. */
export interface Additions {
  readonly cells: PackedOutcomes
  readonly shadow?: { readonly digest: string; readonly cells: PackedShadow } | undefined
}

interface QueuedRow {
  readonly id: number
  readonly deployment: string
  readonly target: Target | ShadowTable
  readonly places: string
  readonly numbers: Uint8Array
}

/** Whether a request has more counts than one transaction should add. */
export function isLarge({ cells, shadow }: Additions): boolean {
  return cellCount(cells) > PART_CELLS || (shadow?.cells.shadow_counts.length ?? 0) > 1
}

const QUEUE = 'INSERT INTO outcome_queue (deployment, target, places, numbers) VALUES ($1, $2, $3, $4)'

export async function queueOutcomes(
  query: Query,
  deployment: string,
  { cells, shadow }: Additions,
): Promise<void> {
  for (const target of TARGETS)
    for (const { places, numbers } of partsOf(cells[target])) {
      const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
      await query(QUEUE, deployment, target, JSON.stringify(places), bytes)
    }
  if (shadow === undefined) return
  for (const table of SHADOW_TABLES)
    for (const part of shadow.cells[table])
      await query(QUEUE, deployment, table, `${shadow.digest}\n${part}`, new Uint8Array(0))
}

/** Takes the part that has waited longest; undefined where none waits. */
export async function takePart(query: Query): Promise<WaitingPart | undefined> {
  const sql = 'SELECT * FROM outcome_queue WHERE target <> $1 ORDER BY id LIMIT 1'
  const [oldest] = await query<QueuedRow>(sql, SCORED)
  if (oldest === undefined) return undefined
  await query('DELETE FROM outcome_queue WHERE id = $1', oldest.id)
  return waitingPart(oldest)
}

export async function arePartsWaiting(query: Query): Promise<boolean> {
  return (await query('SELECT id FROM outcome_queue WHERE target <> $1 LIMIT 1', SCORED)).length > 0
}

/** Lines of risks that were counted at scoring wait here too: a large body has hundreds of cells, and a minute has few more. */
const SCORED = 'scored'
/** Lines that may wait. Adding as many together takes little more than adding one. */
const MOST_LINES = 50

/** Returns whether so many wait that they should be added now. */
export async function queueScored(query: Query, scored: readonly ScoredRisks[]): Promise<boolean> {
  for (const each of scored)
    await query(QUEUE, each.place.deployment, SCORED, each.toLine(), new Uint8Array(0))
  const count = 'SELECT count(*) AS lines FROM outcome_queue WHERE target = $1'
  const [waiting] = await query<{ readonly lines: number }>(count, SCORED)
  return (waiting?.lines ?? 0) >= MOST_LINES
}

/** Takes the lines that wait. */
export async function takeScored(query: Query): Promise<readonly ScoredRisks[]> {
  const sql = 'SELECT id, places FROM outcome_queue WHERE target = $1 ORDER BY id'
  const lines = await query<Pick<QueuedRow, 'id' | 'places'>>(sql, SCORED)
  const last = lines.at(-1)?.id
  if (last === undefined) return []
  await query('DELETE FROM outcome_queue WHERE target = $1 AND id <= $2', SCORED, last)
  return lines.map(({ places }) => scoredOf(places))
}

export async function waitingScored(query: Query): Promise<readonly ScoredRisks[]> {
  const lines = await query<Pick<QueuedRow, 'places'>>(
    'SELECT places FROM outcome_queue WHERE target = $1',
    SCORED,
  )
  return lines.map(({ places }) => scoredOf(places))
}

/** The cells that wait for a table, each with its deployment. */
export async function waitingCells(
  query: Query,
  target: Target,
): Promise<readonly (OutcomeCell & { readonly deployment: string })[]> {
  const rows = await query<QueuedRow>('SELECT * FROM outcome_queue WHERE target = $1', target)
  return rows.flatMap((row) =>
    [...unpackCells(cellsOf(row))].map((cell) => ({ ...cell, deployment: row.deployment })),
  )
}

/** What waits of the outcomes of a deployment that came with the risk of a shadow. */
export async function waitingShadow(query: Query, deployment: string): Promise<readonly ShadowPart[]> {
  const names = SHADOW_TABLES.map((table) => `'${table}'`).join(', ')
  const sql = `SELECT * FROM outcome_queue WHERE target IN (${names}) AND deployment = $1 ORDER BY id`
  const rows = await query<QueuedRow>(sql, deployment)
  return rows.flatMap((row) => (isOfShadow(row.target) ? [shadowOf(row.target, row)] : []))
}

function waitingPart(row: QueuedRow): WaitingPart {
  const { deployment, target } = row
  if (isOfShadow(target)) return { deployment, ...shadowOf(target, row) }
  return { deployment, target, cells: cellsOf(row) }
}

function isOfShadow(target: QueuedRow['target']): target is ShadowTable {
  return SHADOW_TABLES.some((table) => table === target)
}

function shadowOf(table: ShadowTable, { places }: QueuedRow): ShadowPart {
  const end = places.indexOf('\n')
  return { table, shadow: places.slice(0, end), rows: rowsOf(places.slice(end + 1)) }
}

function cellsOf({ places, numbers }: QueuedRow): PackedCells {
  // A copy: the bytes of a row begin anywhere, and numbers of 64 bits may not.
  const own = new Float64Array(new Uint8Array(numbers).buffer)
  return { places: parseJson(places) as PackedCells['places'], numbers: own }
}

/** Parts of at most so many cells, in order, each with the places of its own cells. */
function* partsOf({ places, numbers }: PackedCells): Generator<PackedCells> {
  const step = PART_CELLS * NUMBERS_OF_A_CELL
  for (let at = 0; at < numbers.length; at += step) {
    const own = numbers.slice(at, at + step)
    const first = own[0] as number
    const last = own[own.length - NUMBERS_OF_A_CELL] as number
    for (let place = 0; place < own.length; place += NUMBERS_OF_A_CELL)
      own[place] = (own[place] as number) - first
    yield { places: places.slice(first, last + 1), numbers: own }
  }
}
