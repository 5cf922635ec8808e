/** One page of the audit, the newest rows first, as an administrator sees it. A page is bounded by its rows and by the work for them. */
import { type AuditFacts, factsOf } from './audit-facts.ts'
import { BEFORE_ALL, firstGroup, readPage, rowsOf } from './read-groups.ts'
import type { Query } from '../sql.ts'

/** Which rows are wanted. */
export interface AuditFilter {
  readonly keyId?: string | undefined
  readonly deployment?: string | undefined
  /** ISO times: rows from the first on, and before the second. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly outcome?: 'answered' | 'refused' | undefined
  readonly calls?: 'scoring' | 'management' | undefined
}

export interface ListedRows {
  /** All where absent. */
  readonly deployments?: readonly string[] | undefined
  readonly filter: AuditFilter
  readonly most: number
  /** Only rows before this number. */
  readonly before: number | undefined
}

export interface AuditPage {
  readonly rows: readonly AuditFacts[]
  /** Where the next page begins; null on the last one. A page may be empty and have a next one. */
  readonly next: number | null
}

/** Calls that judge or score records; all others read the catalogue or manage keys. */
const SCORING = /^(score|validate|explain|stream)/
/** Rows that a statement reads. With PostgreSQL they are unpacked in the thread that answers requests: some 2 ms. */
const STEP_ROWS = 500
/** Rows that a page looks at: some 20 ms. */
export const MOST_LOOKED_AT = 5_000

/** The rows of these deployments that a filter lets through. */
export async function listRows(
  query: Query,
  { deployments, filter, most, before = Infinity }: ListedRows,
): Promise<AuditPage> {
  const from = filter.from === undefined ? -Infinity : Date.parse(filter.from)
  const first = from === -Infinity ? BEFORE_ALL : await firstGroup(query, 'last_at >= $1', from)
  let place = Number.MAX_SAFE_INTEGER
  // The group that holds the limit itself may hold rows before it.
  if (before < place) place = (await firstGroup(query, 'last_seq >= $1', before)) + 1
  const rows: AuditFacts[] = []
  let last = before
  for (let looked = 0; looked < MOST_LOOKED_AT;) {
    const groups = await readPage(query, { place, rows: STEP_ROWS, newestFirst: true, first })
    if (groups.length === 0) return { rows, next: null }
    for (const group of groups) {
      const older = rowsOf(group).filter(({ seq }) => seq < before)
      for (const row of older.reverse()) {
        last = row.seq
        const facts = factsOf(row)
        if (isOfOne(deployments, facts) && passesFilter(facts, filter)) rows.push(facts)
        if (rows.length === most) return { rows, next: last }
      }
      looked += older.length
      place = group.lastSeq
    }
  }
  return { rows, next: last }
}

/** Whether a row belongs to one of the deployments that an administrator manages. */
export function isOfOne(deployments: readonly string[] | undefined, { deployment }: AuditFacts): boolean {
  return deployments === undefined || (typeof deployment === 'string' && deployments.includes(deployment))
}

function passesFilter(facts: AuditFacts, filter: AuditFilter): boolean {
  const { keyId, deployment, from, to, outcome, calls } = filter
  if (keyId !== undefined && facts.keyId !== keyId) return false
  if (deployment !== undefined && facts.deployment !== deployment) return false
  if (from !== undefined && facts.at < from) return false
  if (to !== undefined && facts.at >= to) return false
  if (outcome !== undefined && (outcome === 'refused') !== (facts.status ?? 0) >= 400) return false
  return calls === undefined || (calls === 'scoring') === SCORING.test(facts.call)
}
