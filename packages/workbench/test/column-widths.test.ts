/** Widths of the table's columns: beside the panel, what a worklist shows of a patient fits into the table of a page of 1280 pixels. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ColumnKind, widthOf } from '../src/list/table/column-widths.ts'

/** Of a page of 1024 pixels, and beside the panel or the overview on one of 1280. */
const TIGHT_TABLE = 974
const BESIDE = 862

/** A letter of the head has seven pixels here. */
const measure = (text: string): number => text.length * 7

/** Kind · label · whether it holds figures · width on a wide page · on a tight one · beside the panel or the overview. */
const COLUMNS: readonly (readonly [ColumnKind, string, boolean, number, number, number])[] = [
  ['identifier', 'patient', false, 116, 116, 96],
  ['risk', 'Risk', true, 128, 122, 122],
  ['state', 'State', false, 112, 100, 100],
  ['reasons', 'Reasons', false, 236, 128, 94],
  ['value', 'Age', true, 88, 56, 56],
  ['value', 'Sex', false, 88, 72, 72],
  ['value', 'Inpatient admissions', true, 90, 86, 86],
  ['value', 'Emergency visits', true, 88, 79, 79],
  ['value', 'Length of stay', true, 88, 65, 65],
  ['note', 'Note', false, 112, 56, 56],
]
const LONG: typeof COLUMNS = [['value', 'Internamentos hospitalares', true, 111, 107, 107]]

for (const [kind, text, isFigure, width, tight, beside] of [...COLUMNS, ...LONG]) {
  test(`${text}: ${width} pixels, in a tight table ${tight}, beside the panel or the overview ${beside}`, () => {
    const column = { kind, label: { text }, isFigure, width: kind === 'value' ? 88 : width }
    assert.equal(widthOf(column, 'wide', measure), width)
    assert.equal(widthOf(column, 'tight', measure), tight)
    assert.equal(widthOf(column, 'beside', measure), beside)
  })
}

for (const [where, column, room] of [
  ['at 1024 pixels', 4, TIGHT_TABLE],
  ['beside the panel or the overview', 5, BESIDE],
] as const) {
  test(`${where} all of them are in sight`, () => {
    const sum = COLUMNS.reduce((all, each) => all + each[column], 0)
    assert.ok(sum <= room, `${sum} pixels`)
  })
}
