/**
 * Audit rows that are chained together are stored together: their texts, compressed, with the hash of the last one. A row of a group
 * has no bytes of its own for its number, the hash before it and its own hash: they follow from the group before. What the rows of a
 * deployment have in common (settings, model, versions) is stored once, as the dictionary of the compression.
 */
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import { type AuditEntry, type AuditRow, type ChainEnds, type ChainPoint, linkRow } from './audit-row.ts'
import { StoreError } from '../../errors.ts'
import type { AuditQuery } from '../store.ts'

/** What must be known of entries to append them. It crosses to the thread of the store faster than many objects. */
export interface EntryGroup {
  /** One text a line: a text is JSON on one line. */
  readonly texts: string
  /** Keys that were used, each with the latest minute. */
  readonly uses: readonly (readonly [keyId: string, minute: number])[]
}

/** A group as it is stored. */
export interface StoredGroup {
  readonly lastSeq: number
  readonly count: number
  readonly lastAt: number
  readonly packed: Uint8Array
  /** Hash of the last row; it covers every row of the group. */
  readonly hash: Uint8Array
}

/** A stored group with what is needed to read it. */
export interface ReadableGroup extends StoredGroup {
  readonly dictionary: string
  /** Hash of the row before the first. */
  readonly prev: string
}

const MINUTE_MS = 60_000
const TIME = /"at":"([^"]+)"/
const COMMON_PART = ',"deployment":'

/** Rows cannot be appended because somebody has changed the end of the chain. */
export class ChainError extends StoreError {}

/** Throws where the stored rows do not end at the recorded head: appending would hide that. */
export function assertHead({ head, lastSeq }: ChainEnds): void {
  if (lastSeq === head.seq) return
  throw new ChainError(
    'the stored rows do not end at the recorded head of the audit chain; run "patient-risk audit verify"',
  )
}

export function groupEntries(entries: readonly AuditEntry[]): EntryGroup {
  const uses = new Map<string, number>()
  for (const { keyId, at } of entries) {
    const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS
    if (keyId !== null && minute > (uses.get(keyId) ?? -1)) uses.set(keyId, minute)
  }
  return { texts: entries.map(({ text }) => text).join('\n'), uses: [...uses] }
}

/** The part of a row's text that all rows of its deployment share. Groups that begin alike have the same dictionary. */
export function commonPart(text: string): string {
  const start = text.lastIndexOf(COMMON_PART)
  return start < 0 ? '' : text.slice(start)
}

/** Links the texts of rows to the chain and packs them. */
export function linkGroup(head: ChainPoint, texts: readonly string[], dictionary: string): StoredGroup {
  let last = head
  for (const text of texts) last = linkRow(last, text)
  const lastAt = Math.max(...texts.map(timeOf))
  if (Number.isNaN(lastAt)) throw new ChainError('a queued audit row names no time: somebody has changed it')
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

/** The point of the chain after a stored group. */
export function endOf({ lastSeq, hash }: Pick<StoredGroup, 'lastSeq' | 'hash'>): ChainPoint {
  return { seq: lastSeq, hash: Buffer.from(hash).toString('base64') }
}

/** Adds rows to those found before, in the order of the query, until they are as many as it asks for. Groups come in that order too. */
export function selectRows(
  groups: Iterable<ReadableGroup>,
  query: AuditQuery,
  found: AuditRow[] = [],
): AuditRow[] {
  const { after, from = -Infinity, newestFirst = false, requestId, most } = query
  const limit = after ?? (newestFirst ? Infinity : -Infinity)
  const sought = requestId === undefined ? undefined : `"requestId":${JSON.stringify(requestId)}`
  for (const group of groups) {
    const rows = rowsOf(group)
    for (const row of newestFirst ? rows.reverse() : rows) {
      const isBeyond = newestFirst ? row.seq < limit : row.seq > limit
      if (!isBeyond || row.at < from || (sought !== undefined && !row.content.includes(sought))) continue
      found.push(row)
      if (found.length === most) return found
    }
  }
  return found
}

/**
 * The rows of a group. The last row carries the stored hash, so that a change of any row of the group shows when it is verified.
 * Where the bytes cannot be read, or do not match the other columns, every row of the group is empty.
 */
export function rowsOf(group: ReadableGroup): AuditRow[] {
  const first = group.lastSeq - group.count + 1
  const texts = unpack(group)
  let last: ChainPoint = { seq: first - 1, hash: group.prev }
  const rows = texts.map((text) => ({ ...(last = linkRow(last, text)), at: timeOf(text) }))
  const lastAt = rows.reduce((latest, { at }) => Math.max(latest, at), 0)
  if (rows.length !== group.count || lastAt !== group.lastAt) {
    // The count itself may be damaged.
    const count = Math.max(1, Math.min(group.count, MOST_ROWS_OF_A_GROUP))
    return Array.from({ length: count }, (_each, place) => ({
      seq: group.lastSeq - count + 1 + place,
      at: group.lastAt,
      content: '',
      hash: '',
    }))
  }
  const end = rows[rows.length - 1]
  if (end !== undefined) rows[rows.length - 1] = { ...end, hash: endOf(group).hash }
  return rows
}

/** NaN where the text names no time. */
export function timeOf(text: string): number {
  return Date.parse(TIME.exec(text)?.[1] ?? '')
}

/** More than are ever committed at once. */
const MOST_ROWS_OF_A_GROUP = 10_000
const MOST_BYTES_OF_A_GROUP = 64 * 1024 * 1024

function unpack({ packed, dictionary }: ReadableGroup): readonly string[] {
  try {
    const options = { dictionary: Buffer.from(dictionary), maxOutputLength: MOST_BYTES_OF_A_GROUP }
    return inflateRawSync(packed, options).toString('utf8').split('\n')
  } catch {
    return []
  }
}
