/** Outcomes that came with the risk of the shadow model too: counts by both risks, and by whom each of the two models flags. */
import type { ShadowCounts } from '@patient-risk/monitor'
import { addRows } from '../audit/usage-counters.ts'
import type { Query } from '../sql.ts'
import {
  type PackedShadow,
  SHADOW_TABLES,
  type ShadowRow,
  type ShadowTable,
  ofAnswer,
  rowsOf,
} from './packed-shadow.ts'

/** Among the digests of a deployment. */
export function shadowName({ digest }: { readonly digest: string }): string {
  return `shadow ${digest}`
}

/** Rows of one table, and the digest of the shadow that they are of. */
export interface ShadowPart {
  readonly table: ShadowTable
  readonly shadow: string
  readonly rows: readonly ShadowRow[]
}

/** Gives the number of a digest. */
type IdOf = (digest: string) => Promise<number>

const WHICH = `digest_id = (SELECT id FROM outcome_digests WHERE deployment = $1 AND digest = $2)
  AND shadow_id = (SELECT id FROM outcome_digests WHERE deployment = $1 AND digest = $3)`

/** Inside the transaction of the outcomes. */
export async function addShadow(
  query: Query,
  { digest: shadow, cells }: { readonly digest: string; readonly cells: PackedShadow },
  idOf: IdOf,
): Promise<void> {
  for (const table of SHADOW_TABLES)
    for (const part of cells[table]) await addShadowPart(query, { table, shadow, rows: rowsOf(part) }, idOf)
}

export async function addShadowPart(
  query: Query,
  { table, shadow, rows }: ShadowPart,
  idOf: IdOf,
): Promise<void> {
  const shadowId = await idOf(shadow)
  const ids = new Map<string, number>()
  for (const digest of new Set(rows.map(([each]) => each))) ids.set(digest, await idOf(digest))
  const stored = rows.map(([digest, month, ...numbers]) => [
    ids.get(digest) as number,
    shadowId,
    month,
    ...numbers,
  ])
  await addRows(query, table, stored)
}

export async function readShadowCounts(
  query: Query,
  deployment: string,
  digest: string,
  shadow: string,
  waiting: readonly ShadowPart[] = [],
): Promise<ShadowCounts> {
  const values = [deployment, digest, shadow]
  interface Row {
    readonly month: string
    readonly bin: number
    readonly outcome: number
    readonly number: number
    readonly units: number
  }
  const risks = await query<Row>(
    `SELECT month, bin, kind AS outcome, number, units FROM shadow_counts WHERE ${WHICH}`,
    ...values,
  )
  const flags = await query<ShadowCounts['flags'][number]>(
    `SELECT month, flagged, shadow_flagged AS "shadowFlagged", kind AS outcome, number FROM shadow_flags WHERE ${WHICH}`,
    ...values,
  )
  const own = waiting.filter((part) => part.shadow === shadow)
  const rowsIn = (table: ShadowTable): readonly ShadowRow[] =>
    own.filter((part) => part.table === table).flatMap(({ rows }) => rows.filter(([each]) => each === digest))
  const allRisks = [
    ...risks,
    ...rowsIn('shadow_counts').map(([, month, bin = 0, outcome = 0, number = 0, units = 0]) => {
      return { month, bin, outcome, number, units }
    }),
  ]
  const allFlags = [
    ...flags,
    ...rowsIn('shadow_flags').map(([, month, flagged = 0, shadowFlagged = 0, outcome = 0, number = 0]) => {
      return { month, flagged, shadowFlagged, outcome, number }
    }),
  ]
  // Whoever reads them adds up, so one that waits need not be added to its row here.
  return {
    risks: allRisks.map(({ bin, ...row }) => {
      return { ...row, isShadow: bin >= 0, bin: bin >= 0 ? bin : ofAnswer(bin) }
    }),
    flags: allFlags,
  }
}
