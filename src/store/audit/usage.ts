/** Use over time, counted from the audit: what was asked, refused, scored and found wrong, hour by hour. */
import { type AuditRow, contentOf } from './audit-row.ts'
import type { Reach } from '../keys/keys.ts'
import type { AuditQuery, Store } from '../store.ts'

/** Refused are answers with a status of 400 and more. */
type UseCounts = Record<'requests' | 'refused' | 'records' | 'scored', number>

/** `at` is the start of the hour; problems are counted by kind. */
type UsageHour = UseCounts & { readonly at: string; readonly problems: Record<string, number> }

/** `page` counts the requests that came from the page of the service. */
type KeyUse = UseCounts & { page: number }

export interface Usage {
  readonly hours: readonly Readonly<UsageHour>[]
  /** The same time by key, the most records first. Answers without a known key are in no row. */
  readonly keys: readonly (Readonly<KeyUse> & { readonly keyId: string })[]
  /** False when there were more rows than are counted at once; the oldest hours are then incomplete. */
  readonly complete: boolean
}

/** The members of a row's text that are read outside the chain. */
export interface AuditFacts {
  readonly seq: number
  readonly at: string
  readonly requestId: string
  readonly keyId: string | null
  readonly call: string
  readonly subject?: string
  readonly deployment?: string | null
  readonly model?: string | null
  readonly status?: number
  readonly code?: string
  /** Of a stream: that it has begun, or how it ended. */
  readonly ended?: string
  /** `page` where a browser made the call from a page of the service itself. */
  readonly via?: string
  readonly records?: number
  readonly scored?: number
  readonly problems?: Readonly<Record<string, number>>
  readonly durationMs?: number
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

/** In the order in which they are shown. */
const FACTS = (
  'seq at requestId keyId call subject deployment model status code ended via records scored ' +
  'problems durationMs'
).split(' ') as readonly (keyof AuditFacts)[]
/** Calls that judge or score records; all others read the catalogue or manage keys. */
const SCORING = /^(score|validate|explain|stream)/
const NO_USE: Readonly<UseCounts> = { requests: 0, refused: 0, records: 0, scored: 0 }
const HOUR_MS = 3_600_000
const PAGE = 500
const MOST_PAGES = 40

export function factsOf(row: AuditRow): AuditFacts {
  // A damaged row is reported by `audit verify`; here it has no facts.
  const damaged: AuditFacts = { seq: row.seq, at: '', requestId: '', keyId: null, call: 'damaged' }
  const known = { ...damaged, ...contentOf(row) }
  return Object.fromEntries(
    FACTS.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]]])),
  ) as unknown as AuditFacts
}

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
  let last = before ?? null
  const query = { most: Math.max(most, PAGE), after: before, newestFirst: true }
  const isEnd = await visitRows(store, query, (row) => {
    const facts = factsOf(row)
    last = row.seq
    if (isRowWithin(reach, facts) && passesFilter(facts, filter)) rows.push(facts)
    return rows.length < most
  })
  return { rows, next: isEnd ? null : last }
}

export async function countUsage(store: Store, now: number, hours: number, reach: Reach): Promise<Usage> {
  const first = Math.floor(now / HOUR_MS) * HOUR_MS - (hours - 1) * HOUR_MS
  const counts = Array.from({ length: hours }, (_each, hour): UsageHour => {
    return { at: new Date(first + hour * HOUR_MS).toISOString(), ...NO_USE, problems: {} }
  })
  const keys = new Map<string, KeyUse>()
  const complete = await visitRows(store, { most: PAGE, from: first, newestFirst: true }, (row) => {
    const hour = counts[Math.floor((row.at - first) / HOUR_MS)]
    if (hour === undefined) return true
    const facts = factsOf(row)
    const { keyId, status = 0, ended, via, records = 0, scored = 0, problems = {} } = facts
    // The row in which a stream ends counts it. A stream that was killed has no such row, and what it answered is unknown.
    if (ended === 'begun' || !isRowWithin(reach, facts)) return true
    const counted: UseCounts[] = [hour]
    if (keyId !== null) {
      const byKey = keys.get(keyId) ?? { ...NO_USE, page: 0 }
      keys.set(keyId, byKey)
      if (via === 'page') byKey.page++
      counted.push(byKey)
    }
    for (const each of counted) {
      each.requests++
      if (status >= 400) each.refused++
      each.records += records
      each.scored += scored
    }
    for (const [kind, number] of Object.entries(problems)) {
      hour.problems[kind] = (hour.problems[kind] ?? 0) + number
    }
    return true
  })
  const byUse = [...keys].map(([keyId, count]) => ({ keyId, ...count }))
  byUse.sort((a, b) => b.records - a.records || b.requests - a.requests)
  return { complete, keys: byUse, hours: counts }
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
    for (const row of rows) if (!visit(row)) return false
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
