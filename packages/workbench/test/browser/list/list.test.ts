/** A list, from a dropped file over columns, scoring and corrections to the downloaded results; cancelled. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { download, openOverview, pasteList } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const ROWS = 5_000
const HEAD = 'NHC;Edad;Sexo;Ingresos;Urgencias;Dias estancia;Nota'
/** Rows, from 0, with an error: a missing age, an unknown code for sex, a negative stay. */
const FAULTY: ReadonlyMap<number, number> = new Map([
  [40, 1],
  [1_234, 2],
  [4_321, 5],
])

const { openSignedIn } = await useWorkbench()

test(`${ROWS} rows are dropped, matched, scored, corrected in three places and downloaded`, async () => {
  const { page, close } = await openSignedIn('list')
  await drop(page, 'ward.csv', listText(ROWS))
  await page.waitForSelector('.match')
  assert.equal(await page.locator('select[aria-label="Meaning of Edad"]').inputValue(), 'age')
  assert.equal(await page.locator('select[aria-label="Meaning of Dias estancia"]').inputValue(), 'stayDays')
  assert.equal(await page.locator('select[aria-label="Meaning of Nota"]').inputValue(), '')
  await page.getByLabel('Meaning of the value M in Sexo').selectOption('M')
  await page.click('button:has-text("Score 5,000 rows")')
  await page.waitForSelector('.grid')
  await page.locator('.figure-box', { hasText: 'With problems' }).getByText('3', { exact: true }).waitFor()

  const risks = await page.locator('.risk-button').allTextContents()
  const figures = risks.map((text) => Number.parseFloat(text))
  assert.deepEqual(
    figures,
    figures.toSorted((a, b) => b - a),
    'the highest risk comes first',
  )
  assert.ok((await page.locator('.grid-window .grid-row').count()) < 60, 'only the rows in sight are drawn')

  assert.ok((await rowsTouchedByScrolling(page, 120)) <= 6, 'a row that stays in sight is left alone')

  await openOverview(page)
  for (const [field, correct] of [
    ['Age', '81'],
    ['Sex', 'F'],
    ['Length of stay', '4'],
  ] as const) {
    await page.locator('.quality button', { hasText: field }).click()
    await page.getByText('1 of 5,000 rows').waitFor()
    await page.locator('.cell.wrong').click()
    await page.fill('.cell-editor', correct)
    await page.keyboard.press('Enter')
    await page.waitForSelector('.grid-row.edited .risk-button')
    await page.click('button:has-text("Show all")')
  }
  await page.getByText('No problem was found in any row.').waitFor()

  await expectPrintable(page)
  const { name, text } = await download(page, 'All, in the order of the file: 5,000 rows')
  assert.match(name, /^ward-results-readmission30-[\d.]+-\d{4}-\d\d-\d\d\.csv$/)
  const lines = text.trimEnd().split('\r\n')
  assert.equal(lines.length, ROWS + 1)
  const added =
    'notices;range;sampling;scales;contributions;model;deployment;digest;scored;corrected;state;note'
  assert.equal(lines[0], `\uFEFF${HEAD};risk;threshold;same identifier;calibration alarm;problems;${added}`)
  const origin = 'readmission30@[\\d.]+;readmission;sha-256=:[^;]+:;[-\\dT:.]+Z'
  assert.match(
    lines[41] ?? '',
    new RegExp(`^H40;81;F;0;1;\\d+;'=1\\+1;0,\\d+;below;;;.*;${origin};Edad \\(was empty\\);open;$`),
  )
  assert.equal(lines.filter((line) => line.includes(';=1+1')).length, 0, 'no cell runs as a formula')
  await close()
})

test('faulty rows are downloaded separately, and a row shows its problems and opens as one patient', async () => {
  const { page, close } = await openSignedIn('list')
  await page.fill('#paste', listText(60))
  await page.click('button:has-text("Use the pasted rows")')
  await page.click('button:has-text("Score 60 rows")')
  await page.waitForSelector('.grid')
  const lines = (await download(page, 'Only those with problems: 1 row')).text.trimEnd().split('\r\n')
  assert.equal(lines.length, 2)
  assert.match(lines[1] ?? '', /;ValueMissing for value age;/)
  await page.locator('.risk-button').first().click()
  await page.waitForSelector('.row-detail .contributions')
  await page.click('.row-detail button:has-text("Open as one patient")')
  await page.waitForSelector('.risk-figure')
  await page.emulateMedia({ media: 'print' })
  assert.match((await page.locator('.whose').textContent()) ?? '', /^NHC H\d+$/)
  assert.equal(await page.locator('.whose').isVisible(), true, 'the print says whose it is')
  await page.emulateMedia({ media: 'screen' })
  const age = await page.inputValue('#field-age')
  for (const [typed, whose] of [
    ['71', /^NHC H\d+, with values that are not those of the list$/],
    [age, /^NHC H\d+$/],
  ] as const) {
    await page.fill('#field-age', typed)
    await page.locator('.whose', { hasText: whose }).waitFor()
  }
  await page.click('button:has-text("New patient")')
  assert.equal(await page.locator('.whose').count(), 0)
  await close()
})

test('scoring is cancelled, shows what was answered, and goes on', async () => {
  const { page, close } = await openSignedIn('list')
  let asked = 0
  const { promise: letGo, resolve: release } = Promise.withResolvers<undefined>()
  await page.route('**/risk/api/do/v0/explain', async (route) => {
    // Two answers come; the third is held until the test has cancelled.
    if (++asked >= 3) await letGo
    await route.continue().catch(() => undefined)
  })
  await drop(page, 'ward.csv', listText(6_000))
  await page.getByLabel('Meaning of the value M in Sexo').selectOption('M')
  await page.click('button:has-text("Score 6,000 rows")')
  await page.getByText(/^[12],000 of 6,000 rows answered/).waitFor()
  await page.getByText(/left$/).waitFor()
  await page.click('button:has-text("Cancel")')
  await page.getByText(/^Stopped after [1-5],000 of 6,000 rows/).waitFor()
  release(undefined)
  await page.click('button:has-text("Go on")')
  await page.getByText('6,000 of 6,000 rows').waitFor()
  await close('requests')
})

test('a matching is remembered when asked, and holds names alone', async () => {
  const { page, close } = await openSignedIn('list')
  const rows = ['years old;sex;inpatientAdmissions;emergencyAdmissions;stayDays', '84;F;2;1;7']
  await pasteList(page, rows)
  await page.getByText('The model needs values that no column gives: Age').waitFor()
  assert.equal(await page.locator('button:has-text("Score 1 row")').isDisabled(), true)
  await page.selectOption('select[aria-label="Meaning of years old"]', 'age')
  await page.check('.check input')
  await page.click('button:has-text("Score 1 row")')
  await page.click('button:has-text("Another list")')
  await pasteList(page, rows)
  assert.equal(await page.locator('select[aria-label="Meaning of years old"]').inputValue(), 'age')
  assert.doesNotMatch(String(await page.evaluate("localStorage.getItem('patient-risk-columns')")), /84|"F"/)
  await close()
})

test('a wide sheet is matched at once, and every field can be chosen when its control is reached', async () => {
  const { page, close } = await openSignedIn('list')
  const wide = Array.from({ length: 60 }, (_, index) => `other${index}`)
  await pasteList(page, [
    ['age', 'barthel_total', ...wide].join(';'),
    ['84', '95', ...wide.map(() => '1')].join(';'),
  ])
  const last = page.getByLabel('Meaning of other59', { exact: true })
  await last.waitFor()
  // All fields in every control would be some ten thousand options, and seconds without an answer of the page.
  assert.ok((await page.locator('.match option').count()) < 1_000)
  const matched = page.getByLabel('Meaning of barthel_total', { exact: true })
  assert.equal(await matched.inputValue(), 'barthel_total')
  for (const [column, reach] of (['focus', 'hover', 'click'] as const).entries()) {
    const control = page.getByLabel(`Meaning of other${column}`, { exact: true })
    assert.equal(await control.locator('[value=mna_total]').count(), 0)
    await control[reach]()
    assert.equal(await control.locator('[value=mna_total]').count(), 1)
  }
  // Choosing keeps the choice, also when the control is left.
  await last.focus()
  await last.selectOption('mna_total')
  await matched.focus()
  assert.equal(await last.inputValue(), 'mna_total')
  await close()
})

/** How many rows the page changes when the table is scrolled a little; 0 would mean that nothing came into sight. */
async function rowsTouchedByScrolling(page: Page, pixels: number): Promise<number> {
  const touched = await page.evaluate<number>(`(async () => {
    const rows = new Set()
    const observer = new MutationObserver((changes) => {
      for (const { target } of changes) {
        const row = (target.nodeType === 1 ? target : target.parentElement).closest('.grid-window .grid-row')
        if (row !== null) rows.add(row)
      }
    })
    const grid = document.querySelector('.grid')
    const frames = async (count) => {
      for (let i = 0; i < count; i++) await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    grid.scrollTop = 2000
    await frames(20)
    observer.observe(grid, { subtree: true, childList: true, attributes: true, characterData: true })
    grid.scrollTop += ${pixels}
    const latest = performance.now() + 60000
    while (rows.size === 0 && performance.now() < latest) await frames(1)
    await frames(20)
    observer.disconnect()
    grid.scrollTop = 0
    return rows.size
  })()`)
  assert.notEqual(touched, 0)
  return touched
}

/** On paper stand the first 500 rows and a word about the others, and not a hundred empty sheets. */
async function expectPrintable(page: Page): Promise<void> {
  await page.emulateMedia({ media: 'print' })
  await page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
  await page.locator('.grid-window .grid-row').nth(499).waitFor()
  assert.equal(await page.locator('.grid-window .grid-row').count(), 500)
  await page.getByText('The first 500 of 5,000 rows.').waitFor()
  assert.equal(await page.getByText('5,000 of 5,000 rows').isVisible(), true, 'how many rows a filter left')
  assert.match((await page.locator('.origin').textContent()) ?? '', /readmission30 1\./)
  const height = await page.evaluate<number>('document.documentElement.scrollHeight')
  assert.ok(height < 500 * 40 + 2_000, `the page is ${height} pixels long`)
  await page.evaluate("window.dispatchEvent(new Event('afterprint'))")
  await page.emulateMedia({ media: 'screen' })
}

/** Like a real drop: the file comes with the event, and no picker opens. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    `(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}, { type: 'text/csv' }))
      return transfer
    })()`,
  )
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: transfer })
}

function listText(rows: number): string {
  const lines = [HEAD]
  for (let row = 0; row < rows; row++) {
    const cells = [
      `H${row}`,
      String(60 + (row % 40)),
      row % 3 === 0 ? 'M' : 'F',
      String(row % 5),
      String(row % 3),
    ]
    const all = [...cells, String(1 + (row % 14)), '=1+1']
    const faulty = FAULTY.get(row)
    if (faulty !== undefined) all[faulty] = faulty === 1 ? '' : faulty === 2 ? 'H' : '-4'
    lines.push(all.join(';'))
  }
  return lines.join('\n')
}
