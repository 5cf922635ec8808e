/** Reads audit rows from the groups in which they are stored. */
import { inflateRawSync } from 'node:zlib'
import type { AuditRow, ChainPoint } from './audit-row.ts'
import type { Query } from '../sql.ts'
import { type StoredGroup, endOf, linkRow, timeOf } from './write-groups.ts'

/** Rows whose groups one statement reads. It takes some 10 ms; a statement may take 700. */
export const PAGE_ROWS = 5_000
/** Smaller than any number in the table, even a forged one. */
export const BEFORE_ALL = Number.MIN_SAFE_INTEGER
/** More than are ever committed at once. */
const MOST_ROWS_OF_A_GROUP = 10_000
const MOST_BYTES_OF_A_GROUP = 64 * 1024 * 1024

/** Which rows are read. */
export interface AuditQuery {
  /** Rows after this number. */
  readonly after?: number | undefined
  /** Only rows of this request, in its logged form. There is no index on it: every row is looked at. */
  readonly requestId?: string
  /** Only rows from this time on. */
  readonly from?: number | undefined
  readonly most: number
  /** Newest first; `after` then means before. */
  readonly newestFirst?: boolean
}

/** A stored group with what is needed to read it. */
export interface ReadableGroup extends StoredGroup {
  readonly dictionary: string
  /** Hash of the row before the first. */
  readonly prev: string
}

export interface PageQuery {
  readonly place: number
  /** About how many rows; at most one group more. */
  readonly rows?: number
  readonly newestFirst?: boolean
  /** No group before the one that ends at this number. */
  readonly first?: number
}

interface GroupRow extends Omit<ReadableGroup, 'prev'> {
  /** The hash of the group before; null for the first one. */
  readonly previous: Uint8Array | null
  /** Where the stored rows begin with this group: the hash before them. */
  readonly startHash: string
}

/**
 * Whole groups after a row number, oldest first, or before it, newest first. Rows are numbered one after the other, so a range of numbers
 * bounds what a statement reads, however many rows a group has. It begins at the next group that exists. None: there are no more.
 */
export async function readPage(
  query: Query,
  { place, rows = PAGE_ROWS, newestFirst = false, first = BEFORE_ALL }: PageQuery,
): Promise<readonly ReadableGroup[]> {
  const range = newestFirst
    ? 'a.last_seq < $1 AND a.last_seq + $2 > (SELECT max(last_seq) FROM audit WHERE last_seq < $1)'
    : 'a.last_seq > $1 AND a.last_seq - $2 < (SELECT min(last_seq) FROM audit WHERE last_seq > $1)'
  // A dictionary that somebody has removed is empty.
  const sql = `SELECT a.last_seq AS "lastSeq", a.count, a.last_at AS "lastAt", a.packed, a.hash,
      coalesce((SELECT text FROM audit_context WHERE id = a.context), '') AS dictionary,
      (SELECT p.hash FROM audit p WHERE p.last_seq = a.last_seq - a.count) AS previous,
      CASE c.start_seq WHEN a.last_seq - a.count THEN c.start_hash ELSE '' END AS "startHash"
    FROM audit a, chain c WHERE ${range} AND a.last_seq >= $3
    ORDER BY a.last_seq ${newestFirst ? 'DESC' : 'ASC'}`
  return (await query<GroupRow>(sql, place, rows, first)).map(({ previous, startHash, ...group }) => {
    return { ...group, prev: previous === null ? startHash : endOf({ ...group, hash: previous }).hash }
  })
}

/** The rows that a query asks for. */
export async function readRows(query: Query, wanted: AuditQuery): Promise<readonly AuditRow[]> {
  const { after, from, requestId, newestFirst = false, most } = wanted
  const found: AuditRow[] = []
  let place = after ?? (newestFirst ? Number.MAX_SAFE_INTEGER : BEFORE_ALL)
  // The group that holds the limit itself may hold rows before it.
  if (newestFirst && after !== undefined) place = (await firstGroup(query, 'last_seq >= $1', after)) + 1
  const first = from === undefined ? BEFORE_ALL : await firstGroup(query, 'last_at >= $1', from)
  place = Math.max(place, first - 1)
  const rows = requestId === undefined ? Math.min(most, PAGE_ROWS) : PAGE_ROWS
  for (;;) {
    const page = await readPage(query, { place, rows, newestFirst, first })
    selectRows(page, wanted, found)
    const last = page.at(-1)
    if (last === undefined || found.length >= most) return found
    place = last.lastSeq
  }
}

/** The number at which the first group ends that a condition lets through; one after all rows where there is none. */
export async function firstGroup(
  query: Query,
  condition: 'last_seq >= $1' | 'last_at >= $1',
  value: number,
): Promise<number> {
  const sql = `SELECT min(last_seq) AS seq FROM audit WHERE ${condition}`
  const [row] = await query<{ readonly seq: number | null }>(sql, value)
  return row?.seq ?? Number.MAX_SAFE_INTEGER - 1
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
  const texts = unpack(group)?.split('\n') ?? []
  let last: ChainPoint = { seq: first - 1, hash: group.prev }
  const rows = texts.map((text) => {
    const row = linkRow(last, text)
    last = row
    return { ...row, at: timeOf(text) }
  })
  const lastAt = rows.reduce((latest, { at }) => Math.max(latest, at), 0)
  const end = rows[rows.length - 1]
  if (end === undefined || rows.length !== group.count || lastAt !== group.lastAt) {
    // The count itself may be damaged.
    const count = Math.max(1, Math.min(group.count, MOST_ROWS_OF_A_GROUP))
    return Array.from({ length: count }, (_each, place) => ({
      seq: group.lastSeq - count + 1 + place,
      at: group.lastAt,
      content: '',
      hash: '',
    }))
  }
  return rows.with(-1, { ...end, hash: endOf(group).hash })
}

/** The texts of a group, one a line; undefined where the bytes cannot be read. */
export function unpack({ packed, dictionary }: ReadableGroup): string | undefined {
  try {
    const options = { dictionary: Buffer.from(dictionary), maxOutputLength: MOST_BYTES_OF_A_GROUP }
    return inflateRawSync(packed, options).toString('utf8')
  } catch {
    return undefined
  }
}
