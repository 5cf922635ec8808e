/** The contract of every store: the counters of use are what a recount of the rows gives. */
import assert from 'node:assert/strict'
import { factsOf } from '../../../src/store/audit/audit-facts.ts'
import { type AuditEntry, makeEntry } from '../../../src/store/audit/audit-row.ts'
import { type Usage, countUsage } from '../../../src/store/audit/usage.ts'
import { allRows } from '../../../src/store/audit/verify-chain.ts'
import type { Store } from '../../../src/store/store.ts'
import { untilSucceeds } from '../../../../../test/support/until.ts'
import { onEachStore } from './each-store.ts'

const HOUR = 3_600_000
const NOW = 500_000 * HOUR + 5_000
const HOURS = 6

let seed = 28
const below = (limit: number): number => (seed = (seed * 48_271) % 2_147_483_647) % limit

/** Any row: of each key, deployment, outcome and kind, also some hours before and after those that are asked for. */
function anyEntry(): AuditEntry {
  const pick = <T>(...values: readonly T[]): T => values[below(values.length)] as T
  const problems = pick(undefined, {}, { ValueMissing: below(4), 'Value\u0000 "odd': 1 }, { ValueError: 2 })
  return makeEntry({
    at: NOW + HOUR - below((HOURS + 3) * HOUR),
    requestId: `r${below(1e6)}`,
    keyId: pick(null, 'key-a', 'key-b', 'key-c'),
    call: pick('score', 'stream', 'retention'),
    deployment: pick(undefined, null, 'x', 'y', 'z'),
    status: pick(undefined, 200, 399, 400, 503),
    ended: pick(undefined, undefined, 'begun', 'complete'),
    via: pick(undefined, 'page', 'file'),
    records: pick<number | string | undefined>(undefined, below(9), 'many', -1),
    scored: below(5),
    problems,
  })
}

/** The same figures from the rows themselves. */
async function recount(
  store: Store,
  reach: 'all' | readonly string[],
): Promise<Pick<Usage, 'hours' | 'keys'>> {
  const first = Math.floor(NOW / HOUR) * HOUR - (HOURS - 1) * HOUR
  const none = { requests: 0, refused: 0, records: 0, scored: 0 }
  const hours = Array.from({ length: HOURS }, (_each, hour) => {
    const problems: Record<string, number> = {}
    return { at: new Date(first + hour * HOUR).toISOString(), ...none, problems }
  })
  const keys = new Map<string, typeof none & { page: number }>()
  const whole = (value: unknown): number => (Number.isSafeInteger(value) ? Number(value) : 0)
  for await (const row of allRows(store)) {
    const hour = hours[Math.floor((row.at - first) / HOUR)]
    const { ended, deployment, keyId, status = 0, via, records, scored, problems = {} } = factsOf(row)
    if (hour === undefined || ended === 'begun') continue
    if (reach !== 'all' && !reach.includes(deployment ?? '')) continue
    const byKey = keys.get(keyId ?? '') ?? { ...none, page: 0 }
    keys.set(keyId ?? '', byKey)
    for (const each of [hour, byKey]) {
      each.requests++
      if (status >= 400) each.refused++
      each.records += whole(records)
      each.scored += whole(scored)
    }
    if (via === 'page') byKey.page++
    for (const [kind, number] of Object.entries(problems)) {
      const name = kind.replaceAll('\0', '')
      hour.problems[name] = (hour.problems[name] ?? 0) + number
    }
  }
  keys.delete('')
  return { hours, keys: [...keys].map(([keyId, use]) => ({ keyId, ...use })) }
}

async function assertCounted(store: Store): Promise<void> {
  for (const reach of ['all', ['x'], ['x', 'z'], []] as const) {
    const { complete, exactSince, hours, keys } = await countUsage(store, NOW, HOURS, reach)
    const expected = await recount(store, reach)
    assert.deepEqual([complete, exactSince, hours], [true, null, expected.hours])
    const byId = (all: Usage['keys']): Usage['keys'] => [...all].sort((a, b) => (a.keyId < b.keyId ? -1 : 1))
    assert.deepEqual(byId(keys), byId(expected.keys))
  }
}

onEachStore((given, test) => {
  test('the counters equal a recount, with two processes that append at once', async () => {
    const { store: other } = await given.place.open()
    await Promise.all(
      [given.store, other].map(async (each) => {
        for (let group = 0; group < 8; group++) {
          await untilSucceeds(() => each.appendAudit(Array.from({ length: 1 + below(30) }, anyEntry)))
        }
      }),
    )
    await other.close()
    await assertCounted(given.store)
  })

  test('rows that a process without counters has chained are counted later, and until then not called complete', async () => {
    await given.place.tamper(
      'DELETE FROM usage; DELETE FROM usage_problems; UPDATE chain SET counted_seq = 0, counted_since = 0',
    )
    await given.store.appendAudit([anyEntry()])
    const { countedSeq, head } = await given.store.chainEnds()
    assert.ok(countedSeq < head.seq)
    await assertCounted(given.store)
    await given.store.appendAudit([anyEntry(), anyEntry()])
    await assertCounted(given.store)
  })

  test('retention leaves the counters; those of more than 400 days ago are removed', async () => {
    const before = await countUsage(given.store, NOW, HOURS, 'all')
    while ((await given.store.pruneAudit(NOW + 9 * HOUR, NOW + 99 * HOUR)) > 0);
    assert.deepEqual(await countUsage(given.store, NOW, HOURS, 'all'), before)
    await given.store.tidyAudit(NOW + 399 * 24 * HOUR)
    assert.deepEqual(await countUsage(given.store, NOW, HOURS, 'all'), before)
    await given.store.tidyAudit(NOW + 402 * 24 * HOUR)
    assert.deepEqual((await countUsage(given.store, NOW, HOURS, 'all')).keys, [])
  })

  test('rows that were removed before they were counted are not called complete', async () => {
    await given.store.appendAudit([anyEntry(), anyEntry()])
    const { head } = await given.store.chainEnds()
    await given.place.tamper(`UPDATE chain SET counted_seq = 1`)
    while (await given.store.countRows());
    assert.equal((await given.store.chainEnds()).countedSeq, head.seq)
    const { complete, exactSince } = await countUsage(given.store, NOW, HOURS, 'all')
    assert.equal(complete, false)
    assert.notEqual(exactSince, null)
  })
})
