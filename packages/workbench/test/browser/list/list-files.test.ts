/** What a list may come as: spreadsheets, other encodings, titles above the header, other words for a value; and its corrections. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { download, openOverview, pasteList, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'
import { xlsx } from './spreadsheet.ts'

const HEAD = 'NHC,name,AGE (yrs),Gender,inpatientAdmissions,emergencyAdmissions,LoS (days)'
const ROW = 'H1,Ana,84,Female,2,1,7'

const { served, open, openSignedIn } = await useWorkbench()

test('a spreadsheet with a title, dates and words for codes is read, and gives the same risk as CSV', async () => {
  const { page, close } = await openList()
  await choose(
    page,
    'ward.xlsx',
    xlsx([['Ward 3'], [], HEAD.split(','), ['H1', 'Ana', 84, 'Female', 2, 1, 7]]),
  )
  await page.waitForSelector('.match')
  await page.click('.read-options summary')
  await page.fill('.read-options input', '3')
  await page.keyboard.press('Enter')
  await page.waitForSelector('select[aria-label="Meaning of LoS (days)"]')
  assert.equal(await page.inputValue('select[aria-label="Meaning of the value Female in Gender"]'), 'F')
  await page.click('button:has-text("Score 1 row")')
  await page.locator('.risk-button', { hasText: '22.9%' }).waitFor()
  await close()
})

test('a spreadsheet of 4,000 rows is read, without a worker, which the policy of the page forbids', async () => {
  const { page, close } = await openList()
  const rows = Array.from({ length: 4_000 }, (_row, index) => [`H${index}`, 'Ana', 84, 'Female', 2, 1, 7])
  await choose(page, 'ward.xlsx', xlsx([HEAD.split(','), ...rows]))
  await page.locator('.matching', { hasText: '4,000 rows' }).waitFor()
  await close()
})

test('files in UTF-16 and Latin-1 with semicolons are read', async () => {
  const { page, close } = await openList()
  for (const encoding of ['utf16le', 'latin1'] as const) {
    const text = `${HEAD};Días\n${ROW};x`.replaceAll(',', ';')
    const mark = encoding === 'utf16le' ? '\uFEFF' : ''
    await choose(page, 'ward.csv', Buffer.from(mark + text, encoding))
    await page.getByRole('rowheader', { name: 'Días' }).waitFor()
    await page.click('button:has-text("Score 1 row")')
    await page.locator('.risk-button', { hasText: '22.9%' }).waitFor()
    await page.click('button:has-text("Another list")')
    await page.waitForSelector('.drop')
  }
  await close()
})

test('a column is shown, a row is found by its identifier, and one correction goes to all rows with that value', async () => {
  const { page, close } = await openList()
  const rows = ['H1,Ana,84,Female,2,1,7', 'H2,Luis,71,Q,0,0,3', 'H3,Eva,66,Q,0,0,3', 'H2,Sol,90,Female,0,0,1']
  await pasteList(page, [HEAD, ...rows])
  await page.getByText('1 identifier occurs more than once, for example H2').waitFor()
  await page.click('button:has-text("Score 4 rows")')
  await page.waitForSelector('.grid')
  await page.click('.filters .menu > summary')
  await page.locator('.menu-body label', { hasText: /^name/ }).locator('select').selectOption('shown')
  await page.locator('.cell.extra', { hasText: 'Luis' }).waitFor()
  // The menu lies over the table until it is closed.
  await page.keyboard.press('Escape')
  await page.locator('.cell.wrong', { hasText: 'Q' }).first().click()
  await page.fill('.cell-editor', 'M')
  await page.keyboard.press('Enter')
  await page.getByText('The value “Q” is also a problem in 1 row.').waitFor()
  await page.click('button:has-text("Correct them all")')
  await openOverview(page)
  await page.getByText('No problem was found in any row.').waitFor()
  await page.fill('.filters input[type=search]', 'h3')
  await page.getByText('1 of 4 rows').waitFor()
  const { text } = await download(page, 'As on the screen, in this order: 1 row')
  assert.match(
    text,
    /H3,Eva,66,M,0,0,3,0\.\d+,below,,,,,,0\.\d+ to 0\.\d+,.*,readmission30@.*Gender \(was Q\)/,
  )
  assert.doesNotMatch(text, /H1,/)
  await close()
})

test('at least 12 rows are in sight at 1440 × 900, and 8 at 1024 × 768', async () => {
  const { page, close } = await openList()
  await pasteList(page, [HEAD, ...Array.from({ length: 40 }, () => ROW)])
  for (const [width, height, least] of [
    [1440, 900, 12],
    [1024, 768, 8],
  ] as const) {
    await page.setViewportSize({ width, height })
    // Scored at this size, so that the table is laid out for it.
    await page.click('button:has-text("Score 40 rows")')
    await page.waitForSelector('.grid')
    const rows = await page.evaluate<number>(`(() => {
      const grid = document.querySelector('.grid').getBoundingClientRect()
      return [...document.querySelectorAll('.grid-window .grid-row')].filter((row) => {
        const { top, bottom } = row.getBoundingClientRect()
        return top >= grid.top && bottom <= Math.min(grid.bottom, innerHeight)
      }).length
    })()`)
    assert.ok(rows >= least, `${rows} rows at ${width} × ${height}`)
    await page.click('button:has-text("Match columns again")')
  }
  await close()
})

test('no error is shown while a value is typed, and the field under the cursor does not move', async () => {
  const { page, close } = await open({ viewport: { width: 390, height: 800 } })
  await signIn(page, served.key)
  await page.waitForSelector('form.questions')
  await page.locator('#field-stayDays').scrollIntoViewIfNeeded()
  const place = async (): Promise<number> => (await page.locator('#field-stayDays').boundingBox())?.y ?? -1
  await page.fill('#field-age', '84')
  await page.check('[data-field=sex] input[value=F]', { force: true })
  await page.fill('#field-inpatientAdmissions', '2')
  await page.fill('#field-emergencyAdmissions', '1')
  await page.locator('#field-stayDays').click()
  const before = await place()
  await page.keyboard.type('-')
  await page.locator('.result-bar', { hasText: 'problem' }).waitFor()
  assert.equal(await page.locator('[data-field=stayDays] .problem').count(), 0)
  await page.fill('#field-stayDays', '7')
  await page.locator('.result-bar strong', { hasText: '22.9%' }).waitFor()
  assert.equal(await place(), before)
  await close()
})

async function openList(): Promise<{ page: Page; close: () => Promise<void> }> {
  const { page, close } = await openSignedIn('list')
  return { page, close }
}

async function choose(page: Page, name: string, buffer: Buffer): Promise<void> {
  await page.setInputFiles('input[type=file]', { name, mimeType: 'application/octet-stream', buffer })
}
