/** One patient, from an empty form to a result; what if; copying and printing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillPatient } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { served, openSignedIn } = await useWorkbench({
  deployments: [
    { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
    { name: 'flag', basePath: '/flag', model: 'readmission30', output: 'yes-no', threshold: 0.15 },
    { name: 'profund', basePath: '/profund', model: 'profund', output: 'number' },
  ],
})

test('an empty form becomes a result, the same that the interface gives', async () => {
  const { page, close } = await openSignedIn()
  await page.getByText('The result appears here').waitFor()
  await page.locator('[data-scale=cfs] summary').getByText('1 item', { exact: true }).waitFor()
  await page.fill('#field-age', '84')
  await page.getByText('Still needed').waitFor()
  await fillPatient(page)
  const record = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
  const [answer] = (await served.post([record])).json() as { risk: number }[]
  await page.getByText(`${answer?.risk.toFixed(4) ?? ''}, rounded to four decimals`).waitFor()
  assert.equal(await page.locator('.contributions tbody tr').count(), 5)
  assert.match(
    (await page.locator('.gauge').getAttribute('aria-label')) ?? '',
    /At or above the threshold of 15.0%/,
  )

  await page.selectOption('.deployment select', 'flag')
  await page.locator('.risk-figure', { hasText: 'Yes' }).waitFor()
  await close()
})

test('totals are live, and a whole scale gives the total that the model needs', async () => {
  const { page, close } = await openSignedIn()
  await page.selectOption('.deployment select', 'profund')
  const card = page.locator('[data-scale=barthel]')
  await card.locator('.card-body').waitFor()
  const items = card.locator('.field:has(fieldset)')
  const count = await items.count()
  for (let item = 0; item < count; item++)
    await items.nth(item).locator('input').last().check({ force: true })
  await card.locator('.sum', { hasText: 'Total 100' }).waitFor()
  await card.getByText('independence', { exact: true }).waitFor()
  await page.locator('.jump', { hasText: 'Barthel' }).waitFor({ state: 'detached' })
  await close()
})

test('what if: a changed value is compared with the kept result, and taken back', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  const before = await page.locator('.risk-figure').textContent()
  await page.click('button:has-text("What if?")')
  await page.fill('#field-inpatientAdmissions', '0')
  await page
    .locator('.whatif', { hasText: /Real 22\.94%, what if [\d.]+%: −[\d.]+ percentage points/ })
    .waitFor()
  await page.waitForSelector('[data-field=inpatientAdmissions].changed')
  await page.click('button:has-text("Back to the real values")')
  await page.locator('.risk-figure', { hasText: before ?? '' }).waitFor()
  assert.equal(await page.inputValue('#field-inpatientAdmissions'), '2')
  await close()
})

test('a result is copied as text, and printed without buttons', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  // It is said for some seconds alone, so it is looked for from before the click.
  await Promise.all([page.getByText('Copied.').waitFor(), page.click('button:has-text("Copy as text")')])
  const text = String(await page.evaluate('navigator.clipboard.readText()'))
  assert.match(text, /Risk: 22\.9% \(0\.2294\)/)
  assert.match(text, /readmission30@1\.0\.4, sha-256=/)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor')
  assert.equal(ground, 'rgb(255, 255, 255)', 'paper is white, whatever the screen was')
  await page
    .locator('.result', { hasText: /Model: readmission30@1\.0\.4, sha-256=.*Worked out: /s })
    .waitFor()
  assert.equal(await page.locator('nav').isVisible(), false)
  assert.equal(await page.locator('.scale-search').isVisible(), false)
  assert.equal(await page.locator('button:has-text("Copy as text")').isVisible(), false)
  assert.equal(await page.locator('.risk-figure').isVisible(), true)
  await close()
})

test('a value beyond the data of the model is named as such, on the screen and in copied text', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  assert.equal(await page.locator('.notices').count(), 0)
  await page.fill('#field-age', '105')
  await page.fill('#field-stayDays', '60')
  const notes = [
    "Age: above 99, the highest value in the model's data.",
    "Length of stay: above 14, the highest value in the model's data.",
  ]
  for (const note of notes) await page.locator('.notices', { hasText: note }).waitFor()
  await Promise.all([page.getByText('Copied.').waitFor(), page.click('button:has-text("Copy as text")')])
  const text = String(await page.evaluate('navigator.clipboard.readText()'))
  for (const note of notes) assert.ok(text.includes(note))
  await close()
})

test('haemoglobin typed in mmol/L is converted, and the converted value is shown and sent', async () => {
  const { page, close } = await openSignedIn()
  await page.selectOption('.deployment select', 'profund')
  await page.getByLabel('Unit of haemoglobin').selectOption('mmol/L')
  const sent = page.waitForRequest(
    (request) => request.url().endsWith('/explain') && (request.postData() ?? '').includes('haemoglobin'),
  )
  await page.fill('#field-haemoglobin', '7.4')
  await page.getByText('= 11.924 g/dL').waitFor()
  const asked = page.locator('[data-field=haemoglobin]')
  assert.equal(await asked.locator('label .unit').textContent(), 'mmol/L')
  assert.match(
    (await page.getAttribute('#field-haemoglobin', 'placeholder')) ?? '',
    /^[\d.]+ to [\d.]+ mmol\/L$/,
  )
  assert.match((await sent).postData() ?? '', /"haemoglobin":11\.924/)
  await page.fill('#field-haemoglobin', '99')
  await page.locator('#field-haemoglobin').blur()
  await asked.getByText(/Allowed: [\d.]+ to [\d.]+ mmol\/L/).waitFor()
  await close()
})
