/** State and note of a row: set in the table, in the panel and for many rows; filtered, found, undone, downloaded, never sent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { download, pasteList } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const ROWS = ['A,84,F,2,1,7', 'B,60,F,0,0,1', 'C,71,M,1,1,3', 'D,75,M,1,1']

const { openSignedIn } = await useWorkbench()

test('rows are marked and noted, filtered by it, and the service never learns of it', async () => {
  const { page, close } = await openSignedIn('list')
  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  await pasteList(page, ['id,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays', ...ROWS])
  await page.click('button:has-text("Score 3 rows")')
  await page.waitForSelector('.grid')
  const row = (name: string) =>
    page.locator('.grid-window .grid-row', { has: page.locator('.identifier', { hasText: name }) })

  await row('A').locator('.state-button').click()
  assert.equal(await row('A').locator('.state-button').textContent(), 'seen')
  await page.keyboard.press('Enter')
  assert.equal(await row('A').locator('.state-button').textContent(), 'done')
  await page.keyboard.press('Control+z')
  assert.equal(await row('A').locator('.state-button').textContent(), 'seen')
  await page.keyboard.press('Control+Shift+z')

  await row('A').locator('.cell.note').dblclick()
  await page.fill('.cell-editor', 'called the daughter')
  await page.keyboard.press('Enter')
  await row('B').locator('.risk-button').click()
  await page.waitForSelector('.row-detail .contributions')
  await page.locator('.row-detail select').selectOption('not applicable')
  await page.fill('.row-detail .mark-form input', '=died, 3 May')
  await page.keyboard.press('Escape')
  assert.equal(await row('B').locator('.cell.note').textContent(), '=died, 3 May')
  await row('B').locator('.risk-button').click()
  assert.equal(await page.inputValue('.row-detail .mark-form input'), '=died, 3 May')
  await page.keyboard.press('Escape')

  const stateFilter = page.locator('.filters > label', { hasText: 'State' }).locator('select')
  await stateFilter.selectOption('open')
  await page.getByText('2 of 4 rows').waitFor()
  await page.click('.history .menu summary:has-text("Mark")')
  await page.click('.menu-body button:has-text("seen")')
  await stateFilter.selectOption('seen')
  await page.getByText('2 of 4 rows').waitFor()
  await stateFilter.selectOption('all')
  await page.fill('.filters input[type=search]', 'daughter')
  await page.getByText('1 of 4 rows').waitFor()
  await page.fill('.filters input[type=search]', '')
  await page.locator('.grid-head button', { hasText: 'State' }).click()
  const states = await page.locator('.state-button').allTextContents()
  assert.deepEqual(states.slice(0, 3), ['seen', 'done', 'not applicable'])

  const { text } = await download(page, 'All, ')
  const ends = text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(',').slice(-3).join(','))
  assert.deepEqual(ends, [
    'corrected,state,note',
    ',done,called the daughter',
    `not applicable,"'=died, 3 May"`,
    ',seen,',
    ',seen,',
  ])
  assert.doesNotMatch(sent.join('\n'), /daughter|died|notApplicable|"state"|"note"/)
  await close()
})
