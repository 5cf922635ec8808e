/** Use over time, counted from the audit: what was asked, refused, scored and found wrong, hour by hour. */
import { type AuditFacts, factsOf } from './audit-facts.ts'
import type { AuditRow } from './audit-row.ts'
import { type CountedUse, HOUR_MS, type UseCounts } from './usage-counters.ts'
import type { Reach } from '../keys/keys.ts'
import type { AuditQuery } from './read-groups.ts'
import type { Store } from '../store.ts'

/** `at` is the start of the hour; problems are counted by kind. */
type UsageHour = Omit<UseCounts, 'page'> & { readonly at: string; readonly problems: Record<string, number> }

export interface Usage {
  readonly hours: readonly Readonly<UsageHour>[]
  /** The same time by key, the most records first. Answers without a known key are in no row. */
  readonly keys: CountedUse['keys']
  /** False while rows of this time are not counted yet, or were removed before they were. */
  readonly complete: boolean
  /** The counters say everything from this time on; null: from the first row on. */
  readonly exactSince: string | null
}

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

/** Calls that judge or score records; all others read the catalogue or manage keys. */
const SCORING = /^(score|validate|explain|stream)/
const NO_USE = { requests: 0, refused: 0, records: 0, scored: 0 }
const PAGE = 500
const MOST_PAGES = 40

/** Whether a row belongs to a deployment within an administrator's reach. */
export function isRowWithin(reach: Reach, { deployment }: AuditFacts): boolean {
  return reach === 'all' || (typeof deployment === 'string' && reach.includes(deployment))
}

/** The newest rows within reach that a filter lets through, and where the next page begins; null on the last page. */
export async function listRows(
  store: Store,
  reach: Reach,
  { most, before }: { readonly most: number; readonly before: number | undefined },
  filter: AuditFilter = {},
): Promise<{ readonly rows: readonly AuditFacts[]; readonly next: number | null }> {
  const rows: AuditFacts[] = []
  let last: number | null = null
  const query = { most: Math.max(most, PAGE), after: before, newestFirst: true }
  const isEnd = await visitRows(store, query, (row) => {
    const facts = factsOf(row)
    last = row.seq
    if (isRowWithin(reach, facts) && passesFilter(facts, filter)) rows.push(facts)
    return rows.length < most
  })
  return { rows, next: isEnd ? null : last }
}

/** Steps in which a question counts the newest rows: those of seconds. Where more are left, the answer says that it is not complete. */
const MOST_STEPS = 20

export async function countUsage(store: Store, now: number, hours: number, reach: Reach): Promise<Usage> {
  const last = Math.floor(now / HOUR_MS) * HOUR_MS
  const first = last - (hours - 1) * HOUR_MS
  const deployments = reach === 'all' ? undefined : reach
  // A store that takes no writes can still say what was counted before.
  const countSome = (): Promise<boolean> => store.countRows().catch(() => true)
  let isMore = true
  for (let steps = 0; isMore && steps < MOST_STEPS; steps++) isMore = await countSome()
  const { since, ...counted } = await store.readUsage({ first, last, deployments })
  const counts = Array.from({ length: hours }, (_each, hour): UsageHour => {
    return { at: new Date(first + hour * HOUR_MS).toISOString(), ...NO_USE, problems: {} }
  })
  for (const { hour, ...use } of counted.hours) Object.assign(counts[(hour - first) / HOUR_MS] ?? {}, use)
  for (const { hour, kind, number } of counted.problems) {
    const inHour = counts[(hour - first) / HOUR_MS]
    if (inHour !== undefined) inHour.problems[kind] = number
  }
  const keys = counted.keys.map((use) => ({ ...use }))
  keys.sort((a, b) => b.records - a.records || b.requests - a.requests || (a.keyId < b.keyId ? -1 : 1))
  const exactSince = since === 0 ? null : new Date(since).toISOString()
  return { complete: !isMore && since <= first, exactSince, keys, hours: counts }
}

/** Visits rows. Returns false if it stopped early or reached `mostPages`, which bounds the time. */
export async function visitRows(
  store: Store,
  query: AuditQuery,
  visit: (row: AuditRow) => boolean,
  mostPages = MOST_PAGES,
): Promise<boolean> {
  let { after } = query
  for (let page = 0; page < mostPages; page++) {
    const rows = await store.readAudit({ ...query, after })
    for (const row of rows) {
      if (!visit(row)) return false
    }
    if (rows.length < query.most) return true
    after = rows.at(-1)?.seq
  }
  return false
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
