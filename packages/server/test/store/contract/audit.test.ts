/** The contract of every store: the audit, its chain and its retention. */
import assert from 'node:assert/strict'
import { allRows, verifyStore } from '../../../src/store/audit/verify-chain.ts'
import type { Store } from '../../../src/store/store.ts'
import { until, untilSucceeds } from '../../../../../test/support/until.ts'
import { appendOneByOne, beforeEachPage, entries, entry, idOf, newKey, onEachStore } from './each-store.ts'

const ROWS_OF_A_GROUP = 3

/**
 * Appends a group and returns the request ids of its rows. On a busy machine the store may refuse in time, and a refused group
 * may be stored all the same, so every attempt has ids of its own.
 */
function appendGroup(store: Store, newGroup: () => readonly string[]): Promise<readonly string[]> {
  return untilSucceeds(async () => {
    const ids = newGroup()
    await store.appendAudit(ids.map((id) => entry(id)))
    return ids
  })
}

const ROWS_OF_A_PAGE = 5
const twenty = Array.from({ length: 20 }, (_each, at) => entry(`request-${at}`, at))

onEachStore((given, test) => {
  test('answers are chained, and note the last use of a key and the latest time', async () => {
    const { id } = await newKey(given)
    await given.store.appendAudit([entry('a', 120_500, id), entry('b', 60_100, id)])
    await given.store.appendAudit([entry('c', 90_000)])
    const [a, b, c] = await given.store.readAudit({ most: 10 })
    assert.deepEqual([a?.seq, b?.seq, c?.seq, idOf(a), c?.at], [1, 2, 3, 'a', 90_000])
    assert.equal((JSON.parse(c?.content ?? '') as { prev: string }).prev, b?.hash)
    assert.equal(await given.store.latestTime(), 120_500)
    const lastUsedAt = await until(async () => {
      const noted = (await given.store.findKey(id))?.lastUsedAt
      // A use that could not be noted is noted with the next answer.
      if (noted === null) await given.store.appendAudit([entry('later', 120_600, id)])
      return noted
    })
    assert.equal(lastUsedAt, 120_000)
    assert.deepEqual((await verifyStore(given.store)).faults, [])
  })

  test('rows are found by request, by time, after a row, and newest first', async () => {
    await given.store.appendAudit([
      entry('wanted', 500_000),
      entry('wanted', 600_000),
      entry('other', 700_000),
    ])
    const found = await given.store.readAudit({ requestId: 'wanted', most: 10 })
    assert.deepEqual(
      found.map(({ at }) => at),
      [500_000, 600_000],
    )
    const late = await given.store.readAudit({ from: 600_000, most: 10 })
    assert.deepEqual(
      late.map(({ at }) => at),
      [600_000, 700_000],
    )
    const [newest, second] = await given.store.readAudit({ newestFirst: true, most: 2 })
    assert.equal((newest?.seq ?? 0) - (second?.seq ?? 0), 1)
    const before = await given.store.readAudit({ newestFirst: true, after: newest?.seq ?? 0, most: 1 })
    assert.equal(before[0]?.seq, second?.seq)
  })

  test('two processes that append at once make one chain', async () => {
    const { store: other } = await given.place.open()
    const { seq: head } = (await given.store.chainEnds()).head
    let groups = 0
    const newGroup = (): readonly string[] => {
      const group = ++groups
      return Array.from({ length: ROWS_OF_A_GROUP }, (_each, row) => `${group}-${row}`)
    }
    const acknowledged = new Set<unknown>()
    await Promise.all(
      [given.store, other].map(async (each) => {
        for (let group = 0; group < 10; group++)
          for (const id of await appendGroup(each, newGroup)) acknowledged.add(id)
      }),
    )
    await other.close()
    const report = await verifyStore(given.store)
    assert.deepEqual(report.faults, [])
    const ids = (await given.store.readAudit({ after: head, most: 1_000 })).map(idOf)
    assert.equal(report.head.seq, head + ids.length)
    assert.equal(new Set(ids).size, ids.length)
    assert.equal(acknowledged.size, 20 * ROWS_OF_A_GROUP)
    assert.equal(ids.filter((id) => acknowledged.has(id)).length, acknowledged.size)
    assert.ok(ids.length <= groups * ROWS_OF_A_GROUP)
  })

  test('an empty group changes nothing', async () => {
    const before = await given.store.chainEnds()
    await given.store.appendAudit([])
    assert.deepEqual(await given.store.chainEnds(), before)
  })

  test('retention removes what is old, says so in the chain, and leaves it verifiable', async () => {
    const { seq } = (await given.store.chainEnds()).head
    const removed = await given.store.pruneAudit(700_000, 800_000)
    assert.ok(removed > 0 && removed < seq)
    assert.equal(await given.store.pruneAudit(700_000, 800_000), 0)
    assert.deepEqual((await verifyStore(given.store)).faults, [])
    const [last] = await given.store.readAudit({ newestFirst: true, most: 1 })
    assert.match(last?.content ?? '', /"call":"retention"/)
    await given.store.pruneAudit(9e12, 900_000)
    assert.deepEqual((await verifyStore(given.store)).faults, [])
    await given.store.appendAudit(entries(6))
    assert.deepEqual((await verifyStore(given.store)).faults, [])
  })

  // Retention may be faster than a reader of the chain: before the first page, between two, and again at each.
  const OVERTAKINGS = [
    ['before the first row is read', [4]],
    ['between two pages', [0, 15]],
    ['at every page', [2, 7, 14]],
    ['with all rows', [90]],
  ] as const
  for (const [when, removals] of OVERTAKINGS) {
    test(`retention that removes rows ${when} is no fault`, async () => {
      const { store: own } = await (await given.newPlace()).open()
      await appendOneByOne(own, twenty)
      let page = 0
      beforeEachPage(own, () => own.pruneAudit(removals[page++] ?? 0, 100))
      const { faults, head } = await verifyStore(own, [], { rows: ROWS_OF_A_PAGE })
      assert.deepEqual(faults, [])
      assert.deepEqual(head, (await own.chainEnds()).head)
      await own.close()
    })
  }

  test('reading all rows fails when retention removes some of them meanwhile', async () => {
    const { store: own } = await (await given.newPlace()).open()
    await appendOneByOne(own, twenty)
    const removals = [0, 4]
    beforeEachPage(own, () => own.pruneAudit(removals.shift() ?? 0, 100))
    let count = 0
    for await (const { seq } of allRows(own, { rows: ROWS_OF_A_PAGE })) assert.equal(seq, ++count)
    assert.equal(count, 21, 'what was read before it was removed is no gap')
    removals.push(0, 15)
    await assert.rejects(async () => {
      for await (const { seq } of allRows(own, { rows: ROWS_OF_A_PAGE })) count = seq
    }, /retention removed rows/)
    await own.close()
  })

  test('an anchor that was kept elsewhere shows a chain that was rewritten', async () => {
    const { head } = await verifyStore(given.store)
    assert.deepEqual((await verifyStore(given.store, [head])).faults, [])
    const forged = { seq: head.seq, hash: Buffer.alloc(32).toString('base64') }
    assert.match((await verifyStore(given.store, [forged])).faults.join(), /anchor/)
    assert.match(
      (await verifyStore(given.store, [{ ...head, seq: head.seq + 9 }])).faults.join(),
      /anchor is missing/,
    )
  })
})
