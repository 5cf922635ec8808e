/** Use over time, counted from the audit: what was asked, refused, scored and found wrong, hour by hour. */
import { type CountedUse, HOUR_MS, type UseCounts } from './usage-counters.ts'
import type { Reach } from '../keys/keys.ts'
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

const NO_USE = { requests: 0, refused: 0, records: 0, scored: 0 }
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
