/** The worklist: one patient beside the table, next and previous, a correction and its effect, what is to be checked; by keyboard. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { fillPatient, goTo, openOverview, pasteList } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const HEAD = 'patient,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'
const ROWS = ['A,84,F,2,1,7', 'B,60,F,0,0,1', 'C,71,M,1,1,', 'A,75,M,1,1,3', 'E,103,M,0,0,4']

const { openSignedIn } = await useWorkbench()

async function scored(page: Page): Promise<void> {
  await pasteList(page, [HEAD, ...ROWS])
  await page.click('button:has-text("Score 5 rows")')
  await page.waitForSelector('.grid .risk-button')
}

test('at 1280 pixels who, which risk, why and every input are in sight, with the word of the risk', async () => {
  const { page, close } = await openSignedIn('list')
  await scored(page)
  const { width, right } = await page.evaluate<{ width: number; right: number }>(
    `(() => { const grid = document.querySelector('.grid'); return { width: grid.scrollWidth - grid.clientWidth, right: innerWidth } })()`,
  )
  assert.equal(width, 0, 'nothing is beyond the edge')
  for (const box of await Promise.all(
    (await page.locator('.grid-row[aria-rowindex="2"] .cell').all()).map((cell) => cell.boundingBox()),
  ))
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= right)
  const first = page.locator('.grid-row[aria-rowindex="2"]')
  assert.equal(await first.locator('.risk-word').textContent(), 'above threshold')
  assert.match((await first.locator('.reasons').textContent()) ?? '', /^twice↑ Inpatient admissions 2, /)
  // Without a risk: between which ends it lies, and that the answer is open.
  const open = page.locator('.grid-window .grid-row', { hasText: 'Length of stay: missing' })
  assert.match((await open.locator('.risk').textContent()) ?? '', /^\d+\.\d%–\d+\.\d%may be above$/)
  await close()
})

for (const [width, beside] of [
  [1024, 'alone'],
  [1280, 'beside the overview'],
] as const) {
  test(`at ${width} pixels every input is in sight, ${beside}`, async () => {
    const { page, close } = await openSignedIn('list')
    await page.setViewportSize({ width, height: 900 })
    await pasteList(page, [
      HEAD,
      ...ROWS.map((row) => row.replace(',F,', ',Female,').replace(',M,', ',Male,')),
    ])
    await page.click('button:has-text("Score 5 rows")')
    await page.waitForSelector('.grid .risk-button')
    if (beside !== 'alone') await openOverview(page)
    const edge = await page.evaluate<number>("document.querySelector('.grid').getBoundingClientRect().right")
    for (const cell of await page.locator('.grid-row[aria-rowindex="2"] .value').all()) {
      const box = await cell.boundingBox()
      assert.ok(box !== null && box.x + box.width <= edge)
    }
    // What the file says is in sight with what it means.
    const parts = page.locator('.grid-row[aria-rowindex="2"] .meant > span')
    assert.deepEqual(await parts.allTextContents(), ['Female ', '→ F'])
    const cut =
      "[...document.querySelectorAll('.meant > span')].filter((each) => each.scrollWidth > each.clientWidth).length"
    assert.equal(await page.evaluate(cut), 0)
    await close()
  })
}

test('beside a patient no tag, no word of a risk and no column is cut, in English and Spanish', async () => {
  const { page, close } = await openSignedIn('list')
  await pasteList(page, [HEAD, 'A,840,F,2,1,7', 'A,60,M,5,0,1', 'C,,F,4,2,9'])
  await page.click('button:has-text("Score 3 rows")')
  await page.locator('.grid .risk-button').first().click()
  await page.waitForSelector('.row-detail .contributions')
  const cut = (): Promise<readonly string[]> =>
    page.evaluate(`(() => {
      const grid = document.querySelector('.grid')
      const beyond = grid.scrollWidth > grid.clientWidth ? ['the table'] : []
      const parts = [...grid.querySelectorAll('.cell .tag, .risk-word, .risk-range')]
      return [...beyond, ...parts.filter((part) => {
        const inner = part.getBoundingClientRect()
        const outer = part.closest('.cell').getBoundingClientRect()
        return inner.left < outer.left || inner.right > outer.right || inner.top < outer.top || inner.bottom > outer.bottom
      }).map((part) => part.textContent)]
    })()`)
  assert.deepEqual(await cut(), [])
  assert.equal(await page.locator('.grid-row .tag', { hasText: 'twice' }).count(), 2)
  // The panel has the note.
  assert.equal(await page.locator('.grid-head .note').count(), 0)
  await page.click('button:has-text("Español")')
  await page.locator('.grid-row .tag', { hasText: 'repetido' }).first().waitFor()
  assert.deepEqual(await cut(), [])
  await page.click('.row-detail .detail-head button')
  await page.locator('.grid-head .note').waitFor()
  await close()
})

test('a screen reader hears who, the risk with its word, and how far a risk is open', async () => {
  const { page, close } = await openSignedIn('list')
  await scored(page)
  const grid = page.getByRole('grid')
  await grid.getByRole('rowheader', { name: 'A' }).first().waitFor()
  await grid.getByRole('button', { name: '22.9%, above threshold, show why' }).click()
  const panel = page.getByRole('complementary', { name: 'A' })
  await panel.getByRole('status').getByText('A, 22.9%, above threshold', { exact: true }).waitFor()
  await grid.getByRole('rowheader', { name: 'C' }).click()
  const open = page.getByRole('complementary', { name: 'C' })
  await open
    .getByRole('status')
    .getByText(/^C, No risk can be given, \d+\.\d%–\d+\.\d%, may be above$/)
    .waitFor()
  await close()
})

test('by keyboard: a patient is opened, the next one shown, corrected, and the risk before stays beside it', async () => {
  const { page, close } = await openSignedIn('list')
  await scored(page)
  const panel = page.locator('aside.row-detail')
  const title = panel.locator('h2')
  await page.locator('.cell.identifier').first().click()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await panel.locator('.contributions').waitFor()
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'A', 'the heading is announced')
  await page.getByText('1 of 5', { exact: true }).waitFor()
  for (const [key, name] of [
    ['n', 'A'],
    ['n', 'E'],
    ['p', 'A'],
    ['n', 'E'],
    ['n', 'B'],
  ] as const) {
    await page.keyboard.press(key)
    assert.equal(await title.textContent(), name, key)
  }
  await panel.locator('.risk-figure').waitFor()
  const before = (await panel.locator('.risk-figure').textContent()) ?? ''
  assert.equal(await page.locator('.grid-row.open .identifier').textContent(), 'B')
  await panel.getByLabel('Inpatient admissions').fill('5')
  await page.keyboard.press('n')
  assert.equal(await title.textContent(), 'B', 'a letter in a field is typed')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Enter')
  await panel.getByText(`Before the correction: ${before}`).waitFor()
  assert.notEqual(await panel.locator('.risk-figure').textContent(), before)
  await panel.getByText('before the correction: 0', { exact: true }).waitFor()
  assert.equal(await page.evaluate('document.activeElement.value'), '5', 'the cursor stays in the field')
  // Escape takes typing back first, then closes the panel; the cursor is in the row again.
  await page.keyboard.type('9')
  await page.keyboard.press('Escape')
  assert.equal(await panel.getByLabel('Inpatient admissions').inputValue(), '5')
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  const row = await page.evaluate<string>(
    `document.activeElement.closest('.grid-row').querySelector('.identifier').textContent`,
  )
  assert.equal(row, 'B')
  await close()
})

test('notices, duplicates and missing values are counted and shown; what one value would change comes first', async () => {
  const { page, close } = await openSignedIn('list')
  await scored(page)
  const names = (): Promise<readonly string[]> => page.locator('.cell.identifier').allTextContents()
  for (const [figure, count, rows] of [
    ['Same identifier', '2', ['A', 'A']],
    ['Missing values', '1', ['C']],
    ['With notices', '1', ['E']],
  ] as const) {
    const button = page.locator('.summary-line button', { hasText: figure })
    assert.equal(await button.locator('strong').textContent(), count)
    await button.click()
    assert.deepEqual(await names(), rows, figure)
    await button.click()
  }
  await page.locator('.filters .order select').selectOption('what a missing value would change')
  assert.equal((await names())[0], 'C')
  await page
    .locator('.filters label', { hasText: 'To check' })
    .locator('select')
    .selectOption('Length of stay: missing (1)')
  assert.deepEqual(await names(), ['C'])
  await page.click('button:has-text("Show all")')
  await openOverview(page)
  // A bar of the histogram is reached and pressed with keys.
  await page.locator('.overview-toggle').focus()
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate('document.activeElement.matches(".bin")')) break
  }
  await page.keyboard.press('Enter')
  assert.equal(await page.locator('.bin[aria-pressed=true]').count(), 1, 'a bar is pressed by keyboard')
  await close()
})

test('a row does not replace a patient who is being typed without a question', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  await goTo(page, 'list')
  await scored(page)
  await page.locator('.risk-button').first().click()
  const open = page.locator('.row-detail button:has-text("Open as one patient")')
  await open.click()
  const question = page.getByRole('dialog', { name: 'Values that you typed would be lost' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await goTo(page, 'patient')
  assert.equal(await page.inputValue('#field-age'), '84')
  assert.equal(await page.locator('.whose').count(), 0)
  await goTo(page, 'list')
  await open.click()
  await question.getByRole('button', { name: 'Replace them' }).click()
  await page.locator('.whose', { hasText: 'patient A' }).waitFor()
  // One that came from a list is replaced without a question.
  await goTo(page, 'list')
  await page.locator('.risk-button').nth(2).click()
  await open.click()
  await page.locator('.whose', { hasText: 'patient E' }).waitFor()
  await close()
})

test('a scored list and the language are not lost by a reload without a question', async () => {
  const { page, close } = await openSignedIn('list')
  await page.click('button:has-text("Español")')
  await page.click('button:has-text("English")')
  await scored(page)
  const asked = page.waitForEvent('dialog')
  const reloaded = page.reload().catch(() => undefined)
  const dialog = await asked
  assert.equal(dialog.type(), 'beforeunload')
  await dialog.accept()
  await reloaded
  await page.waitForSelector('#key')
  await page.click('button:has-text("Español")')
  await page.getByRole('heading', { name: 'Iniciar sesión' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Iniciar sesión' }).waitFor()
  await close()
})
