/** Groups of audit rows in the tables `audit` and `audit_context`. The second holds the dictionaries that groups are packed with. */
import type { AuditRow } from './audit-row.ts'
import { type ReadableGroup, type StoredGroup, commonPart, endOf, selectRows } from './audit-group.ts'
import type { Query } from '../sql.ts'
import type { AuditQuery } from '../store.ts'

/** Groups that one statement reads. */
const GROUPS_OF_A_PAGE = 200

/** A dictionary: the first row of a deployment. */
export interface Dictionary {
  readonly id: number
  readonly text: string
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

export async function insertGroup(query: Query, group: StoredGroup, dictionary: Dictionary): Promise<void> {
  const { lastSeq, count, lastAt, packed, hash } = group
  const values = [lastSeq, count, lastAt, dictionary.id, packed, hash]
  await query('INSERT INTO audit VALUES ($1, $2, $3, $4, $5, $6)', ...values)
}

interface GroupRow extends Omit<ReadableGroup, 'prev'> {
  /** The hash of the group before; null for the first one. */
  readonly previous: Uint8Array | null
  /** Where the stored rows begin with this group: the hash before them. */
  readonly startHash: string
}

export async function readGroups(query: Query, wanted: AuditQuery): Promise<readonly AuditRow[]> {
  const { after, from, newestFirst = false, most } = wanted
  const found: AuditRow[] = []
  let place = after ?? (newestFirst ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER)
  if (newestFirst && after !== undefined) {
    // The group that holds the limit itself may hold rows before it.
    const holding = 'SELECT min(last_seq) AS seq FROM audit WHERE last_seq >= $1'
    const [holder] = await query<{ readonly seq: number | null }>(holding, after)
    place = (holder?.seq ?? Number.MAX_SAFE_INTEGER - 1) + 1
  }
  const since = from === undefined ? [] : [from]
  // A dictionary that somebody has removed is empty.
  const sql = `SELECT a.last_seq AS "lastSeq", a.count, a.last_at AS "lastAt", a.packed, a.hash,
      coalesce((SELECT text FROM audit_context WHERE id = a.context), '') AS dictionary,
      (SELECT p.hash FROM audit p WHERE p.last_seq = a.last_seq - a.count) AS previous,
      CASE c.start_seq WHEN a.last_seq - a.count THEN c.start_hash ELSE '' END AS "startHash"
    FROM audit a, chain c WHERE a.last_seq ${newestFirst ? '<' : '>'} $1
      ${from === undefined ? '' : 'AND a.last_seq >= (SELECT min(last_seq) FROM audit WHERE last_at >= $2)'}
    ORDER BY a.last_seq ${newestFirst ? 'DESC' : 'ASC'} LIMIT ${GROUPS_OF_A_PAGE}`
  for (;;) {
    const page = await query<GroupRow>(sql, place, ...since)
    const groups = page.map(({ previous, startHash, ...group }) => {
      return { ...group, prev: previous === null ? startHash : endOf({ ...group, hash: previous }).hash }
    })
    selectRows(groups, wanted, found)
    const last = page.at(-1)
    if (last === undefined || page.length < GROUPS_OF_A_PAGE || found.length >= most) return found
    place = last.lastSeq
  }
}
