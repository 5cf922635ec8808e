/** The closed test of `learn recalibrate` holds its level, and the power that it states is the one that it has: in reduced form. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulate } from './closed-test.ts'

const [level, power, later] = await simulate({ reduced: true })

/** In the full form the upper 95 % limit is at most 6.5 %; with 2,000 runs a level of 5 % stays below 6.5 % in 999 of 1,000. */
const MOST = 6.5
for (const [rows = '', largest = '', ...cells] of level?.rows ?? []) {
  test(`${rows} rows of a patient, ${largest}: a true model is left alone`, () => {
    assert.equal(cells.length, 3)
    for (const cell of cells) assert.ok(Number.parseFloat(cell) > 3 && Number.parseFloat(cell) <= MOST, cell)
  })
}

for (const [truth = '', rows = '', largest = '', cell = ''] of power?.rows ?? []) {
  test(`${truth}, ${rows} rows of a patient, ${largest}: the stated power is that of the simulation`, () => {
    const [found = 0, stated = 0] = (cell.match(/\d+/g) ?? []).map(Number)
    // 400 runs have an error of 2.5 points.
    assert.ok(found > 0 && Math.abs(found - stated) <= 10, cell)
  })
}

for (const [truth = '', rows = '', cell = ''] of (later?.rows ?? []).slice(0, 4)) {
  test(`${truth}, ${rows} rows of a patient: no more than needed`, () => {
    assert.ok(Number.parseFloat(cell) <= MOST, cell)
  })
}
