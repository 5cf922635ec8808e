/** Cells of outcomes are packed and sorted before the store gets them, and come out as they went in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OutcomeCell } from '@patient-risk/monitor'
import { cellCount, packCells, unpackCells } from '../../src/store/outcomes/packed-cells.ts'
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
  assert.equal(cellCount(packed), cells.length)
  assert.equal(packed.places.length, 8)
  assert.deepEqual(
    [...unpackCells(packed)],
    cells.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
  )
})

test('no cells are packed as none', () => {
  assert.deepEqual([...unpackCells(packCells([]))], [])
})
