/** The deployment of a list answers with another model: its risks never stand beside those of the former one. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { serve } from '../../../../../test/support/serve.ts'
import { download, pasteList } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const NAMED = { name: 'readmission', basePath: '/', output: 'number' } as const
const { openSignedIn } = await useWorkbench({ deployments: [{ ...NAMED, model: 'readmission30' }] })
const profund = await serve({ deployments: [{ ...NAMED, model: 'profund' }] })
after(() => profund.close())

test('a list of another model is matched and scored again as a whole', async () => {
  const { page, close } = await openSignedIn('list')
  const head = 'NHC,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'
  await pasteList(page, [head, 'H1,84,F,2,1,7', 'H2,71,M,0,0,1'])
  await page.click('button:has-text("Score 2 rows")')
  await page.waitForSelector('.grid')
  assert.equal((await download(page, 'All, ')).text.match(/,readmission30@/g)?.length, 2)
  await page.route(/\/(deployments|risk\/api\/.*)$/, async (route) => {
    const { pathname } = new URL(route.request().url())
    const headers = { ...route.request().headers(), authorization: `Bearer ${profund.key}` }
    await route.continue({ url: `${profund.origin}${pathname}`, headers })
  })
  await page.locator('.grid-row', { hasText: 'H2' }).locator('.cell.value').first().dblclick()
  await page.fill('.cell-editor', '72')
  await page.keyboard.press('Enter')
  await page.click('button:has-text("Load the new terms and score the remaining rows")')
  // The columns of this list do not give what PROFUND needs, so nothing of it is scored yet.
  await page.waitForSelector('#match-missing')
  assert.equal(await page.locator('.risk-button').count(), 0)
  await close('requests')
})
