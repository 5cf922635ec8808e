/** Rows of version 0.1.0, which had a table row for each row of the chain, become groups. Content and hash of every row stay as they are. */
import { type StoredGroup, packTexts, timeOf } from './audit-group.ts'
import { type AuditRow, textOf } from './audit-row.ts'
import { type Context, contextFor, insertGroup } from './group-table.ts'
import type { Query } from '../sql.ts'

const ROWS_OF_A_GROUP = 200
const PAGE = `SELECT seq, at, content, hash FROM audit_0_1 WHERE seq > $1 ORDER BY seq LIMIT ${10 * ROWS_OF_A_GROUP}`

/** Copies the rows of the table `audit_0_1` into the new tables, which are empty. */
export async function copyOldRows(query: Query): Promise<void> {
  const contexts = new Map<string, Context>()
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const rows = await query<AuditRow>(PAGE, after)
    for (const group of groupsOf(rows)) {
      const texts = group.map(({ content }) => textOf(content)).join('\n')
      const context = await contextFor(query, contexts, texts)
      await insertGroup(query, packRows(group, texts, context.text), context)
    }
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.seq
  }
}

/** Rows in the order of their numbers; a group has no gap. */
function groupsOf(rows: readonly AuditRow[]): readonly (readonly AuditRow[])[] {
  const groups: AuditRow[][] = []
  for (const row of rows) {
    const group = groups[groups.length - 1]
    const isNext = group?.[group.length - 1]?.seq === row.seq - 1
    if (group !== undefined && isNext && group.length < ROWS_OF_A_GROUP) group.push(row)
    else groups.push([row])
  }
  return groups
}

/** The stored hash is kept, not computed again: a row that was changed before still shows when the chain is verified. */
function packRows(rows: readonly AuditRow[], texts: string, dictionary: string): StoredGroup {
  const last = rows.at(-1)
  return {
    lastSeq: last?.seq ?? 0,
    count: rows.length,
    // What the row says is covered by its hash, the column beside it was not.
    lastAt: Math.max(...rows.map(({ content, at }) => timeOf(content) || at)),
    packed: packTexts(texts, dictionary),
    hash: Buffer.from(last?.hash ?? '', 'base64'),
  }
}
