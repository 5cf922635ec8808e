/** Widths of the table's columns: beside the panel, what a worklist shows of a patient fits into the table of a page of 1280 pixels. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ColumnKind, widthOf } from '../src/list/table/column-widths.ts'

const TABLE_BESIDE_PANEL = 846

/** Kind · label · width alone · width beside the panel. */
const COLUMNS: readonly (readonly [ColumnKind, string, number, number])[] = [
  ['identifier', 'patient', 116, 116],
  ['risk', 'Risk', 128, 116],
  ['state', 'State', 112, 104],
  ['reasons', 'Reasons', 236, 132],
  ['value', 'Age', 88, 56],
  ['value', 'Sex', 88, 56],
  ['value', 'Inpatient admissions', 98, 98],
  ['value', 'Emergency visits', 90, 90],
  ['value', 'Length of stay', 88, 75],
]

for (const [kind, text, width, beside] of COLUMNS) {
  test(`${text}: ${width} pixels, beside the panel ${beside}`, () => {
    const column = { kind, label: { text }, width: kind === 'value' ? 88 : width }
    assert.equal(widthOf(column, false), width)
    assert.equal(widthOf(column, true), beside)
  })
}

test('beside the panel all of them are in sight', () => {
  const sum = COLUMNS.reduce((all, [, , , beside]) => all + beside, 0)
  assert.ok(sum <= TABLE_BESIDE_PANEL, `${sum} pixels`)
})
