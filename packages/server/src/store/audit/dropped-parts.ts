/**
 * What is left of the months that retention has removed: where each ended, and its hash. With it an exported month can still be shown to
 * belong to the chain. The row that retention leaves in the chain holds the digest of the whole list.
 */
import { type QueueSeal, digestOf } from '@patient-risk/runtime'
import { parseJson } from 'patient-risk-engine/read'
import { type AuditEntry, type ChainEnds, type ChainPoint, type DroppedPart, makeEntry } from './audit-row.ts'
import type { Query } from '../sql.ts'
import { carryRemoved } from './carried.ts'
import { type StoredGroup, endOf } from './write-groups.ts'

/** Rows that retention removes in one transaction, so that answers never wait long for it. */
const STEP = 10_000
const OLDEST = 'SELECT last_at AS at FROM audit ORDER BY last_seq LIMIT 1'
/** The last group whose rows are all older than $1, at most number $3. */
const LAST_TO_REMOVE = `SELECT last_seq AS "lastSeq", hash FROM audit
  WHERE last_seq < coalesce((SELECT min(last_seq) FROM audit WHERE last_at >= $1), $2) AND last_seq <= $3
  ORDER BY last_seq DESC LIMIT 1`

export function readParts(text: string): readonly DroppedPart[] {
  return (parseJson(text) as [string, number, string][]).map(([month, seq, hash]) => ({ month, seq, hash }))
}

/** As it is stored, and as the digest is taken over it. */
function partsText(parts: readonly DroppedPart[]): string {
  return JSON.stringify(parts.map(({ month, seq, hash }) => [month, seq, hash]))
}

/**
 * Removes the oldest rows before a time, inside a transaction that has the chain for itself: of one month at a time, so that what is
 * removed has parts by month. Returns all parts; undefined where nothing is due.
 */
export async function removeOldest(
  query: Query,
  { start, head, parts }: ChainEnds,
  before: number,
  seal: QueueSeal,
): Promise<readonly DroppedPart[] | undefined> {
  const [oldest] = await query<{ readonly at: number }>(OLDEST)
  if (oldest === undefined) return undefined
  const until = Math.min(before, monthStart(oldest.at, 1))
  const beyond = [head.seq + 1, start.seq + STEP]
  const [last] = await query<Pick<StoredGroup, 'lastSeq' | 'hash'>>(LAST_TO_REMOVE, until, ...beyond)
  if (last === undefined) return undefined
  const point = endOf(last)
  const all = addPart(readParts(parts), start, { ...point, month: monthOf(oldest.at) })
  await carryRemoved(query, seal, start.seq, point.seq)
  await query('DELETE FROM audit WHERE last_seq <= $1', point.seq)
  const move = 'UPDATE chain SET start_seq = $1, start_hash = $2, parts = $3'
  await query(move, point.seq, point.hash, partsText(all))
  return all
}

/** Adds rows of a month that are removed; a month may go in several steps. `start` is where the stored rows began before. */
function addPart(
  parts: readonly DroppedPart[],
  start: ChainPoint,
  part: DroppedPart,
): readonly DroppedPart[] {
  const last = parts.at(-1)
  // A process of an older version has removed rows and recorded no part.
  const known = start.seq > (last?.seq ?? 0) ? [...parts, { ...start, month: '' }] : parts
  return known.at(-1)?.month === part.month ? [...known.slice(0, -1), part] : [...known, part]
}

function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, '2026-11'.length)
}

/** The start of a month in UTC, so many months after that of a time. */
export function monthStart(time: number, months: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)
}

/** The entry that retention leaves in the chain: where the kept rows begin, and what was removed until now. */
export function retentionEntry(now: number, parts: readonly DroppedPart[], removed: number): AuditEntry {
  const { month, seq, hash } = parts.at(-1) as DroppedPart
  return makeEntry({
    at: now,
    requestId: `retention-${seq}`,
    keyId: null,
    call: 'retention',
    removed,
    month,
    startsAfter: seq,
    startsAfterHash: hash,
    partsDigest: digestOf(partsText(parts)),
  })
}
