/** Corrections whose answers come late, in another order, or not at all. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { download, pasteList } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const HEAD = 'id,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'
const EXPLAIN = '**/risk/api/do/v0/explain'

const { openSignedIn } = await useWorkbench()

async function scored(page: Page, rows: readonly string[]): Promise<void> {
  await pasteList(page, [HEAD, ...rows])
  await page.click(`button:has-text("Score ${rows.length} row")`)
  await page.waitForSelector('.grid')
}

/** Corrects the age of the first row of the table. */
async function correctAge(page: Page, age: string): Promise<void> {
  await page.locator('.grid-row[aria-rowindex="2"] .cell.value').first().dblclick()
  await page.fill('.cell-editor', age)
  await page.keyboard.press('Enter')
}

const riskCell = (page: Page) => page.locator('.grid-row[aria-rowindex="2"] .cell.risk')

test('of two corrections of a row the answer to the later one stays, whichever comes last', async () => {
  const { page, close } = await openSignedIn('list')
  await scored(page, ['A,20,F,2,1,7'])
  const wanted = await riskCell(page).textContent()
  await correctAge(page, '75')
  await page.locator('.grid-row.edited .risk-button').waitFor()
  const { promise: letGo, resolve: release } = Promise.withResolvers<undefined>()
  const answered = Promise.withResolvers<undefined>()
  await page.route(EXPLAIN, async (route) => {
    const isOlder = route.request().postData()?.includes('"age":95') === true
    if (isOlder) await letGo
    await route.continue()
    if (isOlder) answered.resolve(undefined)
  })
  await correctAge(page, '95')
  await correctAge(page, '20')
  await page.locator('.risk-button').waitFor()
  const late = page.waitForResponse(
    (response) => response.request().postData()?.includes('"age":95') === true,
  )
  release(undefined)
  await (await late).finished()
  await answered.promise
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
  assert.equal(await riskCell(page).textContent(), wanted)
  const { text } = await download(page, 'All, ')
  const [cells = []] = text
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(','))
  assert.equal(cells[1], '20')
  assert.equal(`${(Number(cells[6]) * 100).toFixed(1)}%`, wanted?.trim())
  await close()
})

const FAILURES: readonly (readonly [string, (route: Route) => Promise<void>])[] = [
  ['500', (route) => route.fulfill({ status: 500, body: '{}' })],
  ['503', (route) => route.fulfill({ status: 503, body: '{}', headers: { 'retry-after': '1' } })],
  ['a cut connection', (route) => route.abort('connectionreset')],
  ['no answer', () => Promise.resolve()],
]

for (const [name, fail] of FAILURES) {
  test(`a correction that meets ${name} is tried again, then waits for a button, and the download says so`, async () => {
    const { page, close } = await openSignedIn('list')
    await page.clock.install()
    await scored(page, ['A,75,F,2,1,7', 'B,60,F,0,0,1'])
    const before = await riskCell(page).textContent()
    let asked = 0
    await page.route(EXPLAIN, (route) => {
      asked++
      return fail(route)
    })
    await correctAge(page, '20')
    await page.getByText('…', { exact: true }).waitFor()
    for (let step = 0; step < 50 && (await page.getByText('not scored yet').count()) === 0; step++) {
      await page.clock.runFor(2_000)
    }
    assert.equal(asked, 3)
    await page.getByText('1 row is not scored yet').waitFor()
    const { text } = await download(page, 'All, ')
    const [head = [], cells = []] = text
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','))
    const cell = (column: string): string | undefined => cells[head.indexOf(column)]
    assert.deepEqual(
      [cells[1], cell('risk'), cell('problems'), cell('scored')],
      ['20', '', 'Not scored yet: no answer came after the last correction', ''],
    )
    await page.unroute(EXPLAIN)
    await page.click('.retry-button')
    await page.locator('.grid-row.edited .risk-button').waitFor()
    assert.notEqual(await riskCell(page).textContent(), before)
    assert.equal(await page.getByText('not scored yet').count(), 0)
    await close('requests')
  })
}

test('one failed try is invisible: the row is scored by the next', async () => {
  const { page, close } = await openSignedIn('list')
  await scored(page, ['A,75,F,2,1,7'])
  let asked = 0
  await page.route(EXPLAIN, (route) =>
    ++asked === 1 ? route.fulfill({ status: 503, body: '{}' }) : route.continue(),
  )
  await correctAge(page, '20')
  await page.locator('.grid-row.edited .risk-button').waitFor()
  assert.equal(asked, 2)
  assert.equal(await page.getByText('not scored yet').count(), 0)
  await close('requests')
})
