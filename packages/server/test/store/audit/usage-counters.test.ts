/** The counters of use: what they count, what they do not, and from when on they say everything. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuditEntry, makeEntry } from '../../../src/store/audit/audit-row.ts'
import { countUsage } from '../../../src/store/audit/usage.ts'
import { packTexts } from '../../../src/store/audit/write-groups.ts'
import { entry, openMemoryStore, storeOf } from '../memory-store.ts'

const HOUR = 3_600_000
const NOW = 500 * HOUR + 1_234

test('deployments and keys whose names read alike side by side are counted apart', async () => {
  const store = await openMemoryStore()
  const use = (deployment: string, keyId: string): AuditEntry =>
    makeEntry({ at: NOW, requestId: 'r', keyId, deployment })
  await store.appendAudit([use('ab', 'c'), use('a', 'bc'), use('a', 'bc')])
  const { keys } = await countUsage(store, NOW, 1, 'all')
  assert.deepEqual(
    keys.map(({ keyId, requests }) => [keyId, requests]),
    [
      ['bc', 2],
      ['c', 1],
    ],
  )
})

/** The time from which on the counters say everything, for a question about the hours 498 to 500. */
const SINCE = [
  [0, true, null],
  [497 * HOUR, true, '1970-01-21T17:00:00.000Z'],
  [498 * HOUR, true, '1970-01-21T18:00:00.000Z'],
  [498 * HOUR + 1, false, '1970-01-21T18:00:00.001Z'],
] as const
for (const [since, complete, exactSince] of SINCE) {
  test(`counters that are exact since ${since} are ${complete ? '' : 'not '}complete`, async () => {
    const store = await storeOf(3)
    store.tables.exec(`UPDATE chain SET counted_since = ${since}`)
    const usage = await countUsage(store, NOW, 3, 'all')
    assert.deepEqual([usage.complete, usage.exactSince], [complete, exactSince])
  })
}

test('a store that takes no writes says what was counted before, and that it is not complete', async () => {
  const store = await storeOf(3)
  const before = await countUsage(store, NOW, 501, 'all')
  await store.appendAudit([makeEntry({ at: NOW, requestId: 'r', keyId: 'a' })])
  store.tables.exec("CREATE TRIGGER full BEFORE UPDATE ON chain BEGIN SELECT RAISE(ABORT, 'no room'); END")
  assert.deepEqual(await countUsage(store, NOW, 501, 'all'), { ...before, complete: false })
})

test('a question counts only some of many rows, and says that it is not complete', async () => {
  const store = await storeOf(3)
  for (const [left, steps, complete] of [
    [0, 1, true],
    [3, 4, true],
    [99, 20, false],
  ] as const) {
    let asked = 0
    store.countRows = () => Promise.resolve(asked++ < left)
    assert.equal((await countUsage(store, NOW, 3, 'all')).complete, complete)
    assert.equal(asked, steps)
  }
})

/** What somebody has done to rows before they are counted: whether it is noticed, and how many are counted of three. */
const UNCOUNTED = [
  ['nothing', 'SELECT 1', 0, 3],
  ['a group that cannot be read', "UPDATE audit SET packed = X'ff' WHERE last_seq = 2", 3_000, 2],
  ['a group that is missing', 'DELETE FROM audit WHERE last_seq = 2', 3_000, 2],
  ['rows that were said to be counted', 'UPDATE chain SET counted_seq = 99', 0, 0],
] as const
for (const [what, sql, since, counted] of UNCOUNTED) {
  test(`rows are counted in spite of ${what}`, async () => {
    const store = await storeOf(3)
    store.tables.exec(sql)
    while (await store.countRows());
    const { hours, ...usage } = await store.readUsage({ first: 0, last: 0 })
    assert.deepEqual([usage.since, hours[0]?.requests ?? 0], [since, counted])
  })
}

test('the time from which on the counters are exact is never set back', async () => {
  const store = await storeOf(3)
  store.tables.exec("UPDATE chain SET counted_since = 9000; UPDATE audit SET packed = X'ff'")
  while (await store.countRows());
  assert.equal((await store.readUsage({ first: 0, last: 0 })).since, 9_000)
})

test('a row without a time is not counted, and keeps no other from it', async () => {
  const store = await storeOf(3)
  const text = JSON.stringify({ requestId: 'r' })
  store.tables.prepare('UPDATE audit SET packed = ? WHERE last_seq = 2').run(packTexts(text, entry(1).text))
  while (await store.countRows());
  const { hours } = await store.readUsage({ first: 0, last: HOUR })
  assert.deepEqual([hours.length, hours[0]?.requests], [1, 2])
})

test('scored patients are counted for the calls whose risks may come back with an outcome', async () => {
  const store = await openMemoryStore()
  const row = (call: string | undefined, more: object = {}): AuditEntry =>
    makeEntry({
      ...{ at: NOW, requestId: 'r', keyId: null, call, scored: 1, today: 20_261_031 },
      ...{ deployment: 'd', deploymentDigest: 'D', ...more },
    })
  await store.appendAudit([
    row('score', { scored: 10 }),
    row('fhir $score', { scored: 100 }),
    row('cds hook', { scored: 1_000 }),
    row('explain', { scored: 5 }),
    row('validate'),
    row('toString'),
    row(undefined),
    row('score', { via: 'page' }),
    row('score', { via: 'file', scored: 10_000 }),
    row('score', { today: undefined }),
    row('score', { today: '20261031' }),
    row('score', { scored: 0, today: 20_261_201 }),
    row('score', { scored: -1, today: 20_261_201 }),
    row('score', { scored: undefined, today: 20_261_201 }),
    row('score', { deploymentDigest: 'E' }),
    row('score', { deployment: 'other' }),
  ])
  while (await store.countRows());
  const months = store.tables.prepare('SELECT * FROM scored_months ORDER BY deployment, digest, month').all()
  assert.deepEqual(
    months.map((each) => Object.values(each)),
    [
      ['d', 'D', '2026-10', 11_110, 5],
      ['d', 'E', '2026-10', 1, 0],
      ['other', 'D', '2026-10', 1, 0],
    ],
  )
})
