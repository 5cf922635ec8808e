/** Undo and redo of corrections, and the list of what was changed. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Download, Page } from 'playwright-core'
import { pasteList } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const ROWS = ['A,840,F,2,1,7', 'B,840,F,0,0,1', 'C,840,M,1,1,3', 'D,71,M,1,1,3']

const { openSignedIn } = await useWorkbench()

async function scored(page: Page): Promise<void> {
  await pasteList(page, ['id,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays', ...ROWS])
  await page.click(`button:has-text("Score ${ROWS.length} rows")`)
  await page.waitForSelector('.grid')
}

/** The ages and risks of the rows, in the order of the file. */
async function cells(page: Page): Promise<readonly string[]> {
  await page.getByText('…', { exact: true }).first().waitFor({ state: 'detached' })
  const texts = await page.locator('.grid-window .grid-row').evaluateAll((rows) =>
    rows.map((row) => {
      const of = (kind: string): string =>
        (row as unknown as { querySelector(css: string): { textContent: string } }).querySelector(kind)
          .textContent
      return `${of('.identifier')} ${of('.value')} ${of('.risk')}`
    }),
  )
  return texts.toSorted()
}

async function correctFirst(page: Page, age: string): Promise<void> {
  const row = page.locator('.grid-window .grid-row', { has: page.locator('.identifier', { hasText: 'A' }) })
  await row.locator('.cell.value').first().dblclick()
  await page.fill('.cell-editor', age)
  await page.keyboard.press('Enter')
}

test('a correction and a bulk correction are undone and redone with keys and buttons, and both are listed', async () => {
  const { page, close } = await openSignedIn('list')
  await scored(page)
  const atFirst = await cells(page)
  await correctFirst(page, '84')
  const afterOne = await cells(page)
  assert.match(afterOne[0] ?? '', /^A 84 \d/)
  await page.click('button:has-text("Correct them all")')
  await page.getByText('2 rows, age: 840 → 84').waitFor()
  const afterAll = await cells(page)
  assert.match(afterAll[2] ?? '', /^C 84 \d/)
  assert.equal(await page.locator('.grid-row.edited').count(), 3)

  await page.locator('.cell.identifier').first().click()
  await page.keyboard.press('Control+z')
  await page.getByText('Undone: 2 rows, age: 84 → 840').waitFor()
  assert.deepEqual(await cells(page), afterOne)
  await page.keyboard.press('Control+z')
  assert.deepEqual(await cells(page), atFirst)
  assert.equal(await page.locator('.grid-row.edited').count(), 0, 'what was undone is not corrected')
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+Shift+z')
  assert.deepEqual(await cells(page), afterOne)
  await page.getByRole('button', { name: 'Redo' }).click()
  assert.deepEqual(await cells(page), afterAll)
  await page.getByRole('button', { name: 'Undo' }).click()
  await correctFirst(page, '85')
  assert.equal(await page.getByRole('button', { name: 'Redo' }).isDisabled(), true)

  await page.click('button:has-text("Changes (8)")')
  const listed = await page.locator('.changes li').allTextContents()
  assert.equal(listed.length, 8)
  assert.match(listed[0] ?? '', /^A, age: 84 → 85Changed, \d+ \w+ \d{4}, \d\d:\d\d:\d\d$/)
  await page.keyboard.press('Escape')

  const files: Download[] = []
  page.on('download', (file) => files.push(file))
  await page.click('.results-head .menu > summary')
  await page.click('.menu-body button:has-text("All, ")')
  while (files.length < 2) await page.waitForTimeout(50)
  const [, changes] = files
  assert.match(changes?.suggestedFilename() ?? '', /-changes\.csv$/)
  const lines = readFileSync((await changes?.path()) ?? '', 'utf8')
    .trimEnd()
    .split('\r\n')
  assert.equal(lines[0], '\uFEFFtime,action,line,identifier,column,old value,new value')
  assert.deepEqual(
    lines.slice(1).map((line) => line.slice(line.indexOf(',') + 1)),
    [
      'changed,2,A,age,840,84',
      'changed,3,B,age,840,84',
      'changed,4,C,age,840,84',
      'undone,3,B,age,84,840',
      'undone,4,C,age,84,840',
      'undone,2,A,age,84,840',
      'redone,2,A,age,840,84',
      'redone,3,B,age,840,84',
      'redone,4,C,age,840,84',
      'undone,3,B,age,84,840',
      'undone,4,C,age,84,840',
      'changed,2,A,age,84,85',
    ],
  )
  await close()
})

test('Ctrl+Z in a text field undoes its typing and no correction', async () => {
  const { page, close } = await openSignedIn('list')
  await scored(page)
  await correctFirst(page, '84')
  const corrected = await cells(page)
  await page.fill('.filters input[type=search]', 'A')
  await page.locator('.filters input[type=search]').press('Control+z')
  await page.fill('.filters input[type=search]', '')
  assert.deepEqual(await cells(page), corrected)
  await close()
})
