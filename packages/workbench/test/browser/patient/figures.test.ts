/** Figures, days and faults that hold: digits that keep a comparison true, the day of the service, faults of what is typed now. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Explained } from '../../../src/shapes/answers.ts'
import { fillPatient, goTo, pasteList, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { served, open, openSignedIn } = await useWorkbench({
  deployments: [
    { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
    { name: 'hospital', basePath: '/hospital', model: 'hospital', output: 'number' },
  ],
})

test('a risk just below the threshold reads below it, for one patient and in a list', async () => {
  const { page, close } = await openSignedIn()
  await answerWith(page, () => 0.1496)
  await fillPatient(page)
  await page.locator('.risk-figure', { hasText: '14.96%' }).waitFor()
  const label = (await page.locator('.gauge').getAttribute('aria-label')) ?? ''
  assert.equal(label, 'Risk 14.96%. Below the threshold of 15.0%.')
  await page.getByText('0.1496, rounded to four decimals').waitFor()
  assert.equal(await page.getByText('exactly').count(), 0)
  await page.click('button:has-text("Copy as text")')
  await page.getByText('Copied.').waitFor()
  assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /Risk: 14\.96% \(0\.1496\)/)
  await goTo(page, 'list')
  await pasteList(page, ['age,sex,inpatientAdmissions,emergencyAdmissions,stayDays', '84,F,2,1,7'])
  await page.click('button:has-text("Score 1 row")')
  await page.locator('.risk-button', { hasText: '14.96%' }).waitFor()
  await close()
})

test('the difference of a what-if is that of the two figures beside it', async () => {
  const { page, close } = await openSignedIn()
  // With one decimal: 22.9 and 18.2, and a difference of 4.8.
  await answerWith(page, ({ inpatientAdmissions }) => (inpatientAdmissions === 2 ? 0.2294 : 0.1815))
  await fillPatient(page)
  await page.click('button:has-text("What if?")')
  await page.fill('#field-inpatientAdmissions', '0')
  await page.locator('.whatif', { hasText: 'Real 22.94%, what if 18.15%: −4.79 percentage points' }).waitFor()
  await close()
})

test('today is the day of the service, and the page says whose day it is', async () => {
  const now = '2026-03-15T23:30:00Z'
  served.clock.set(now)
  // It is the 16th where the browser is.
  const { page, close } = await open({ timezoneId: 'Pacific/Kiritimati' })
  await page.route('**/risk/api/**', async (route) => {
    const response = await route.fetch()
    const headers = { ...response.headers(), date: new Date(now).toUTCString() }
    await route.fulfill({ response, headers })
  })
  await signIn(page, served.key)
  await page.fill('.scale-search input', 'Barthel')
  await page.locator('[data-scale=barthel] summary').first().click()
  const field = page.locator('[data-field=barthel_date]')
  await field.getByRole('button', { name: 'Today' }).click()
  assert.equal(await field.locator('input').inputValue(), '15-03-2026')
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  await field.getByText(`For the service it is 15 March 2026 (${timeZone}).`).waitFor()
  await field.locator('input').fill('16-03-2026')
  await field.locator('input').blur()
  await field.locator('.problem', { hasText: 'the service it is 15 March 2026' }).waitFor()
  await close()
})

test('a change of language drops a fault that no longer holds', async () => {
  const { page, close } = await openSignedIn()
  await page.selectOption('.deployment select', 'hospital')
  await page.fill('#field-haemoglobin', '11,5')
  await page.locator('#field-haemoglobin').blur()
  await page.locator('[data-field=haemoglobin] .problem').waitFor()
  await page.click('button:has-text("Español")')
  await page.locator('[data-field=haemoglobin] .problem').waitFor({ state: 'detached' })
  await page.click('button:has-text("English")')
  assert.equal(await page.inputValue('#field-haemoglobin'), '11.5')
  assert.equal(await page.locator('[data-field=haemoglobin] .problem').count(), 0)
  await close()
})

/** Lets the service answer, and puts another risk into the answer. */
async function answerWith(
  page: Page,
  riskOf: (record: Readonly<Record<string, unknown>>) => number,
): Promise<void> {
  await page.route('**/explain', async (route) => {
    const response = await route.fetch()
    const [record = {}] = route.request().postDataJSON() as Readonly<Record<string, unknown>>[]
    const answers = (await response.json()) as Explained[]
    const risk = riskOf(record)
    const json = answers.map((answer) =>
      answer.explanation === null
        ? answer
        : { ...answer, risk, explanation: { ...answer.explanation, probability: risk } },
    )
    await route.fulfill({ response, json })
  })
}
