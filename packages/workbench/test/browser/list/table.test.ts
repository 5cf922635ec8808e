/** The table on wide, narrow and enlarged screens: columns, cards, and the keyboard. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { goTo, openPage, pasteList, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const ROWS = Array.from(
  { length: 60 },
  (_row, index) => `H-${index},${60 + (index % 30)},F,2,1,7,Ward ${index % 3}`,
)

const { served, browser } = await useWorkbench()

async function scored(width: number, height: number): Promise<{ page: Page; close: () => Promise<void> }> {
  const { page, close } = await openPage(browser, served.origin, { viewport: { width, height } })
  await signIn(page, served.key)
  await goTo(page, 'list')
  await pasteList(page, ['NHC,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays,Ward', ...ROWS])
  await page.click('button:has-text("Score 60 rows")')
  await page.waitForSelector('.grid .risk-button')
  return { page, close }
}

test('who, which risk and why stay in sight while the table is scrolled sideways', async () => {
  const { page, close } = await scored(920, 900)
  const leftOf = async (css: string): Promise<number | undefined> =>
    (await page.locator(css).first().boundingBox())?.x
  const fixed = ['identifier', 'risk', 'state', 'reasons']
  const lefts = () => Promise.all(fixed.map((kind) => leftOf(`.cell.${kind}`)))
  const before = await lefts()
  await page.locator('.grid').evaluate((element) => {
    ;(element as unknown as { scrollLeft: number }).scrollLeft = 400
  })
  await page.locator('.grid[data-sideways]').waitFor()
  assert.deepEqual(await lefts(), before)
  assert.deepEqual(await Promise.all(fixed.map((kind) => leftOf(`.grid-head .${kind}`))), before)
  await close()
})

test('columns are hidden, narrowed and shown', async () => {
  const { page, close } = await scored(1280, 900)
  const heads = (): Promise<readonly string[]> =>
    page.locator('.grid-head .sort span:first-child').allTextContents()
  assert.ok(!(await heads()).includes('Ward'))
  await page.click('.filters summary:has-text("Columns")')
  const shape = (name: string) =>
    page.locator('.filters .menu-body label', { hasText: name }).locator('select')
  await shape('Ward').selectOption('shown')
  await shape('Reasons').selectOption('hidden')
  await shape('Length of stay').selectOption('narrow')
  const shown = await heads()
  assert.ok(shown.includes('Ward') && !shown.includes('Reasons'))
  const stay = shown.indexOf('Length of stay')
  const cell = page.locator('.grid-row[aria-rowindex="2"] .cell').nth(stay)
  assert.equal((await cell.boundingBox())?.width, 64)
  assert.equal(await page.locator('.filters .menu-body label', { hasText: 'NHC' }).count(), 0)
  await close()
})

for (const [name, width, height] of [
  ['390 pixels', 390, 844],
  ['820 pixels', 820, 1180],
  ['1280 pixels at 200 %', 640, 450],
  ['1440 pixels at 200 %', 720, 450],
  ['1920 pixels at 200 %', 960, 540],
] as const) {
  test(`at ${name} a row is a card, and the first is visible without scrolling`, async () => {
    const { page, close } = await scored(width, height)
    await page.evaluate('window.scrollTo(0, 0)')
    for (const part of ['.cell.identifier', '.risk-button']) {
      const box = await page.locator(part).first().boundingBox()
      assert.ok(box !== null && box.y + box.height <= height, `${part} ends at ${box?.y}`)
      assert.ok(box.x >= 0 && box.x + box.width <= width)
    }
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
    const cells = page.locator('.grid-row[aria-rowindex="2"] .cell')
    const boxes = await Promise.all((await cells.all()).map((cell) => cell.boundingBox()))
    assert.ok(boxes.every((box) => box === null || box.x + box.width <= width))
    await page.locator('.grid').evaluate((grid) => {
      ;(grid as unknown as { scrollTop: number }).scrollTop = 1e6
    })
    await page.locator(`.grid-row[aria-rowindex="${ROWS.length + 1}"]`).waitFor()
    await close()
  })
}

test('the table is one stop of Tab, and arrows go between the names and the rows', async () => {
  const { page, close } = await scored(1280, 900)
  assert.equal(await page.locator('.grid [tabindex="0"]').count(), 1)
  const at = (): Promise<string> => page.evaluate("document.activeElement.getAttribute('data-cell')")
  await page.locator('.cell.identifier').first().click()
  await page.keyboard.press('ArrowUp')
  assert.equal(await at(), '-1:0')
  assert.equal(await page.locator('.grid [tabindex="0"]').count(), 1)
  await page.keyboard.press('Enter')
  await page.locator('.grid-head [aria-sort=ascending]', { hasText: 'NHC' }).waitFor()
  await page.keyboard.press('ArrowRight')
  assert.equal(await at(), '-1:1')
  await page.keyboard.press('ArrowDown')
  assert.equal(await at(), '0:1')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  assert.equal(await at(), '0:1')
  await close()
})
