/** Values in several units: nothing that the reader does turns a number into one of another unit. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { fillHospital, goTo, pasteList, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const REST = 'oncologyService;sodium;procedureDuringStay;acuteAdmission;inpatientAdmissions;stayDays'

const { served, open, openSignedIn } = await useWorkbench({
  deployments: [
    { name: 'hospital', basePath: '/', model: 'hospital', output: 'number' },
    {
      name: 'mmol',
      basePath: '/mmol',
      model: 'hospital',
      output: 'number',
      units: { haemoglobin: 'mmol/L' },
    },
    { name: 'readmission', basePath: '/readmission', model: 'readmission30', output: 'number' },
  ],
})

test('a typed number stays in its unit when a deployment that receives another one is chosen', async () => {
  const { page, close } = await openSignedIn()
  await fillHospital(page)
  await page.selectOption('.deployment select', 'mmol')
  await page.locator('.converted', { hasText: '= 7.1369 mmol/L' }).waitFor()
  assert.equal(await page.getByLabel('Unit of Haemoglobin').inputValue(), 'g/dL')
  await page.locator('.score', { hasText: '5 points' }).waitFor()
  await page.selectOption('.deployment select', 'hospital')
  await page.locator('.converted').waitFor({ state: 'detached' })
  await page.locator('.score', { hasText: '5 points' }).waitFor()
  assert.equal(await page.inputValue('#field-haemoglobin'), '11.5')
  await close()
})

test('a column stays in its unit when its list is scored again with a deployment that receives another one', async () => {
  const { page, close } = await openSignedIn('list')
  await pasteList(page, [`NHC;Haemoglobin;${REST}`, 'H1;11.5;yes;139;yes;yes;0;3'])
  await page.click('button:has-text("Score 1 row")')
  await page.waitForSelector('.grid')
  await page.selectOption('.deployment select', 'mmol')
  const sent = page.waitForRequest('**/mmol/risk/api/do/v0/explain')
  await page.click('button:has-text("Score it again with")')
  assert.match((await sent).postData() ?? '', /"haemoglobin":7\.1369/)
  await page.getByText('This list was scored with').waitFor({ state: 'detached' })
  // A model that needs other columns cannot score the list before they are matched.
  await page.selectOption('.deployment select', 'readmission')
  await page.click('button:has-text("Score it again with")')
  await page.getByText('The model needs values that no column gives: Age').waitFor()
  assert.equal(await page.locator('button:has-text("Score 1 row")').isDisabled(), true)
  await close()
})

test('a column named Hb (mmol/L) is haemoglobin in that unit, and its limits and the limits in a problem are too', async () => {
  const { page, close } = await open({ locale: 'es-ES' })
  await signIn(page, served.key)
  await goTo(page, 'list')
  await page.fill('#paste', `NHC;Hb (mmol/L);${REST}\nH1;7,4;sí;139;no;no;0;3\nH2;74;sí;139;no;no;0;3`)
  await page.click('.paste button, button:has-text("filas pegadas")')
  const row = page.locator('.match tbody tr', { hasText: 'Hb (mmol/L)' })
  assert.match((await row.locator('td').last().textContent()) ?? '', /^0,6206 a 18,62 mmol\/L$/)
  assert.equal(await row.locator('.reading select').last().inputValue(), 'mmol/L')
  await row.locator('.reading select').last().selectOption('g/dL')
  assert.match((await row.locator('td').last().textContent()) ?? '', /^1 a 30 g\/dL$/)
  await row.locator('.reading select').last().selectOption('mmol/L')
  await page.click('.matching button.primary')
  await page.getByRole('columnheader', { name: 'Hemoglobina (mmol/L)' }).waitFor()
  await page.locator('.problem-button').first().click()
  await page.locator('.row-detail .problem', { hasText: '0,6206 a 18,62' }).waitFor()
  await page.keyboard.press('Escape')
  await openFirst(page)
  // 11.924 would be ambiguous in a Spanish form.
  assert.equal(await page.inputValue('#field-haemoglobin'), '11,924')
  await page.waitForSelector('.risk-figure')
  await page.click('button:has-text("English")')
  await page.getByRole('heading', { name: 'One patient' }).waitFor()
  assert.equal(await page.inputValue('#field-haemoglobin'), '11.924')
  await close()
})

test('how an input counts is said in the unit of the model, with a word where the deployment receives another one', async () => {
  const { page, close } = await openSignedIn('model')
  const effect = page.locator('.effect', { hasText: 'Haemoglobin' })
  await effect.getByText('Value (g/dL)').waitFor()
  assert.equal(await effect.getByText('This deployment receives').count(), 0)
  await page.selectOption('.deployment select', 'mmol')
  await effect.getByText('In g/dL, the unit of the model. This deployment receives mmol/L.').waitFor()
  assert.match((await effect.textContent()) ?? '', /Value \(g\/dL\).*< 12/)
  await close()
})

async function openFirst(page: Page): Promise<void> {
  await page.locator('.risk-button').first().click()
  await page.locator('.row-detail .actions button').click()
  await page.waitForSelector('form.questions')
}
