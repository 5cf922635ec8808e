/** Spreadsheets in `score` and `inspect`: a cell without a value is not an empty one, and what is no spreadsheet is refused. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { inspectTable } from '../../src/bulk/tables/inspect-table.ts'
import { BadFile } from '../../src/tables/bad-file.ts'
import { TableEngine } from '../../src/tables/engine.ts'
import { openXlsx } from '../../src/tables/open-xlsx.ts'
import { PLAIN_COLUMNS, deploymentOf } from '../bulk/score-file.ts'
import { HEAD, type Result, TODAY, catalog, folder, patient, problemsOf, scored } from './score-xlsx.ts'
import { type XlsxCell, xlsxOf } from './xlsx-file.ts'

/** A cell of the stay · its problem; undefined where it has a value. */
const CELLS: readonly (readonly [XlsxCell, string | undefined])[] = [
  [[' t="e"', '<v>#N/A</v>'], 'stayDays: not an integer'],
  [[' t="e"', '<f>A9/0</f><v>#DIV/0!</v>'], 'stayDays: not an integer'],
  [['', '<f>A9+1</f>'], 'stayDays: not an integer'],
  [['', '<f>A9+1</f><v></v>'], 'stayDays: not an integer'],
  [['', '<f>A9+1</f><v>7</v>'], undefined],
  [7, undefined],
  ['7', undefined],
  [[' t="str"', '<f>""</f><v></v>'], 'stayDays: ValueMissing for value stayDays'],
  [null, 'stayDays: ValueMissing for value stayDays'],
]

test('a cell with an error, and a formula whose value was not stored, is a problem of that cell', async () => {
  const found = await scored(xlsxOf([HEAD, ...CELLS.map(([cell], at) => patient(at + 1, cell))]))
  assert.equal(found.length, CELLS.length)
  for (const [at, [cell, problem]] of CELLS.entries()) {
    const result = found[at] as Result
    assert.deepEqual(problemsOf(result), problem === undefined ? [] : [problem], JSON.stringify(cell))
    assert.equal(result.risk, problem === undefined ? 0.2294 : null, JSON.stringify(cell))
  }
})

test('such a cell of a code, of yes and no, and of a date is a problem too', async () => {
  const error = [' t="e"', '<v>#REF!</v>'] as const
  const names = [...HEAD, 'dementia', 'barthel_date']
  const bytes = xlsxOf([names, [1, 84, error, 2, 1, 7, null, error, error]])
  const fields = (await scored(bytes)).flatMap(problemsOf).map((problem) => problem.split(':')[0])
  assert.deepEqual(fields, ['sex', 'dementia', 'barthel_date'])
})

test('inspect counts the cells of rows that are not empty, and a row keeps its number', async () => {
  const path = join(folder, 'inspected.xlsx')
  writeFileSync(path, xlsxOf([null, HEAD, null, patient(1, 7), patient(2, ['', '<f>A1</f>'])]))
  const setting = {
    catalog,
    deployment: deploymentOf(catalog),
    columnOptions: PLAIN_COLUMNS,
    today: TODAY,
  }
  const { columns, rows, form } = await inspectTable(setting, { path, format: 'xlsx' })
  const stay = columns.find(({ name }) => name === 'stayDays')?.finding
  assert.deepEqual([rows, stay?.given, stay?.refused], [2, 2, 1])
  assert.match(form ?? '', /^XLSX, /)
  using engine = await TableEngine.open(1)
  const table = await openXlsx(engine, path, {})
  assert.deepEqual([table.lineOf(0), table.lineOf(1)], [4, 5])
})

for (const [what, bytes, message] of [
  ['no spreadsheet', Buffer.from('idx,age\n1,84\n'), /cannot be read as XLSX/],
  ['a spreadsheet that is cut off', xlsxOf([HEAD, patient(1, 7)]).slice(0, 200), /cannot be read as XLSX/],
  ['a spreadsheet without a cell', xlsxOf([]), /is empty/],
  ['a name that comes twice', xlsxOf([['idx', 'age', 'age']]), /line 1: columns 2 and 3 .* same name/],
] as const) {
  test(`${what} is refused`, async () => {
    await assert.rejects(scored(bytes), (error) => error instanceof BadFile && message.test(error.message))
  })
}
