/**
 * Counts of a large request that wait to be added to their tables, in SQLite. Adding ten thousand counts takes 100 ms and more, and every
 * answer waits for a transaction that writes. So the transaction of a large request stores its counts as they came, in parts, and
 * transactions after it add one part each; others write in between. What waits is counted: who reads the tables adds it.
 */
import type { OutcomeCell } from '@patient-risk/monitor'
import { parseJson } from 'patient-risk-engine/read'
import type { Query } from '../sql.ts'
import {
  NUMBERS_OF_A_CELL,
  type PackedCells,
  type PackedOutcomes,
  cellCount,
  unpackCells,
} from './packed-cells.ts'

import { type ScoredRisks, scoredOf } from './scored-risks.ts'

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
export interface WaitingPart {
  readonly deployment: string
  readonly target: Target
  readonly cells: PackedCells
}

interface QueuedRow {
  readonly id: number
  readonly deployment: string
  readonly target: Target
  readonly places: string
  readonly numbers: Uint8Array
}

/** Whether a request has more counts than one transaction should add. */
export function isLarge(outcomes: PackedOutcomes): boolean {
  return cellCount(outcomes) > PART_CELLS
}

export async function queueCells(query: Query, deployment: string, outcomes: PackedOutcomes): Promise<void> {
  const sql = 'INSERT INTO outcome_queue (deployment, target, places, numbers) VALUES ($1, $2, $3, $4)'
  for (const target of TARGETS)
    for (const { places, numbers } of partsOf(outcomes[target])) {
      const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
      await query(sql, deployment, target, JSON.stringify(places), bytes)
    }
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
  const sql = 'INSERT INTO outcome_queue (deployment, target, places, numbers) VALUES ($1, $2, $3, $4)'
  for (const each of scored) await query(sql, each.place.deployment, SCORED, each.toLine(), new Uint8Array(0))
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
  return rows
    .map(waitingPart)
    .flatMap(({ deployment, cells }) => [...unpackCells(cells)].map((cell) => ({ ...cell, deployment })))
}

function waitingPart({ deployment, target, places, numbers }: QueuedRow): WaitingPart {
  // A copy: the bytes of a row begin anywhere, and numbers of 64 bits may not.
  const own = new Float64Array(new Uint8Array(numbers).buffer)
  return { deployment, target, cells: { places: parseJson(places) as PackedCells['places'], numbers: own } }
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
