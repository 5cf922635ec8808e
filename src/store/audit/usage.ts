/** Use over time, counted from the audit: what was asked, refused, scored and found wrong, hour by hour. */
import type { AuditRow } from './audit-row.ts'
import type { Reach } from '../keys/key-rules.ts'
import type { Store } from '../store.ts'

export interface UsageHour {
  /** The start of the hour. */
  readonly at: string
  readonly requests: number
  /** Answers with a status of 400 and more. */
  readonly refused: number
  readonly records: number
  readonly scored: number
  /** Problems by kind. */
  readonly problems: Readonly<Record<string, number>>
}

export interface KeyUsage {
  readonly keyId: string
  readonly requests: number
  readonly refused: number
  readonly records: number
  readonly scored: number
}

export interface Usage {
  readonly hours: readonly UsageHour[]
  /** The same time by key, the most records first. Answers without a known key are in no row. */
  readonly keys: readonly KeyUsage[]
  /** False when there were more rows than are counted at once; the oldest hours are then short. */
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
  readonly keyId?: string
  readonly deployment?: string
  /** ISO times: rows from the first on, and before the second. */
  readonly from?: string
  readonly to?: string
  readonly outcome?: 'answered' | 'refused'
  readonly calls?: 'scoring' | 'management'
}

const HOUR_MS = 3_600_000
const PAGE = 500
/** Counting is done while others wait for answers, so it has an end. */
const MOST_PAGES = 40

export function factsOf(row: AuditRow): AuditFacts {
  // A damaged row is reported by `audit verify`; it says nothing here.
  const said = JSON.parse(
    row.content || `{"seq":${row.seq},"at":"","requestId":"","keyId":null,"call":"damaged"}`,
  ) as AuditFacts
  const { seq, at, requestId, keyId, call, subject, deployment, model, status, code, records, scored } = said
  const { ended, via, problems, durationMs } = said
  const all = { subject, deployment, model, status, code, ended, via, records, scored, problems, durationMs }
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  return { seq, at, requestId, keyId, call, ...given }
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
  let after = before
  for (let page = 0; page < MOST_PAGES; page++) {
    const place = after === undefined ? {} : { after }
    const found = await store.readAudit({ most: Math.max(most, PAGE), newestFirst: true, ...place })
    for (const row of found) {
      const facts = factsOf(row)
      after = row.seq
      if (!isRowWithin(reach, facts) || !passesFilter(facts, filter)) continue
      rows.push(facts)
      if (rows.length === most) return { rows, next: after }
    }
    if (found.length < Math.max(most, PAGE)) return { rows, next: null }
  }
  return { rows, next: after ?? null }
}

export async function countUsage(
  store: Store,
  now: number,
  hours: number,
  reach: Reach = 'all',
): Promise<Usage> {
  const first = Math.floor(now / HOUR_MS) * HOUR_MS - (hours - 1) * HOUR_MS
  const counts = Array.from({ length: hours }, noUse)
  const keys = new Map<string, ReturnType<typeof noUse>>()
  const problems = Array.from({ length: hours }, (): Record<string, number> => ({}))
  let before: number | undefined
  let isComplete = false
  for (let page = 0; page < MOST_PAGES && !isComplete; page++) {
    const place = before === undefined ? {} : { after: before }
    const rows = await store.readAudit({ from: first, most: PAGE, newestFirst: true, ...place })
    for (const row of rows) {
      const hour = Math.floor((row.at - first) / HOUR_MS)
      const count = counts[hour]
      if (count === undefined) continue
      const facts = factsOf(row)
      const { keyId, status = 0, ended, records = 0, scored = 0, problems: found = {} } = facts
      // The row in which a stream ends counts it. A stream that was killed has no such row, and what it answered is unknown.
      if (ended === 'begun' || !isRowWithin(reach, facts)) continue
      const byKey = keyId === null ? undefined : (keys.get(keyId) ?? noUse())
      if (keyId !== null && byKey !== undefined) keys.set(keyId, byKey)
      for (const each of byKey === undefined ? [count] : [count, byKey]) {
        each.requests++
        if (status >= 400) each.refused++
        each.records += records
        each.scored += scored
      }
      const kinds = problems[hour] ?? {}
      for (const [kind, number] of Object.entries(found)) kinds[kind] = (kinds[kind] ?? 0) + number
    }
    before = rows.at(-1)?.seq
    isComplete = rows.length < PAGE
  }
  return {
    complete: isComplete,
    keys: [...keys]
      .map(([keyId, count]) => ({ keyId, ...count }))
      .sort((a, b) => b.records - a.records || b.requests - a.requests),
    hours: counts.map((count, hour) => ({
      at: new Date(first + hour * HOUR_MS).toISOString(),
      ...count,
      problems: problems[hour] ?? {},
    })),
  }
}

function noUse(): { requests: number; refused: number; records: number; scored: number } {
  return { requests: 0, refused: 0, records: 0, scored: 0 }
}

function passesFilter(facts: AuditFacts, filter: AuditFilter): boolean {
  const { keyId, deployment, from, to, outcome, calls } = filter
  if (keyId !== undefined && facts.keyId !== keyId) return false
  if (deployment !== undefined && facts.deployment !== deployment) return false
  if (from !== undefined && facts.at < from) return false
  if (to !== undefined && facts.at >= to) return false
  if (outcome !== undefined && (outcome === 'refused') !== (facts.status ?? 0) >= 400) return false
  return calls === undefined || (calls === 'scoring') === isScoring(facts.call)
}

/** Calls that judge or score records; all others read the catalogue or manage keys. */
function isScoring(call: string): boolean {
  return /^(score|validate|explain|stream)/.test(call)
}
