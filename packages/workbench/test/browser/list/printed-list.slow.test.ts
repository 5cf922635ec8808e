/** A list on A4, upright and across, in every language: the reasons have room, every column is there, and nothing is beyond the paper. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goTo, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const LIST = `NHC,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays
00000001,84,F,2,1,7
00000002,96,M,7,9,12`

const { served, open } = await useWorkbench({
  deployments: [
    {
      name: 'readmission',
      basePath: '/',
      model: 'readmission30',
      output: 'number',
      languages: ['en', 'es', 'ca', 'pt'],
    },
  ],
})

/** What A4 has between its margins, at 96 points an inch, and how wide the reasons are at least. */
const PAPERS = [
  ['upright', { width: 703, height: 1024 }, 190],
  ['across', { width: 1032, height: 703 }, 300],
] as const

for (const locale of ['en-GB', 'es-ES', 'ca-ES', 'pt-PT']) {
  test(`a list on paper: ${locale}`, async () => {
    const { page, close } = await open({ locale })
    await signIn(page, served.key)
    await goTo(page, 'list')
    await page.fill('#paste', LIST)
    await page.click('.paste button')
    await page.click('.matching button.primary')
    // Beside a patient the table has no column of notes. Paper has it.
    await page.locator('.grid .risk-button').first().click()
    await page.waitForSelector('.row-detail .contributions')
    await page.locator('.grid-head .note').waitFor({ state: 'detached' })
    await page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    await page.locator('.grid-head .note').waitFor()
    await page.emulateMedia({ media: 'print' })
    for (const [paper, size, least] of PAPERS) {
      await page.setViewportSize(size)
      const widths = await page.evaluate<Readonly<Record<string, number>>>(
        `Object.fromEntries([['reasons', '.grid-head .reasons'], ['table', '.grid']].map(([name, css]) =>
          [name, document.querySelector(css).getBoundingClientRect().width]))`,
      )
      assert.ok((widths['reasons'] ?? 0) >= least, `${paper}: ${widths['reasons']} pixels for the reasons`)
      assert.ok(
        (widths['table'] ?? Infinity) <= size.width,
        `${paper}: the table has ${widths['table']} pixels`,
      )
      assert.equal(await page.locator('.grid-head > *').count(), 10, paper)
    }
    await close()
  })
}
