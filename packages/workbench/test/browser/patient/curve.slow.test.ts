/** What if, as a curve: the risk over one value, by the service, with the value of now, the data of the model and the threshold. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axeFaults, fillHospital, fillPatient } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { served, open, openSignedIn } = await useWorkbench({
  deployments: [
    { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
    { name: 'flag', basePath: '/flag', model: 'readmission30', output: 'yes-no', threshold: 0.2 },
    { name: 'hospital', basePath: '/hospital', model: 'hospital', output: 'number' },
    { name: 'profund', basePath: '/profund', model: 'profund', output: 'number' },
  ],
})

const RECORD = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }

test('every point of the curve is an answer of the service, in one call', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  let calls = 0
  page.on('request', (request) => (calls += request.url().endsWith('/explain') ? 1 : 0))
  await page.click('.risk-curve > summary')
  await page.waitForSelector('.curve-body')
  assert.equal(calls, 1)
  await page.click('.curve-body summary')
  const rows = await page.locator('.curve-body tbody tr').allTextContents()
  assert.ok(rows.length >= 47, 'from 18 to 110')
  for (const age of [18, 84, 110]) {
    const [answer] = (await served.post([{ ...RECORD, age }])).json() as { risk: number }[]
    const percent = `${((answer?.risk ?? 0) * 100).toFixed(1)}%`
    const row = page.locator('.curve-body tbody tr', { has: page.locator(`th:text-is("${age}")`) })
    assert.equal(await row.locator('td').textContent(), percent, `age ${age}`)
  }
  assert.equal(await page.locator('.curve-body .mark.now').count(), 1)
  assert.equal(await page.locator('.curve-body .threshold text').textContent(), 'threshold 15.0%')
  assert.equal(await page.locator('.curve-body .band').count(), 2)
  await page
    .getByText("Shaded: the values in the model's data, 20 to 99. Darker: the middle 98%, 25 to 95.")
    .waitFor()
  assert.deepEqual(await axeFaults(page), [])
  await close()
})

test('the keyboard moves along the curve, and a value is tried as a what-if', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  await page.locator('h1').focus()
  await page.keyboard.press('w')
  await page.keyboard.press('Enter')
  await page.selectOption('.curve-input select', 'stayDays')
  const slider = page.getByLabel('Length of stay: move along the curve')
  await slider.focus()
  assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /^Length of stay 7 days: 22\.9%$/)
  await page.keyboard.press('ArrowRight')
  assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /^Length of stay 8 days: /)
  const said = await page.locator('.curve-said strong').textContent()
  await page.click('button:has-text("Try this value")')
  await page.locator('.whatif.on').waitFor()
  assert.equal(await page.inputValue('#field-stayDays'), '8')
  await page.locator('.curve-body:not(.stale)').waitFor()
  assert.equal(
    await page.locator('.curve-said strong').textContent(),
    said,
    'the curve said what the service answers',
  )
  assert.ok(said?.endsWith((await page.locator('.risk-figure').textContent()) ?? '-'))
  // Ten years are permitted, two weeks are in the data.
  const last = page.locator('.curve-body tbody tr th').last()
  assert.equal(await last.textContent(), '21')
  await page.getByLabel('Show all permitted values, to 3,650').check()
  await page.locator('.curve-body tbody tr th', { hasText: '3,650' }).waitFor({ state: 'attached' })
  await page.click('button:has-text("Back to the real values")')
  await page.locator('.risk-figure', { hasText: '22.9%' }).waitFor()
  await close()
})

test('a late curve of former values is dropped, and a failure is said', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  let isFirst = true
  await page.route('**/explain', async (route) => {
    const isCurve = (route.request().postData() ?? '').includes('"idx":2')
    if (isCurve && isFirst) {
      isFirst = false
      await new Promise((resolve) => setTimeout(resolve, 1_500))
    }
    // The page may have given it up by now.
    await route.continue().catch(() => undefined)
  })
  const asked = page.waitForRequest((request) => (request.postData() ?? '').includes('"idx":2'))
  await page.click('.risk-curve > summary')
  await asked
  await page.fill('#field-inpatientAdmissions', '0')
  await page.waitForSelector('.curve-body:not(.stale)')
  const early = await page.locator('.curve-said strong').textContent()
  await page.waitForTimeout(2_000)
  assert.equal(await page.locator('.curve-said strong').textContent(), early)
  assert.ok(early?.endsWith((await page.locator('.risk-figure').textContent()) ?? '-'))
  await page.unroute('**/explain')
  await page.route('**/explain', (route) =>
    (route.request().postData() ?? '').includes('"idx":2')
      ? route.fulfill({ status: 500, body: '' })
      : route.continue(),
  )
  await page.fill('#field-stayDays', '9')
  await page.locator('.risk-curve [role=alert]').waitFor()
  await page.unroute('**/explain')
  await page.fill('#field-stayDays', '8')
  await page.waitForSelector('.curve-body:not(.stale)')
  await close('requests')
})

test('a yes-no deployment has a curve with its own threshold, and another unit its own values', async () => {
  const { page, close } = await openSignedIn()
  await page.selectOption('.deployment select', 'flag')
  await fillPatient(page)
  await page.click('.risk-curve > summary')
  await page.locator('.curve-body .threshold', { hasText: 'threshold 20.0%' }).waitFor()
  await page.selectOption('.deployment select', 'hospital')
  await fillHospital(page)
  await page.click('.risk-curve > summary')
  await page.getByText('This model does not state the range of its data.').waitFor()
  await page.getByLabel('Unit of haemoglobin').selectOption('mmol/L')
  await page.fill('#field-haemoglobin', '7.1')
  await page.locator('.curve-said', { hasText: 'Haemoglobin 7.1 mmol/L' }).waitFor()
  await page.click('.curve-body summary')
  const ends = await page.locator('.curve-body tbody th').allTextContents()
  assert.deepEqual([ends[0], ends.at(-1)], ['0.6206', '18.62'])
  await close()
})

test('the total of a scale is varied without its items, in Spanish too', async () => {
  const { page, close } = await open({ locale: 'es-ES' })
  await page.fill('#key', served.key)
  await page.keyboard.press('Enter')
  await page.waitForSelector('nav')
  await page.selectOption('.deployment select', 'profund')
  await page.fill('#field-age', '84')
  await page.check('[data-field=caregiver] input[value=none]', { force: true })
  for (const field of ['activeNeoplasia', 'dementia', 'nyhaOrMrc3to4', 'deliriumLastAdmission'])
    await page.check(`[data-field=${field}] input[value=false]`, { force: true })
  await page.fill('#field-haemoglobin', '11,5')
  await page.fill('#field-inpatientAdmissions', '1')
  const items = page.locator('[data-scale=barthel] .field:has(fieldset)')
  for (let item = 0; item < (await items.count()); item++)
    await items.nth(item).locator('input').last().check({ force: true })
  await page.waitForSelector('.contributions')
  await page.click('.risk-curve > summary')
  await page.selectOption('.curve-input select', 'barthel_total')
  await page.locator('.curve-said', { hasText: /Barthel.* 100:/ }).waitFor()
  assert.equal(await page.locator('.curve-body tbody tr').count(), 21)
  await page.getByLabel(/recorrer la curva/).focus()
  await page.keyboard.press('Home')
  await page.click('button:has-text("Probar este valor")')
  await page.locator('.whatif.on').waitFor()
  await page.locator('.curve-said', { hasText: / 0:/ }).waitFor()
  assert.equal(await page.inputValue('#field-barthel_total'), '0')
  await page.locator('.risk-figure').waitFor()
  await close()
})
