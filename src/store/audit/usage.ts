/** Use over time, counted from the audit: what was asked, refused, scored and found wrong, hour by hour. */
import type { AuditRow } from './audit-row.ts'
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

export interface Usage {
  readonly hours: readonly UsageHour[]
  /** False when there were more rows than are counted at once; the oldest hours are then short. */
  readonly complete: boolean
}

/** What a row says, as far as others than the chain itself are concerned. */
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
  readonly records?: number
  readonly scored?: number
  readonly problems?: Readonly<Record<string, number>>
  readonly durationMs?: number
}

const HOUR_MS = 3_600_000
const PAGE = 500
/** Counting is done while others wait for answers, so it has an end. */
const MOST_PAGES = 40

export function factsOf(row: AuditRow): AuditFacts {
  const said = JSON.parse(row.content) as AuditFacts
  const { seq, at, requestId, keyId, call, subject, deployment, model, status, code, records, scored } = said
  const { ended, problems, durationMs } = said
  const all = { subject, deployment, model, status, code, ended, records, scored, problems, durationMs }
  const told = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  return { seq, at, requestId, keyId, call, ...told }
}

export async function countUsage(store: Store, now: number, hours: number): Promise<Usage> {
  const first = Math.floor(now / HOUR_MS) * HOUR_MS - (hours - 1) * HOUR_MS
  const counts = Array.from({ length: hours }, () => ({ requests: 0, refused: 0, records: 0, scored: 0 }))
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
      const { status = 0, ended, records = 0, scored = 0, problems: found = {} } = factsOf(row)
      // The row in which a stream ends counts it. One that was killed has none, and nobody knows what it has answered.
      if (ended === 'begun') continue
      count.requests++
      if (status >= 400) count.refused++
      count.records += records
      count.scored += scored
      const kinds = problems[hour] ?? {}
      for (const [kind, number] of Object.entries(found)) kinds[kind] = (kinds[kind] ?? 0) + number
    }
    before = rows.at(-1)?.seq
    isComplete = rows.length < PAGE
  }
  return {
    complete: isComplete,
    hours: counts.map((count, hour) => ({
      at: new Date(first + hour * HOUR_MS).toISOString(),
      ...count,
      problems: problems[hour] ?? {},
    })),
  }
}
