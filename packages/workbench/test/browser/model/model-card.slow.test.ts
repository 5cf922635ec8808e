/** The page of a model card in a browser: its policy lets its style in, nothing runs over, and axe finds nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axeFaults } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { browser, served } = await useWorkbench()

for (const width of [320, 390, 768, 1280]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`model cards at ${width} px, ${colorScheme}`, async () => {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
      const printed: string[] = []
      page.on('console', (message) => printed.push(message.text()))
      for (const path of ['/model-card', '/mortality/model-card']) {
        await page.goto(served.origin + path)
        const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor')
        assert.equal(over, 0, path)
        assert.equal(ground, colorScheme === 'light' ? 'rgb(244, 247, 248)' : 'rgb(14, 22, 26)')
        assert.deepEqual(await axeFaults(page), [], path)
      }
      assert.deepEqual(printed, [])
      await page.close()
    })
  }
}
