/** Groups of audit rows in the tables `audit` and `audit_context`. The second holds the dictionaries that groups are packed with. */
import type { AuditRow } from './audit-row.ts'
import { type ReadableGroup, type StoredGroup, commonPart, endOf, selectRows } from './audit-group.ts'
import type { Query } from '../sql.ts'
import type { AuditQuery } from '../store.ts'

/** Groups that one statement reads. */
const GROUPS_OF_A_PAGE = 200

interface Context {
  readonly id: number
  readonly text: string
}

interface GroupRow extends StoredGroup {
  readonly context: number
  /** The hash of the group before; null for the first one. */
  readonly previous: Uint8Array | null
  /** Where the stored rows begin. */
  readonly startSeq: number
  readonly startHash: string
}

export class GroupTable {
  /** Dictionaries by their number, and the number by the part that rows have in common. */
  private readonly dictionaries = new Map<number, string>()
  private readonly contexts = new Map<string, number>()

  /** The number of the dictionary for these rows. The first row of a kind is the dictionary of those after it. */
  async contextFor(query: Query, texts: string): Promise<number> {
    const common = commonPart(texts)
    const known = this.contexts.get(common)
    if (known !== undefined) return known
    const stored = await query<Context>('SELECT id, text FROM audit_context ORDER BY id')
    const same = stored.find(({ text }) => commonPart(text) === common)
    const [first = ''] = texts.split('\n', 1)
    const add = 'INSERT INTO audit_context (text) VALUES ($1) RETURNING id, text'
    const [context] = same === undefined ? await query<Context>(add, first) : [same]
    const { id, text } = context as Context
    this.contexts.set(common, id)
    this.dictionaries.set(id, text)
    return id
  }

  /** Empty where somebody has removed it. */
  async dictionary(query: Query, context: number): Promise<string> {
    const known = this.dictionaries.get(context)
    if (known !== undefined) return known
    const [row] = await query<Context>('SELECT id, text FROM audit_context WHERE id = $1', context)
    if (row !== undefined) this.dictionaries.set(context, row.text)
    return row?.text ?? ''
  }

  async insert(query: Query, group: StoredGroup, context: number): Promise<void> {
    const { lastSeq, count, lastAt, packed, hash } = group
    await query(
      'INSERT INTO audit VALUES ($1, $2, $3, $4, $5, $6)',
      lastSeq,
      count,
      lastAt,
      context,
      packed,
      hash,
    )
  }

  async read(query: Query, wanted: AuditQuery): Promise<readonly AuditRow[]> {
    const { after, from, newestFirst = false, most } = wanted
    const found: AuditRow[] = []
    let place = after ?? (newestFirst ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER)
    if (newestFirst && after !== undefined) {
      // The group that holds the limit itself may hold rows before it.
      const [holder] = await query<{ readonly seq: number | null }>(
        'SELECT min(last_seq) AS seq FROM audit WHERE last_seq >= $1',
        after,
      )
      place = (holder?.seq ?? Number.MAX_SAFE_INTEGER - 1) + 1
    }
    const since = from === undefined ? [] : [from]
    const sql = `SELECT a.last_seq AS "lastSeq", a.count, a.last_at AS "lastAt", a.context, a.packed, a.hash,
        (SELECT p.hash FROM audit p WHERE p.last_seq = a.last_seq - a.count) AS previous,
        c.start_seq AS "startSeq", c.start_hash AS "startHash"
      FROM audit a, chain c WHERE a.last_seq ${newestFirst ? '<' : '>'} $1
        ${from === undefined ? '' : 'AND a.last_seq >= (SELECT min(last_seq) FROM audit WHERE last_at >= $2)'}
      ORDER BY a.last_seq ${newestFirst ? 'DESC' : 'ASC'} LIMIT ${GROUPS_OF_A_PAGE}`
    for (;;) {
      const page = await query<GroupRow>(sql, place, ...since)
      const groups: ReadableGroup[] = []
      for (const row of page) {
        const start = row.startSeq === row.lastSeq - row.count ? row.startHash : ''
        const prev = row.previous === null ? start : endOf({ ...row, hash: row.previous }).hash
        groups.push({ ...row, prev, dictionary: await this.dictionary(query, row.context) })
      }
      selectRows(groups, wanted, found)
      const last = page.at(-1)
      if (last === undefined || page.length < GROUPS_OF_A_PAGE || found.length >= most) return found
      place = last.lastSeq
    }
  }
}
