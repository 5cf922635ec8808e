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

test('the identifier stays in sight while the table is scrolled sideways', async () => {
  const { page, close } = await scored(768, 900)
  const left = async (): Promise<number | undefined> =>
    (await page.locator('.cell.identifier').first().boundingBox())?.x
  const grid = await page.locator('.grid').boundingBox()
  await page.locator('.grid').evaluate((element) => {
    ;(element as unknown as { scrollLeft: number }).scrollLeft = 400
  })
  await page.waitForTimeout(100)
  assert.ok(Math.abs(((await left()) ?? 0) - (grid?.x ?? 0)) < 4)
  assert.ok((await page.locator('.grid-head .identifier').boundingBox())?.x === (await left()))
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
  await shape('Problems').selectOption('hidden')
  await shape('Length of stay').selectOption('narrow')
  const shown = await heads()
  assert.ok(shown.includes('Ward') && !shown.includes('Problems'))
  assert.equal((await page.locator('.grid-row[aria-rowindex="2"] .cell').last().boundingBox())?.width, 64)
  assert.equal(await page.locator('.filters .menu-body label', { hasText: 'NHC' }).count(), 0)
  await close()
})

for (const [name, width, height] of [
  ['390 pixels', 390, 844],
  ['1280 pixels at 200 %', 640, 450],
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
  assert.equal(await at(), '-1:1')
  assert.equal(await page.locator('.grid [tabindex="0"]').count(), 1)
  await page.keyboard.press('Enter')
  await page.locator('.grid-head [aria-sort=ascending]', { hasText: 'NHC' }).waitFor()
  await page.keyboard.press('ArrowRight')
  assert.equal(await at(), '-1:2')
  await page.keyboard.press('ArrowDown')
  assert.equal(await at(), '0:2')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  assert.equal(await at(), '0:2')
  await close()
})
