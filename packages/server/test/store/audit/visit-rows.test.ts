/** Rows that a command visits one after the other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visitRows } from '../../../src/store/audit/visit-rows.ts'
import { storeOf } from '../memory-store.ts'

/** Rows of a store, rows of a page, how many the visitor wants, and which it gets. */
const VISITS = [
  [5, 2, 9, [1, 2, 3, 4, 5]],
  [4, 2, 9, [1, 2, 3, 4]],
  [5, 9, 9, [1, 2, 3, 4, 5]],
  [6, 3, 4, [1, 2, 3, 4]],
  [6, 3, 3, [1, 2, 3]],
] as const
for (const [all, most, wanted, visited] of VISITS) {
  test(`of ${all} rows, ${most} at a time, a visitor who wants ${wanted} gets ${visited.length}`, async () => {
    const store = await storeOf(all)
    const seqs: number[] = []
    await visitRows(store, { most }, ({ seq }) => seqs.push(seq) < wanted)
    assert.deepEqual(seqs, visited)
  })
}
