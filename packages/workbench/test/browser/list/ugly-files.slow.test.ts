/** Files as hospitals write them: nothing in them is misread in silence. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { download, openOverview, pasteList } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'
import { xlsx } from './spreadsheet.ts'

const HEAD: readonly string[] = [
  'NHC',
  'age',
  'sex',
  'inpatientAdmissions',
  'emergencyAdmissions',
  'stayDays',
]
const ROW: readonly string[] = ['H1', '84', 'F', '2', '1', '7']

const { openSignedIn } = await useWorkbench()

/** The place of the column, its name, a cell, what can be done, and what is sent then. */
const MEASURES = [
  [1, 'Age (mo)', '1017', 'convert', '"age":84,'],
  [1, 'Edad (meses)', '84', 'confirm', '"age":84,'],
  [3, 'Inpatient admissions (5 years)', '2', 'confirm', '"inpatientAdmissions":2,'],
  [3, 'Ingresos (5 años)', '2', 'confirm', '"inpatientAdmissions":2,'],
  [4, 'Emergency visits (30 days)', '1', 'confirm', '"emergencyAdmissions":1,'],
  [4, 'Urgencias (30 días)', '1', 'confirm', '"emergencyAdmissions":1,'],
  [5, 'Length of stay (weeks)', '2', 'convert', '"stayDays":14}'],
  [5, 'Estancia (semanas)', '1', 'convert', '"stayDays":7}'],
] as const

for (const [place, column, cell, decision, sent] of MEASURES) {
  test(`the column ${column} is not scored until its reader has decided, here to ${decision}`, async () => {
    const { page, close } = await openSignedIn('list')
    await pasteList(page, [HEAD.with(place, column).join(), ROW.with(place, cell).join()])
    const choice = page.getByLabel(`What the numbers of ${column} are`)
    await choice.waitFor()
    await page.locator('#match-doubts', { hasText: column }).waitFor()
    assert.equal(await page.locator('button:has-text("Score 1 row")').isDisabled(), true)
    const mayConvert = /\(mo\)|meses|weeks|semanas/.test(column)
    assert.equal(await choice.locator('option').count(), mayConvert ? 3 : 2, 'what has a factor')
    await choice.selectOption({ index: decision === 'convert' ? 1 : mayConvert ? 2 : 1 })
    const asked = page.waitForRequest('**/risk/api/do/v0/explain')
    await page.click('button:has-text("Score 1 row")')
    assert.ok(((await asked).postData() ?? '').includes(sent))
    await page.waitForSelector('.risk-button')
    if (column === 'Length of stay (weeks)')
      await page.locator('.cell.value', { hasText: '2 → 14' }).waitFor()
    await close()
  })
}

test('of a spreadsheet the first visible sheet is read, and what is hidden or merged is named', async () => {
  const { page, close } = await openSignedIn('list')
  const number = (value: number): { value: number; format: string } => ({ value, format: '00000000' })
  const rows = [HEAD, ...[1, 2, 3].map((each) => [number(each), 84, 'F', 2, 1, 7])]
  const sheets = [
    { name: 'Old', isHidden: true, rows: [HEAD, ['OLD', 20, 'M', 0, 0, 1]] },
    { name: 'Ward 3', rows, hiddenRows: [3], merged: ['C3:C4'] },
    { name: 'Ward 4', rows: [HEAD, ['W4', 71, 'M', 0, 0, 3]] },
  ]
  await choose(page, 'ward.xlsx', xlsx({ sheets }))
  await page.getByText('Sheets of the file that are hidden and not read: Old').waitFor()
  await page.getByText('1 row is hidden or filtered out in the spreadsheet (line 3)').waitFor()
  await page.getByText('Cells are merged: C3:C4').waitFor()
  assert.equal(await page.locator('.samples').first().textContent(), '00000001 · 00000002 · 00000003')
  await page.click('button:has-text("Score 3 rows")')
  await page.locator('.cell', { hasText: '00000001' }).waitFor()
  assert.match((await download(page, 'All, ')).text, /\r\n00000001,84,F/)
  await page.click('button:has-text("Match columns again")')
  await page.getByLabel('Leave them out').check()
  await page.locator('button:has-text("Score 2 rows")').waitFor()
  await page.locator('.sheet-choice select').selectOption('Ward 4')
  await page.locator('.samples', { hasText: 'W4' }).waitFor()
  await page.locator('.sheet-choice select').selectOption('Old')
  await page.locator('.samples', { hasText: 'OLD' }).waitFor()
  await close()
})

test('a cover sheet without a list does not bar the way to the others', async () => {
  const { page, close } = await openSignedIn('list')
  const sheets = [
    { name: 'Cover', rows: [['Ward 3']] },
    { name: 'List', rows: [HEAD, ['H1', 84, 'F', 2, 1, 7]] },
  ]
  await choose(page, 'ward.xlsx', xlsx({ sheets }))
  await page.getByText('There are no rows below the names of the columns.').waitFor()
  await page.locator('.sheet-choice select').selectOption('List')
  await page.locator('button:has-text("Score 1 row")').waitFor()
  await close()
})

test('numeric codes and day numbers of a spreadsheet are sent as what they mean', async () => {
  const { page, close } = await openSignedIn('list')
  await choose(
    page,
    'ward.xlsx',
    xlsx([
      [...HEAD, 'barthel_date'],
      ['H1', 84, 2, 2, 1, 7, 46_082],
      ['H2', 84, 1, 2, 1, 7, 46_000.5],
    ]),
  )
  await page.getByLabel('Meaning of the value 1 in sex').selectOption('M')
  await page.getByLabel('Meaning of the value 2 in sex').selectOption('F')
  await page.getByLabel('Form of the dates of barthel_date').selectOption('spreadsheet')
  const asked = page.waitForRequest('**/risk/api/do/v0/explain')
  await page.click('button:has-text("Score 2 rows")')
  assert.match(
    (await asked).postData() ?? '',
    /"sex":"F".*"barthel_date":"01-03-2026".*"sex":"M".*"barthel_date":"09-12-2025"/,
  )
  await page.locator('.cell.value', { hasText: '2 → F' }).waitFor()
  await openOverview(page)
  await page.getByText('No problem was found in any row.').waitFor()
  await close()
})

test('columns and values named like parts of every object are plain names', async () => {
  const { page, close } = await openSignedIn('list')
  await pasteList(page, [
    [...HEAD, 'constructor', 'toString'].join(),
    [...ROW.with(2, 'constructor'), 'a', 'b'].join(),
  ])
  for (const name of ['constructor', 'toString'])
    assert.equal(await page.locator(`select[aria-label="Meaning of ${name}"]`).inputValue(), '')
  await page.getByLabel('Remember this matching').check()
  await page.click('button:has-text("Score 1 row")')
  await page.locator('.cell.value.wrong', { hasText: /^constructor$/ }).waitFor()
  await close()
})

const TABLE = [HEAD.join(';'), ROW.join(';'), ROW.with(0, 'H2').join(';'), '']

for (const [what, lines] of [
  ['a line that names the separator', ['sep=;', ...TABLE]],
  ['titles above the header', ['Ward 3, March 2026', 'Printed by the office', '', ...TABLE]],
] as const) {
  test(`${what} is no header`, async () => {
    const { page, close } = await openSignedIn('list')
    await choose(page, 'ward.csv', Buffer.from(lines.join('\r\n')))
    await page.click('button:has-text("Score 2 rows")')
    await page.locator('.risk-button', { hasText: '22.9%' }).first().waitFor()
    await close()
  })
}

for (const [name, bytes, reason] of [
  ['ward.xls', Buffer.from('<html><table><tr><td>age</td></tr></table></html>'), 'This is a web page'],
  ['ward.xls', Buffer.from('d0cf11e0a1b11ae1000000000000', 'hex'), 'an old Excel file (.xls)'],
  ['ward.csv', Buffer.from('%PDF-1.7\n\u0000\u0001\u0002,3\n4,5'), 'not a text file'],
] as const) {
  test(`${name} with ${reason} is refused with the reason`, async () => {
    const { page, close } = await openSignedIn('list')
    await choose(page, name, bytes)
    await page.locator('[role=alert]', { hasText: reason }).waitFor()
    await close()
  })
}

async function choose(page: Page, name: string, buffer: Buffer): Promise<void> {
  await page.setInputFiles('input[type=file]', { name, mimeType: 'application/octet-stream', buffer })
}
