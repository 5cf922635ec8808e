/** Widths of the table's columns: beside the panel, what a worklist shows of a patient fits into the table of a page of 1280 pixels. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { widthOf } from '../src/list/table/column-widths.ts'
import type { GridColumn } from '../src/list/table/grid-columns.ts'

const TABLE_BESIDE_PANEL = 846

/** Kind · label · width alone · width beside the panel. */
const COLUMNS: readonly (readonly [GridColumn['kind'], string, number, number])[] = [
  ['identifier', 'patient', 116, 116],
  ['risk', 'Risk', 128, 128],
  ['state', 'State', 112, 96],
  ['reasons', 'Reasons', 236, 140],
  ['value', 'Age', 88, 56],
  ['value', 'Sex', 88, 56],
  ['value', 'Inpatient admissions', 88, 88],
  ['value', 'Emergency visits', 88, 81],
  ['value', 'Length of stay', 88, 60],
]

for (const [kind, text, width, beside] of COLUMNS) {
  test(`${text}: ${width} pixels, beside the panel ${beside}`, () => {
    const column = { kind, label: { text }, width }
    assert.equal(widthOf(column, false), width)
    assert.equal(widthOf(column, true), beside)
  })
}

test('beside the panel all of them are in sight', () => {
  const sum = COLUMNS.reduce((all, [, , , beside]) => all + beside, 0)
  assert.ok(sum <= TABLE_BESIDE_PANEL, `${sum} pixels`)
})
