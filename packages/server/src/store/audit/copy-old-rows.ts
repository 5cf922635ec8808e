/** Packs the rows of version 0.1.0, which were one table row each, into groups. Content and hash of every row stay as they are. */
import { type AuditRow, textOf } from './audit-row.ts'
import { dictionaryFor, insertGroup, packTexts, timeOf } from './write-groups.ts'
import type { QueueSeal } from '@patient-risk/runtime'
import type { Query } from '../sql.ts'

const ROWS_OF_A_GROUP = 200
const PAGE = `SELECT seq, at, content, hash FROM audit_0_1 WHERE seq > $1 ORDER BY seq LIMIT ${ROWS_OF_A_GROUP}`

/** Rows that retention removed before there were counters and parts: the counters begin after them, and they are a part without a month. */
export const NOTE_REMOVED_ROWS = `UPDATE chain SET counted_seq = start_seq,
  counted_since = coalesce((SELECT min(last_at) FROM audit), latest_time),
  parts = '[["",' || start_seq || ',"' || start_hash || '"]]' WHERE start_seq > 0`

/** Copies the rows of the table `audit_0_1` into the new tables, which are empty. */
export async function copyOldRows(query: Query): Promise<void> {
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const page = await query<AuditRow>(PAGE, after)
    // A group has no gap: what comes after one belongs to the next group.
    const rows = page.filter(({ seq }, place) => seq === (page[0]?.seq ?? 0) + place)
    const last = rows[rows.length - 1]
    if (last === undefined) return
    const texts = rows.map(({ content }) => textOf(content))
    const dictionary = await dictionaryFor(query, texts[0] ?? '')
    const group = {
      lastSeq: last.seq,
      count: rows.length,
      // The text of the row is covered by its hash; the column was not.
      lastAt: Math.max(...rows.map(({ content, at }) => timeOf(content) || at)),
      packed: packTexts(texts.join('\n'), dictionary.text),
      // Kept, not computed again: a row that was changed before still shows when the chain is verified.
      hash: Buffer.from(last.hash, 'base64'),
    }
    await insertGroup(query, group, dictionary)
    after = last.seq
  }
}

/** Versions before this one did not seal what they queued. */
export async function sealQueue(query: Query, seal: QueueSeal): Promise<void> {
  const sql =
    'SELECT texts, secret_fingerprint AS "inUse" FROM audit_queue_0_1, chain ORDER BY audit_queue_0_1.id'
  const old = await query<{ readonly texts: string; readonly inUse: string | null }>(sql)
  for (const { texts, inUse } of old)
    await query('INSERT INTO audit_queue (texts, seal) VALUES ($1, $2)', texts, seal.make(texts, inUse))
}
