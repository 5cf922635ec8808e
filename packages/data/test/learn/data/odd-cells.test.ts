/** Cells that are not plain numbers, among others that are: what `learn` reads there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gather, modelRunFor } from '../../../src/learn/data/gather.ts'
import { fitModel } from '../../../src/learn/tasks/fit-model.ts'
import { csvOf, fileWith, fitInput, inventRows } from '../../../../../test/support/learning.ts'

/** A cell in the ninth row, and what `learn` says or reads there. */
const READ = [
  ['1e1', 10],
  [' 7', 7],
  ['7.0', 7],
  ['0x10', /line 10, column admissions: is not a number/],
  ['1,5', undefined],
  ['1.000', /line 10, column admissions: may be one or a thousand/],
] as const
for (const [cell, wanted] of READ) {
  test(`a cell ${JSON.stringify(cell)} among plain numbers`, async () => {
    const rows = inventRows(400, 3)
    const { definition } = await fitModel(fitInput(fileWith('rows.csv', csvOf(rows))))
    const text = csvOf(rows.map((row, place) => (place === 8 ? { ...row, admissions: cell as never } : row)))
    const input = fitInput(fileWith('odd.csv', text))
    const run = modelRunFor(input, definition)
    const slot = run.plan.slotByName.get('inpatientAdmissions') ?? -1
    const values: number[] = []
    const work = gather(input, run, () => values.push(run.assessor.slots.valueOf(slot)))
    if (typeof wanted === 'number') {
      await work
      assert.deepEqual(
        values,
        rows.map((row, place) => (place === 8 ? wanted : row.admissions)),
      )
    } else await assert.rejects(work, wanted ?? /row has more cells/)
  })
}
