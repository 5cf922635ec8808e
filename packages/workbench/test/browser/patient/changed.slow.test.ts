/** The deployment changes while the page is open: nothing is answered under other terms, and what was typed is kept. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { type Served, serve } from '../../../../../test/support/serve.ts'
import { download, fillHospital, pasteList } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const HOSPITAL: DeploymentSettings = { name: 'hospital', basePath: '/', model: 'hospital', output: 'number' }
const FLAG = {
  name: 'flag',
  basePath: '/flag',
  model: 'readmission30',
  output: 'yes-no',
  threshold: 0.15,
} as const satisfies DeploymentSettings

const { openSignedIn } = await useWorkbench({ deployments: [HOSPITAL, FLAG] })
/** The same deployments after a restart: haemoglobin in another unit, another threshold. */
const changed = await serve({
  deployments: [
    { ...HOSPITAL, units: { haemoglobin: 'mmol/L' } },
    { ...FLAG, threshold: 0.25 },
  ],
})
/** A change that leaves the answers of this model comparable. */
const otherUnits = await serve({ deployments: [HOSPITAL, { ...FLAG, units: { haemoglobin: 'mmol/L' } }] })
const asNumbers = await serve({
  deployments: [HOSPITAL, { name: 'flag', basePath: '/flag', model: 'readmission30', output: 'number' }],
})
after(() => Promise.all([changed, otherUnits, asNumbers].map((each) => each.close())))

const CHANGED = 'This deployment has changed since the page loaded it.'

test('haemoglobin is received in another unit: the page says so, keeps the value in its unit, and scores on request', async () => {
  const { page, close } = await openSignedIn()
  await fillHospital(page)
  await restartAs(page, changed)
  await page.fill('#field-stayDays', '4')
  await page.getByText(CHANGED).waitFor()
  assert.equal(await page.locator('.risk-figure').count(), 0)
  assert.equal(await page.inputValue('#field-haemoglobin'), '11.5')
  await page.click('button:has-text("Load the new terms and score again")')
  await page.locator('.score', { hasText: '5 points' }).waitFor()
  await page.locator('.converted', { hasText: '= 7.1369 mmol/L' }).waitFor()
  assert.equal(await page.inputValue('#field-haemoglobin'), '11.5')
  assert.equal(await page.inputValue('#field-stayDays'), '4')
  await close('requests')
})

test('another threshold: the answer comes with the new one, never with the old', async () => {
  const { page, close } = await openSignedIn()
  await page.selectOption('.deployment select', 'flag')
  await page.fill('#field-age', '84')
  await page.check('[data-field=sex] input[value=F]')
  await page.fill('#field-inpatientAdmissions', '2')
  await page.fill('#field-emergencyAdmissions', '1')
  await page.fill('#field-stayDays', '7')
  await page.locator('.risk-figure', { hasText: 'Yes' }).waitFor()
  await page.locator('.gauge text', { hasText: 'threshold 15.0%' }).waitFor()
  await restartAs(page, changed)
  await page.fill('#field-age', '83')
  await page.getByText(CHANGED).waitFor()
  await page.getByRole('button', { name: 'Español' }).click()
  await page.getByText('Este despliegue ha cambiado desde que la página lo cargó.').waitFor()
  await page.click('button:has-text("Cargar las nuevas condiciones y calcular de nuevo")')
  await page.locator('.risk-figure', { hasText: 'No' }).waitFor()
  await page.locator('.gauge text', { hasText: 'umbral 25,0' }).waitFor()
  await close('requests')
})

const HEAD = 'NHC,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'
const ROWS = Array.from(
  { length: 1_200 },
  (_row, index) => `H${index},${60 + (index % 30)},F,2,1,${index % 9}`,
)

test('a list of two states says so, and its download names the state of each row', async () => {
  const { page, close } = await openSignedIn('list')
  await page.selectOption('.deployment select', 'flag')
  // The second chunk meets the changed deployment.
  let calls = 0
  await restartAs(page, otherUnits, (path) => (path.endsWith('/explain') ? ++calls : calls) >= 2)
  await pasteList(page, [HEAD, ...ROWS])
  await page.click('button:has-text("Score 1,200 rows")')
  await page.getByText(CHANGED).waitFor()
  await page.getByText('1,000 of 1,200 rows').first().waitFor()
  await page.click('button:has-text("Load the new terms and score the remaining rows")')
  await page.getByText('answered under 2 states of the deployment').waitFor()
  assert.deepEqual(await rowsByDigest(page), [1_000, 200])
  // A row of the former state has no explanation under the present terms.
  await page.fill('.filters input[type=search]', 'H7')
  await page.locator('.risk-button').first().click()
  await page.locator('.row-detail', { hasText: CHANGED }).waitFor()
  await page.click('.row-detail button:has-text("score the whole list again")')
  await page.getByText('answered under 2 states of the deployment').waitFor({ state: 'detached' })
  assert.deepEqual(await rowsByDigest(page), [1_200])
  await close('requests')
})

test('the whole list is scored again by its own deployment, whichever is chosen', async () => {
  const { page, close } = await openSignedIn('list')
  await page.selectOption('.deployment select', 'flag')
  await pasteList(page, [HEAD, 'H1,84,F,2,1,7', 'H2,71,M,0,0,'])
  await page.click('button:has-text("Score 2 rows")')
  await page.locator('.risk-button', { hasText: 'Yes' }).waitFor()
  await restartAs(page, otherUnits)
  await page.locator('.grid-row', { hasText: 'H2' }).locator('.cell.value').last().dblclick()
  await page.fill('.cell-editor', '3')
  await page.keyboard.press('Enter')
  await page.click('button:has-text("Load the new terms and score the remaining rows")')
  await page.getByText('answered under 2 states of the deployment').waitFor()
  await page.selectOption('.deployment select', 'hospital')
  await page.getByText('answered under 2 states of the deployment').waitFor()
  await page.getByRole('button', { name: 'Score the whole list again', exact: true }).click()
  await page.getByText('answered under 2 states of the deployment').waitFor({ state: 'detached' })
  await page.locator('.risk-button', { hasText: 'Yes' }).waitFor()
  assert.equal(await page.locator('.deployment select').inputValue(), 'flag')
  assert.deepEqual(await rowsByDigest(page), [2])
  await close('requests')
})

test('a list is scored again as a whole when the threshold is another', async () => {
  const { page, close } = await openSignedIn('list')
  await page.selectOption('.deployment select', 'flag')
  await pasteList(page, [HEAD, 'H1,84,F,2,1,7', 'H2,71,M,0,0,'])
  await page.click('button:has-text("Score 2 rows")')
  await page.locator('.risk-button', { hasText: 'Yes' }).waitFor()
  await restartAs(page, changed)
  await page.locator('.grid-row', { hasText: 'H2' }).locator('.cell.value').last().dblclick()
  await page.fill('.cell-editor', '3')
  await page.keyboard.press('Enter')
  await page.click('button:has-text("Load the new terms and score the remaining rows")')
  await page.locator('.origin', { hasText: 'threshold 25.0%' }).waitFor()
  // 22.9%: above the former threshold, below this one.
  await page.locator('.grid-row', { hasText: 'H1' }).locator('.risk-button', { hasText: 'No' }).waitFor()
  assert.deepEqual(await rowsByDigest(page), [2])
  await close('requests')
})

test('a list of Yes and No is scored again as a whole when the deployment answers numbers', async () => {
  const { page, close } = await openSignedIn('list')
  await page.selectOption('.deployment select', 'flag')
  await pasteList(page, [HEAD, 'H1,84,F,2,1,7', 'H2,71,M,0,0,'])
  await page.click('button:has-text("Score 2 rows")')
  await page.locator('.risk-button', { hasText: 'Yes' }).waitFor()
  await restartAs(page, asNumbers)
  await page.locator('.grid-row', { hasText: 'H2' }).locator('.cell.value').last().dblclick()
  await page.fill('.cell-editor', '3')
  await page.keyboard.press('Enter')
  await page.click('button:has-text("Load the new terms and score the remaining rows")')
  await page.locator('.risk-button', { hasText: '22.9%' }).waitFor()
  await page.locator('.risk-button', { hasText: '8.3%' }).waitFor()
  assert.deepEqual(await rowsByDigest(page), [2])
  await close('requests')
})

/** Another service answers at the same address, as after a restart: from now on, or once `isBack` says so. */
async function restartAs(
  page: Page,
  next: Served,
  isBack: (path: string) => boolean = () => true,
): Promise<void> {
  await page.route(/\/(deployments|risk\/api\/.*)$/, async (route) => {
    const { pathname } = new URL(route.request().url())
    if (!isBack(pathname)) return route.fallback()
    const headers = { ...route.request().headers(), authorization: `Bearer ${next.key}` }
    await route.continue({ url: `${next.origin}${pathname}`, headers })
  })
}

/** How many rows of the download each state has answered. */
async function rowsByDigest(page: Page): Promise<readonly number[]> {
  const { text } = await download(page, 'All, ')
  const digests = [...text.matchAll(/,flag,(sha-256=:[^,]+:),/g)].map(([, digest = '']) => digest)
  return [...Map.groupBy(digests, (digest) => digest).values()].map((rows) => rows.length)
}
