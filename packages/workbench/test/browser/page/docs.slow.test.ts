/** The page of the interface for programs: the colours of the workbench, and nothing in the console. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { served, browser } = await useWorkbench()

for (const colorScheme of ['light', 'dark'] as const) {
  test(`/docs in ${colorScheme} colours`, async () => {
    const { page, close } = await openPage(browser, served.origin, { colorScheme })
    const colours = `(() => {
      const { backgroundColor, color } = getComputedStyle(document.body)
      return [backgroundColor, color]
    })()`
    const ofPage = await page.evaluate(colours)
    await page.goto(`${served.origin}/docs/`)
    await page.locator('.opblock-summary-control').first().click()
    await page.locator('.opblock-body').first().waitFor()
    assert.deepEqual(await page.evaluate(colours), ofPage)
    const title = `getComputedStyle(document.querySelector('.info .title')).color`
    assert.equal(await page.evaluate(title), (ofPage as string[])[1])
    await close()
  })
}
