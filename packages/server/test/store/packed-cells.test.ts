/** Cells of outcomes are packed and sorted before the store gets them, and come out as they went in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OutcomeCell } from '@patient-risk/monitor'
import { cellCount, packCells, packOutcomes, unpackCells } from '../../src/store/outcomes/packed-cells.ts'
import { cell } from './outcome-requests.ts'

const keyOf = ({ digest, group, month, bin, flagged, outcome }: OutcomeCell): string =>
  [digest, group, month, String(bin + 1).padStart(4, '0'), flagged, outcome].join('\n')

test('all cells come back, in the order of their keys, whatever the order in which they were given', () => {
  const cells: OutcomeCell[] = []
  for (const digest of ['E', 'D'])
    for (const month of ['2026-11', '2026-10'])
      for (const group of ['ward 3', ''])
        for (const bin of [999, 0, -1])
          for (const flagged of [1, 0])
            for (const outcome of [1, 0])
              cells.push(cell({ digest, month, group, bin, flagged, outcome, units: 100 * bin + outcome }))
  const packed = packCells(cells)
  assert.equal(packed.places.length, 8)
  assert.deepEqual(
    [...unpackCells(packed)],
    cells.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
  )
})

test('sums beyond 32 bits come back', () => {
  const large = cell({ number: 250_000, units: 250_000 * 9_999 })
  assert.deepEqual([...unpackCells(packCells([large]))], [large])
})

test('no cells are packed as none', () => {
  assert.deepEqual([...unpackCells(packCells([]))], [])
})

test('sums over groups and over bins add up to the cells', () => {
  const cells = [
    cell({ group: 'ward 3', bin: 1, number: 2, units: 20 }),
    cell({ group: 'ward 4', bin: 1, number: 3, units: 31 }),
    cell({ group: 'ward 4', bin: 2, flagged: 0, number: 5, units: 120 }),
    cell({ group: 'ward 4', bin: 2, flagged: 0, outcome: 0, number: 7, units: 160 }),
  ]
  const { bins, totals, ...packed } = packOutcomes(cells)
  assert.equal(cellCount({ ...packed, bins, totals }), cells.length)
  assert.deepEqual(
    [...unpackCells(bins)],
    [
      cell({ bin: 1, number: 5, units: 51 }),
      cell({ bin: 2, flagged: 0, outcome: 0, number: 7, units: 160 }),
      cell({ bin: 2, flagged: 0, number: 5, units: 120 }),
    ],
  )
  const total = { bin: 0, flagged: 0 }
  assert.deepEqual(
    [...unpackCells(totals)],
    [
      cell({ ...total, group: 'ward 3', number: 2, units: 20 }),
      cell({ ...total, group: 'ward 4', outcome: 0, number: 7, units: 160 }),
      cell({ ...total, group: 'ward 4', number: 8, units: 151 }),
    ],
  )
})
