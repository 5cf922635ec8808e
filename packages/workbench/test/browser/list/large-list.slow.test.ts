/** A list of 50,000 rows: opened, scored, sorted by risk and by a column, filtered, searched, scrolled and downloaded whole. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { download, openOverview } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const ROWS = 50_000
const FAULTY_ROW = 43_210
const LONG_MS = 120_000
const HEAD = 'patient,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'

const { openSignedIn } = await useWorkbench()

test(
  '50,000 rows are scored, sorted by risk and by a column, filtered, searched and downloaded',
  { timeout: 2 * LONG_MS },
  async () => {
    const { page, close } = await openSignedIn('list')
    page.setDefaultTimeout(LONG_MS)
    const lines = Array.from({ length: ROWS }, (_each, row) => lineOf(row))
    const buffer = Buffer.from([HEAD, ...lines].join('\n'))
    await page.setInputFiles('input[type=file]', { name: 'list.csv', mimeType: 'text/csv', buffer })
    await page.click('button:has-text("Score 50,000 rows")')
    await page.getByText('50,000 of 50,000 rows').waitFor()
    await page.locator('.figure-box', { hasText: 'With problems' }).getByText('1', { exact: true }).waitFor()

    const first = await riskAt(page, 'first')
    const last = await riskAt(page, 'last')
    assert.ok(first > last, `the risk falls from ${first} % to ${last} %`)
    assert.ok((await page.locator('.grid-window .grid-row').count()) < 60, 'only the rows in sight are drawn')

    // An empty cell comes before every age; equal ages keep the order of the file.
    await sortByAge(page, 'ascending')
    assert.deepEqual(await patientsAtEnds(page), [`H${FAULTY_ROW}`, 'H49999'])
    await sortByAge(page, 'descending')
    assert.deepEqual(await patientsAtEnds(page), ['H39', `H${FAULTY_ROW}`])

    await openOverview(page)
    await page.locator('.quality button', { hasText: 'Age' }).click()
    await page.getByText('1 of 50,000 rows').waitFor()
    await page.locator('.grid-window .grid-row', { hasText: `H${FAULTY_ROW}` }).waitFor()
    await page.click('button:has-text("Show all")')
    for (const row of [0, ROWS - 1]) {
      await page.fill('.filters input[type=search]', `H${row}`)
      await page.getByText(/^\d+ of 50,000 rows/).waitFor()
      await page
        .locator('.grid-window .grid-row', { hasText: `H${row}` })
        .first()
        .waitFor()
    }
    await page.fill('.filters input[type=search]', '')
    await page.getByText('50,000 of 50,000 rows').waitFor()

    const { text } = await download(page, 'All, in the order of the file: 50,000 rows')
    const written = text.trimEnd().split('\r\n').slice(1)
    assert.equal(written.length, ROWS)
    assert.equal(
      written.findIndex((line, row) => !line.startsWith(`${lineOf(row)},`)),
      -1,
    )
    const scored = /,0\.\d+,(?:below|at or above),,,,,,0\.\d+ to .*,readmission30@/
    const unscored = written.flatMap((line, row) => (scored.test(line) ? [] : [row]))
    assert.deepEqual(unscored, [FAULTY_ROW])
    assert.match(written[FAULTY_ROW] ?? '', /,ValueMissing for value age,/)
    await close()
  },
)

function lineOf(row: number): string {
  const age = row === FAULTY_ROW ? '' : String(60 + (row % 40))
  const sex = row % 2 === 0 ? 'F' : 'M'
  return `H${row},${age},${sex},${row % 5},${row % 3},${1 + (row % 14)}`
}

/** The risk in percent of the first row of the table, or of the last one that has a risk, scrolled to as a user does. */
async function riskAt(page: Page, end: 'first' | 'last'): Promise<number> {
  await scrollTo(page, end)
  // The row without a risk comes last in the table.
  if (end === 'last') await page.locator('.grid-window .grid-row', { hasText: `H${FAULTY_ROW}` }).waitFor()
  const risk = await page.locator('.grid-window .risk-button')[end]().textContent()
  return Number.parseFloat(risk ?? '')
}

/** Clicks the header of the column and waits until the table says that it is sorted in this direction. */
async function sortByAge(page: Page, direction: 'ascending' | 'descending'): Promise<void> {
  await page.locator('.grid-head button', { hasText: 'Age' }).click()
  await page.locator(`.grid-head [aria-sort=${direction}]`, { hasText: 'Age' }).waitFor()
}

/** The patients in the first and in the last row of the table. The header is row 1. */
async function patientsAtEnds(page: Page): Promise<readonly (string | null)[]> {
  const patientIn = (row: number): Promise<string | null> =>
    page.locator(`.grid-row[aria-rowindex="${row}"] .cell.identifier`).textContent()
  await scrollTo(page, 'first')
  const first = await patientIn(2)
  await scrollTo(page, 'last')
  return [first, await patientIn(ROWS + 1)]
}

async function scrollTo(page: Page, end: 'first' | 'last'): Promise<void> {
  await page.locator('.grid').evaluate((grid, toEnd) => {
    const scrolled = grid as unknown as { scrollTop: number; scrollHeight: number }
    scrolled.scrollTop = toEnd ? scrolled.scrollHeight : 0
  }, end === 'last')
}
