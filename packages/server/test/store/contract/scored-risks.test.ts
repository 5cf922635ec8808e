/** The contract of every store: risks that are counted at scoring, with the audit rows of their answers. */
import assert from 'node:assert/strict'
import { makeEntry } from '../../../src/store/audit/audit-row.ts'
import type { AuditEntry } from '../../../src/store/audit/audit-row.ts'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { ScoredRisks } from '../../../src/store/outcomes/scored-risks.ts'
import type { Store } from '../../../src/store/store.ts'
import { NOW, cell, outcomesOf } from '../outcome-requests.ts'
import { onEachStore } from './each-store.ts'

const MONTH = '2026-11'
const place = { deployment: 'ward', digest: 'D', month: MONTH, group: '' }

/** The row of an answer with these risks in ten-thousandths. */
function answer(risks: readonly number[], group = '', at = NOW): AuditEntry {
  const countedRisks = new ScoredRisks({ ...place, group })
  countedRisks.addAll(risks)
  const said = { call: 'score', status: 200, riskCounts: countedRisks.total, today: 20_261_103 }
  const of = { deployment: 'ward', deploymentDigest: 'D' }
  const made = makeEntry({ at, requestId: 'answer', keyId: null, ...said, ...of })
  return { ...made, countedRisks }
}

const readAll = async (store: Store): Promise<readonly unknown[]> => {
  const cells = await store.readScoredRisks('ward', 'D', ['', '9999-12'], ['group', 'bin'])
  return cells.map(({ group, bin, number, units }) => [group, bin, number, units]).sort()
}

onEachStore((given, test) => {
  test('risks of rows that share a commit are added up by place and bin, once', async () => {
    const { store } = await (await given.newPlace()).open()
    await Promise.all([
      store.appendAudit([answer([1_503, 1_509, -1, 2_000])]),
      store.appendAudit([answer([1_501], 'ward 3'), answer([])]),
      store.appendAudit([answer([1_500])]),
    ])
    const expected = [
      ['', 150, 3, 4_512],
      ['', 200, 1, 2_000],
      ['ward 3', 150, 1, 1_501],
    ]
    await store.chainEnds()
    assert.deepEqual(await readAll(store), expected)
    await store.chainEnds()
    assert.deepEqual(await readAll(store), expected)
    const ofGroup = await store.readScoredRisks('ward', 'D', [MONTH, MONTH], ['month'], 'ward 3')
    assert.deepEqual(
      ofGroup.map(({ month, number, units }) => [month, number, units]),
      [[MONTH, 1, 1_501]],
    )
    assert.deepEqual(await store.readScoredRisks('ward', 'D', ['2026-12', '2027-01'], []), [])
    assert.deepEqual((await verifyStore(store)).faults, [])
    await store.close()
  })

  test('the many bins of a large body wait in SQLite, are read where they wait, and are added once', async () => {
    const own = await given.newPlace()
    const { store } = await own.open()
    const risks = Array.from({ length: 60 }, (_each, bin) => 10 * bin + 15)
    const read = async (): Promise<number> =>
      (await store.readScoredRisks('ward', 'D', [MONTH, MONTH], ['bin'])).reduce(
        (sum, { number }) => sum + number,
        0,
      )
    for (const expected of [60, 120]) {
      await store.appendAudit([answer(risks)])
      await store.chainEnds()
      assert.equal(await read(), expected)
      assert.deepEqual((await verifyStore(store)).faults, [])
    }
    for (let line = 0; line < 60; line++) {
      await store.appendAudit([answer(risks)])
      await store.chainEnds()
    }
    assert.equal(await read(), 120 + 60 * 60)
    await store.appendAudit([answer([15])])
    while (await store.countRows());
    assert.equal(await read(), 121 + 60 * 60)
    const cells = await store.readScoredRisks('ward', 'D', [MONTH, MONTH], ['bin'])
    assert.deepEqual([cells.length, cells.find(({ bin }) => bin === 1)?.number], [60, 63])
    assert.deepEqual((await verifyStore(store)).faults, [])
    assert.equal(await store.addQueuedOutcomes(), false)
    await store.close()
  })

  test('a process that ends before rows are chained loses neither rows nor counts', async () => {
    const own = await given.newPlace()
    const first = await own.open()
    await first.store.appendAudit([answer([1_503])])
    // Not closed: the process is gone. Another one takes over.
    const second = await own.open()
    await second.store.chainEnds()
    assert.deepEqual(await readAll(second.store), [['', 150, 1, 1_503]])
    assert.equal((await second.store.readAudit({ most: 9 })).length, 1)
    assert.deepEqual((await verifyStore(second.store)).faults, [])
    await second.store.close()
    await first.store.close()
  })

  test('counts stay proved when their rows are removed', async () => {
    const own = await given.newPlace()
    const { store } = await own.open()
    await store.appendAudit([answer([1_503, 1_504], '', NOW - 90 * 86_400_000)])
    await store.chainEnds()
    await store.appendAudit([answer([2_001])])
    assert.ok((await store.pruneAudit(NOW - 1, NOW)) > 0)
    assert.deepEqual((await verifyStore(store)).faults, [])
    await own.tamper('UPDATE scored_risks SET number = number + 1, units = units + 10 * bin')
    assert.match((await verifyStore(store)).faults.join(), /not as many as the rows say/)
    await store.close()
  })

  const PLANTED = [
    ['one more', `UPDATE scored_risks SET number = number + 1, units = units + 1503`, /not as many/],
    ['a removed cell', 'DELETE FROM scored_risks', /not as many/],
    ['another month', `UPDATE scored_risks SET month = '2026-10'`, /risks of 2026-10.*not as many/],
    ['a sum below its bin', 'UPDATE scored_risks SET units = 1499', /do not lie in their bins/],
    ['a sum above its bin', 'UPDATE scored_risks SET units = 1510', /do not lie in their bins/],
    ['another bin', 'UPDATE scored_risks SET bin = 151', /do not lie in their bins/],
  ] as const
  for (const [what, sql, fault] of PLANTED) {
    test(`verifying finds ${what}`, async () => {
      const own = await given.newPlace()
      const { store } = await own.open()
      await store.appendAudit([answer([1_503])])
      assert.deepEqual((await verifyStore(store)).faults, [])
      await own.tamper(sql)
      assert.match((await verifyStore(store)).faults.join(), fault)
      await store.close()
    })
  }

  test('a correction that would fall below 0 counts nothing', async () => {
    const { store } = await (await given.newPlace()).open()
    const taken = cell({ number: -1, units: -1_503 })
    const given1 = outcomesOf('ward', { cells: [taken, cell({ outcome: 0 })] })
    const request = { ...given1, corrected: [cell()] }
    assert.equal(await store.countOutcomes(request), 'changed')
    assert.deepEqual(await store.readOutcomes('ward', 'D', ['', '9999-12'], []), [])
    // Nothing is remembered of it: the same request counts when there is something to correct.
    assert.equal(await store.countOutcomes(outcomesOf('first', { deployment: 'ward' })), 'counted')
    assert.equal(await store.countOutcomes(request), 'counted')
    const cells = await store.readOutcomes('ward', 'D', ['', '9999-12'], [])
    assert.deepEqual(cells.map(({ outcome, number }) => [outcome, number]).sort(), [
      [0, 1],
      [1, 0],
    ])
    assert.deepEqual(
      await store.readCells('ward', [cell(), cell({ outcome: 0 }), cell({ bin: 3 })]),
      [0, 1, 0],
    )
    assert.deepEqual((await verifyStore(store)).faults, [])
    await store.close()
  })
})
