/** The chain is verified and read while retention removes rows and others arrive. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { StoreError } from '@patient-risk/runtime'
import type { PageQuery } from '../../../src/store/audit/read-groups.ts'
import { allRows, verifyStore } from '../../../src/store/audit/verify-chain.ts'
import type { Store } from '../../../src/store/store.ts'
import { type MemoryStore, entry, storeOf } from '../memory-store.ts'

/** A store whose rows retention removes after so many reads. */
function prunedAfter(store: MemoryStore, reads: number, before: number): Store {
  let count = 0
  return {
    chainEnds: () => store.chainEnds(),
    readTotals: () => store.readTotals(),
    readGroups: async (page: PageQuery) => {
      const groups = await store.readGroups(page)
      if (++count === reads) await store.pruneAudit(before, 99_000)
      return groups
    },
  } as Partial<Store> as Store
}

/** The same, a moment after a read was asked for and before it is made: the pages before it are verified by then. */
function prunedBefore(store: MemoryStore, reads: number, before: number): Store {
  let count = 0
  return {
    chainEnds: () => store.chainEnds(),
    readTotals: () => store.readTotals(),
    readGroups: async (page: PageQuery) => {
      if (++count === reads) {
        await setImmediate()
        await store.pruneAudit(before, 99_000)
      }
      return store.readGroups(page)
    },
  } as Partial<Store> as Store
}

const OVERTAKEN = [
  [1, 3_000],
  [2, 5_000],
  [3, 7_000],
  [2, 90_000],
  [4, 90_000],
] as const
for (const [reads, before] of OVERTAKEN) {
  test(`retention that removes rows up to ${before} before page ${reads} is read is no fault`, async () => {
    const store = await storeOf(8)
    const { faults, head } = await verifyStore(prunedBefore(store, reads, before), [], { rows: 2 })
    assert.deepEqual([faults, head.seq >= 8], [[], true])
  })
}

test('retention while the chain is verified is no fault; while all rows are read, it is said', async () => {
  for (const [reads, before] of [
    [1, 3_000],
    [1, 5_000],
    [2, 5_000],
    [1, 7_000],
    [3, 7_000],
  ] as const) {
    const store = await storeOf(8)
    const { faults } = await verifyStore(prunedAfter(store, reads, before), [], { rows: 2 })
    assert.deepEqual(faults, [], `${reads} ${before}`)
  }
  const read = async (store: Store, rows = 2): Promise<readonly number[]> => {
    const seqs = []
    for await (const { seq } of allRows(store, { rows })) seqs.push(seq)
    return seqs
  }
  for (const rows of [1, 2, 3, 9]) assert.deepEqual(await read(await storeOf(5), rows), [1, 2, 3, 4, 5])
  assert.deepEqual(await read(prunedAfter(await storeOf(5), 1, 3_000)), [1, 2, 3, 4, 5, 6])
  await assert.rejects(
    read(prunedAfter(await storeOf(8), 1, 5_000)),
    (error) =>
      error instanceof StoreError &&
      error.message === 'retention removed rows that were not read yet; run the command again',
  )
  assert.deepEqual(
    await read(prunedAfter(await storeOf(5), 2, 5_000)),
    [1, 2, 3, 4, 5, 6],
    'it was read before',
  )
  const later = prunedAfter(await storeOf(8), 2, 4_000)
  assert.deepEqual(await read(later, 3), [1, 2, 3, 4, 5, 6, 7, 8, 9])
  const pruned = await storeOf(8)
  await pruned.pruneAudit(3_000, 99_000)
  assert.deepEqual(await read(pruned), [3, 4, 5, 6, 7, 8, 9])
  const torn = await storeOf(5)
  torn.tables.exec('DELETE FROM audit WHERE last_seq = 3')
  assert.deepEqual(await read(prunedAfter(torn, 1, 3_000)), [1, 2, 4, 5, 6], 'retention did not remove row 3')
  const holed = await storeOf(5)
  holed.tables.exec('DELETE FROM audit WHERE last_seq = 3')
  assert.deepEqual(await read(holed), [1, 2, 4, 5])
})

test('rows that arrive while the chain is verified are not verified, and are no fault', async () => {
  const store = await storeOf(4)
  let count = 0
  const growing = {
    chainEnds: () => store.chainEnds(),
    readTotals: () => store.readTotals(),
    readGroups: async (page: PageQuery) => {
      if (++count === 2) await store.appendAudit([entry(5), entry(6)])
      return store.readGroups(page)
    },
  } as Partial<Store> as Store
  const report = await verifyStore(growing, [], { rows: 2 })
  assert.deepEqual([report.faults, report.rows, report.head.seq], [[], 4, 4])
})
