/** Verifying goes on where the last run ended, and says what it leaves out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { entry, storeOf } from '../memory-store.ts'

/** The first row, a change of eight rows in groups of two, how many rows are verified, and the faults. */
const RESUMED: readonly (readonly [number, string, number, readonly RegExp[]])[] = [
  [1, 'SELECT 1', 8, []],
  [2, 'SELECT 1', 8, []],
  [3, 'SELECT 1', 6, []],
  [8, 'SELECT 1', 2, []],
  [9, 'SELECT 1', 0, [/^row 9 is not in the chain: its recorded head is row 8$/]],
  [5, "UPDATE audit SET packed = X'ff' WHERE last_seq = 2", 4, []],
  [
    5,
    "UPDATE audit SET packed = X'ff' WHERE last_seq = 6",
    4,
    [/row 5 is damaged/, /row 6 is damaged/, /row [78]/],
  ],
  [5, 'UPDATE audit SET hash = zeroblob(32) WHERE last_seq = 4', 4, [/^row 6, or one chained together/]],
  [5, 'DELETE FROM audit WHERE last_seq = 6', 2, [/^row 8, or one chained together/]],
  [
    5,
    'DELETE FROM audit WHERE last_seq = 8',
    2,
    [/^the chain ends at row 6, but its recorded head is row 8$/],
  ],
]
for (const [from, sql, rows, faults] of RESUMED) {
  test(`verified from row ${from}: ${sql}`, async () => {
    const store = await storeOf(8, 2)
    store.tables.exec(sql)
    const report = await verifyStore(store, [], { from })
    assert.deepEqual([report.rows, report.first], [rows, from === 1 ? undefined : from])
    assert.equal(report.faults.length, faults.length, report.faults.join('\n'))
    faults.forEach((fault, place) => assert.match(report.faults[place] ?? '', fault))
  })
}

test('a start that has moved since the last run must be recorded by a row that is verified', async () => {
  const store = await storeOf(8, 2)
  const { start, head } = await verifyStore(store)
  const resume = { from: head.seq, knownStart: start }
  await store.pruneAudit(3_500, 9_000)
  assert.deepEqual((await verifyStore(store, [head], resume)).faults, [])
  const [fourth] = await store.readAudit({ after: 3, most: 1 })
  store.tables.exec(`DELETE FROM audit WHERE last_seq = 4;
    UPDATE chain SET start_seq = 4, start_hash = '${fourth?.hash}'`)
  assert.deepEqual((await verifyStore(store, [head], resume)).faults, [
    'rows up to 4 are gone, and no row says that retention removed them',
  ])
})

test('a start that is the one of the last run needs no row that records it again', async () => {
  const store = await storeOf(8, 2)
  await store.pruneAudit(3_500, 9_000)
  await store.appendAudit([entry(10), entry(11)])
  const { start } = await store.chainEnds()
  for (const knownStart of [start, undefined]) {
    const report = await verifyStore(store, [], { from: 10, knownStart })
    assert.deepEqual([report.rows, report.faults], [2, []])
  }
})

/** Anchors of eight rows in groups of two, verified from row 5 on. */
const ANCHORS = [
  [4, 'x', []],
  [5, 'x', ['row 5 differs from the anchor']],
  [6, 'x', ['row 6 differs from the anchor']],
  [8, undefined, []],
] as const
for (const [seq, hash, faults] of ANCHORS) {
  test(`verified from row 5, with an anchor of row ${seq}: ${faults.join() || 'no fault'}`, async () => {
    const store = await storeOf(8, 2)
    const own = (await store.readAudit({ after: seq - 1, most: 1 }))[0]?.hash ?? ''
    assert.deepEqual((await verifyStore(store, [{ seq, hash: hash ?? own }], { from: 5 })).faults, faults)
  })
}
