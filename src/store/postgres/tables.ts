/** The tables of the PostgreSQL store, as kysely checks statements against them. */
import type { Generated } from 'kysely'
import type { GroupRow } from '../audit/audit-group.ts'
import type { KeyRow } from '../keys/key-row.ts'

interface ChainTable {
  readonly id: number
  readonly start_seq: number
  readonly start_hash: string
  readonly head_seq: number
  readonly head_hash: string
  readonly latest_time: number
  readonly secret_fingerprint: string | null
}

export interface Tables {
  readonly keys: KeyRow
  readonly audit: GroupRow
  readonly audit_context: { readonly id: Generated<number>; readonly text: string }
  readonly chain: ChainTable
  readonly quota: {
    readonly counter: string
    readonly started_at: number
    readonly taken: number
    readonly granted: number
  }
  readonly schema_version: { readonly version: number }
}
