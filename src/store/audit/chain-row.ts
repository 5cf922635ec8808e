/** The row that records where the audit chain begins and ends, and what else is kept of the store as a whole. */
import type { ChainEnds } from './audit-row.ts'
import { readParts } from './dropped-parts.ts'
import type { Query } from '../sql.ts'

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
    parts: readParts(row.parts),
  }
}
