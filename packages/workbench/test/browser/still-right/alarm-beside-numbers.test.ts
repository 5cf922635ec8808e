/** An open alarm beside every number of the page: one patient, copied, a list, also one scored before it opened, and its downloads. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  axeFaults,
  download,
  fillPatient,
  goTo,
  pasteList,
  signIn,
} from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'
import { WATCHED, setAlarm } from '../../../../../test/support/watched-deployment.ts'

const { served, open } = await useWorkbench({ deployments: [WATCHED] })
const NOTE = 'Calibration alarm of January 2026.'
const CELL = /Calibration alarm of 2026-01: the outcomes here do not fit these risks/

async function copied(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Copy as text' }).click()
  return String(await page.evaluate('navigator.clipboard.readText()'))
}

const downloaded = async (page: Page): Promise<string> => (await download(page, 'All')).text

test('a patient and a list that were scored before the alarm opened show it, and so do copies and files', async () => {
  const { page, close } = await open()
  await signIn(page, served.key)
  await fillPatient(page)
  assert.equal(await page.getByText(NOTE).count(), 0)
  assert.doesNotMatch(await copied(page), /Calibration alarm/)
  await goTo(page, 'list')
  await page.fill(
    '#paste',
    'id,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays\nH1,84,F,2,1,7\nH2,,F,2,1,7',
  )
  await pasteList(page, [
    'id,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays',
    'H1,84,F,2,1,7',
    'H2,,F,2,1,7',
  ])
  await page.getByRole('button', { name: /^Score/ }).click()
  await page.locator('.results-head').waitFor()
  assert.doesNotMatch(await downloaded(page), CELL)
  // The alarm opens; nothing is scored again.
  await setAlarm(served, 'raised')
  const [, scored = '', refused = ''] = (await downloaded(page)).split('\r\n')
  assert.match(scored, CELL)
  assert.doesNotMatch(refused, CELL, 'a row without a risk has no doubt about it')
  await page.getByText(NOTE).waitFor()
  assert.deepEqual(await axeFaults(page), [])
  await goTo(page, 'patient')
  await page.locator('.result').getByText(NOTE).waitFor()
  assert.match(await copied(page), /Calibration alarm of January 2026\./)
  await page.emulateMedia({ media: 'print' })
  assert.equal(await page.locator('.result .alarm-note').isVisible(), true)
  await close()
})

test('a result that came while the alarm was open shows it at once; what-if and curve are no effects of a treatment', async () => {
  await setAlarm(served, 'raised')
  const { page, close } = await open()
  await signIn(page, served.key)
  await fillPatient(page)
  await page.locator('.result').getByText(NOTE).waitFor()
  await page.getByRole('button', { name: /^What if/ }).click()
  await page.getByText('A changed value does not show what a treatment would do').waitFor()
  await page.fill('#field-age', '60')
  await page.locator('.risk-curve summary').first().click()
  await page.getByText('It does not show what a treatment that changes the value would do.').waitFor()
  // Two marks: the patient's own value, and the one that is tried.
  await page.locator('.curve-body:not(.stale) .mark.tried').waitFor()
  const at = (mark: string): Promise<number> =>
    page.locator(`.mark.${mark} circle`).getAttribute('cx').then(Number)
  assert.ok((await at('now')) > (await at('tried')), 'now is 84, not the 60 of the what-if')
  await close()
})

test('what a risk meant here stands beside it, for the band that holds it', async () => {
  const { page, close } = await open()
  await page.route('**/v0/local-evidence', async (route) => {
    const answer = (await (await route.fetch()).json()) as object
    const bands = [
      { from: 0, to: 0.2, scored: 300, least: 30, most: 33 },
      { from: 0.2, to: 0.25, scored: 412, least: 128, most: 128 },
      { from: 0.25, to: 1, scored: 90, least: 40, most: 40 },
    ]
    await route.fulfill({ json: { ...answer, bands } })
  })
  await signIn(page, served.key)
  await fillPatient(page)
  const text = 'Here, 31 of 100 such patients had the event (of 412 with a risk between 20.0% and 25.0%).'
  await page.getByText(text).waitFor()
  assert.ok((await copied(page)).includes(text))
  await close()
})
