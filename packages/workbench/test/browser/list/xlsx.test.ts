/** The download as XLSX, read again by a program that did not write it. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { unzipSync, strFromU8 } from 'fflate'
import readSheets from 'read-excel-file/node'
import { pasteList } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const HEAD = 'NHC;Edad;Sexo;Ingresos;Urgencias;Dias estancia;barthel_date;Nota'
const ROWS = [
  '00000001;84;F;2;1;7;03-05-2026;=1+1',
  '=HYPERLINK("x");7,5;M;0;0;1;;a & <b> "c" _x0041_ \u0007',
  '3;71;M;1;1;;2026-02-30;+49',
]

const { openSignedIn } = await useWorkbench()

test('numbers, days and times are such, everything else is text, and the changes are a second sheet', async () => {
  const { page, close } = await openSignedIn('list')
  await pasteList(page, [HEAD, ...ROWS])
  await page.getByLabel('Meaning of the value M in Sexo').selectOption('M')
  await page.click('button:has-text("Score 3 rows")')
  await page.waitForSelector('.grid')
  await page.locator('.grid-row', { hasText: '00000001' }).locator('.cell.value').first().dblclick()
  await page.fill('.cell-editor', '85')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.grid-row.edited .risk-button')
  await page.click('.results-head .menu > summary')
  await page.selectOption('.format select', 'xlsx')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.click('.menu-body button:has-text("All, ")'),
  ])
  assert.match(file.suggestedFilename(), /^pasted rows-results-readmission30-.*\.xlsx$/)
  const folder = mkdtempSync(join(tmpdir(), 'workbench-xlsx-'))
  try {
    const path = join(folder, 'list.xlsx')
    copyFileSync(await file.path(), path)
    const sheets = await readSheets(path)
    assert.deepEqual(
      sheets.map(({ sheet }) => sheet),
      ['results', 'changes'],
    )
    const [head = [], ...rows] = sheets[0]?.data ?? []
    const column = (name: string): readonly unknown[] => rows.map((row) => row[head.indexOf(name)])
    assert.deepEqual(column('NHC'), ['00000001', '=HYPERLINK("x")', '3'])
    assert.deepEqual(column('Edad'), [85, 7.5, 71])
    // Spreadsheets read _x005F_ as _, and this reader as it is.
    assert.deepEqual(column('Nota'), ['=1+1', 'a & <b> "c" _x005F_x0041_', '+49'])
    assert.deepEqual(column('barthel_date'), [new Date('2026-05-03'), null, '2026-02-30'])
    assert.equal(typeof column('risk')[0], 'number')
    assert.ok(column('scored (UTC)')[0] instanceof Date)
    assert.deepEqual(
      sheets[1]?.data.map((row) => row.slice(1)),
      [
        ['action', 'line', 'identifier', 'column', 'old value', 'new value'],
        ['changed', 2, '00000001', 'Edad', '84', '85'],
      ],
    )

    const parts = unzipSync(readFileSync(path))
    const sheet = strFromU8(parts['xl/worksheets/sheet1.xml'] ?? new Uint8Array())
    assert.match(sheet, /<pane ySplit="1" [^>]*state="frozen"\/>/)
    assert.doesNotMatch(sheet, /<f[ >]/, 'there is no formula')
  } finally {
    rmSync(folder, { recursive: true })
  }
  await close()
})
