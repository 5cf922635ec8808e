/**
 * Audit rows that are chained together are stored together: their texts, compressed, with the hash of the last one. A row of a group
 * has no bytes of its own for its number, the hash before it and its own hash: they follow from the group before. What the rows of a
 * deployment have in common (settings, model, versions) is stored once, as the dictionary of the compression.
 */
import { constants, deflateRawSync } from 'node:zlib'
import { digestOf, StoreError } from '@patient-risk/runtime'
import type { AuditRow, ChainEnds, ChainPoint } from './audit-row.ts'
import type { Query } from '../sql.ts'

/** A group as it is stored. */
export interface StoredGroup {
  readonly lastSeq: number
  readonly count: number
  readonly lastAt: number
  readonly packed: Uint8Array
  /** Hash of the last row; it covers every row of the group. */
  readonly hash: Uint8Array
}

/** A dictionary: the first row of a deployment. */
export interface Dictionary {
  readonly id: number
  readonly text: string
}

const TIME = /"at":"([^"]+)"/
const COMMON_PART = ',"deployment":'

/** Rows cannot be appended because somebody has changed the end of the chain. */
export class ChainError extends StoreError {}

/** Throws where the stored rows do not end at the recorded head: appending would hide that. */
export function assertHead({ head, lastSeq }: Pick<ChainEnds, 'head' | 'lastSeq'>): void {
  if (lastSeq === head.seq) return
  throw new ChainError(
    'the stored rows do not end at the recorded head of the audit chain; run "patient-risk audit verify"',
  )
}

/** The part of a row's text that all rows of its deployment share. Groups that begin alike have the same dictionary. */
export function commonPart(text: string): string {
  const start = text.lastIndexOf(COMMON_PART)
  return start < 0 ? '' : text.slice(start)
}

/** The dictionary for rows that begin with this one. It is chosen by the part that rows of a deployment have in common. */
export async function dictionaryFor(query: Query, first: string): Promise<Dictionary> {
  const common = commonPart(first)
  const stored = await query<Dictionary>('SELECT id, text FROM audit_context ORDER BY id')
  const same = stored.find(({ text }) => commonPart(text) === common)
  if (same !== undefined) return same
  const add = 'INSERT INTO audit_context (text) VALUES ($1) RETURNING id, text'
  const [added] = await query<Dictionary>(add, first)
  return added as Dictionary
}

/** The row with this text that comes after a point of the chain. */
export function linkRow(head: ChainPoint, text: string): Omit<AuditRow, 'at'> {
  const seq = head.seq + 1
  const content = `{"seq":${seq},"prev":"${head.hash}",${text.slice(1)}`
  return { seq, content, hash: digestOf(content) }
}

/** Links the texts of rows to the chain and packs them. */
export function linkGroup(head: ChainPoint, texts: readonly string[], dictionary: string): StoredGroup {
  let last = head
  for (const text of texts) last = linkRow(last, text)
  const lastAt = Math.max(...texts.map(timeOf))
  return {
    lastSeq: last.seq,
    count: texts.length,
    lastAt,
    packed: packTexts(texts.join('\n'), dictionary),
    hash: Buffer.from(last.hash, 'base64'),
  }
}

export function packTexts(texts: string, dictionary: string): Uint8Array {
  // Few rows fit into a small chunk; the usual 16 kB would be allocated for every commit.
  const options = { level: constants.Z_BEST_SPEED, chunkSize: 4_096 }
  return deflateRawSync(texts, { ...options, dictionary: Buffer.from(dictionary) })
}

export async function insertGroup(query: Query, group: StoredGroup, dictionary: Dictionary): Promise<void> {
  const { lastSeq, count, lastAt, packed, hash } = group
  const values = [lastSeq, count, lastAt, dictionary.id, packed, hash]
  await query('INSERT INTO audit VALUES ($1, $2, $3, $4, $5, $6)', ...values)
}

/** The point of the chain after a stored group. */
export function endOf({ lastSeq, hash }: Pick<StoredGroup, 'lastSeq' | 'hash'>): ChainPoint {
  return { seq: lastSeq, hash: Buffer.from(hash).toString('base64') }
}

/** NaN where the text names no time. */
export function timeOf(text: string): number {
  return Date.parse(TIME.exec(text)?.[1] ?? '')
}

/** The row that records where the chain begins and ends, and what else is kept of the store as a whole. */
export interface ChainRow {
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

/** One statement, so that both ends are of the same moment. */
export async function readChain(query: Query): Promise<ChainRow> {
  const [row] = await query<ChainRow>('SELECT *, (SELECT max(last_seq) FROM audit) AS last_seq FROM chain')
  return row as ChainRow
}

export function endsOf(row: ChainRow): ChainEnds {
  return {
    start: { seq: row.start_seq, hash: row.start_hash },
    head: { seq: row.head_seq, hash: row.head_hash },
    storeId: row.store_id,
    inUse: row.secret_fingerprint,
    lastSeq: row.last_seq ?? row.start_seq,
    countedSeq: row.counted_seq,
    parts: row.parts,
  }
}
