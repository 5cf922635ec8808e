/** Paper: one patient on one sheet, and a list whose every page has the names of the columns, the model and its number. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { fillPatient, pasteList } from '../../../../../test/support/browser/open-page.ts'
import { pdfPages } from './pdf-text.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { openSignedIn } = await useWorkbench({
  deployments: [
    { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
    { name: 'profund', basePath: '/profund', model: 'profund', output: 'number' },
  ],
})

const printed = async (page: Page, isLandscape = false): Promise<readonly string[]> =>
  pdfPages(await page.pdf({ format: 'A4', landscape: isLandscape }))

test('one patient is one sheet: risk, notices, reasons, values, model, version and time', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  await page.fill('#field-age', '105')
  await page.click('[data-scale=barthel] summary')
  await page.fill('#field-barthel_total', '85')
  await page.locator('.scales-said', { hasText: '85' }).waitFor()
  await page.click('.risk-curve > summary')
  await page.waitForSelector('.curve-body')
  const [sheet = '', ...others] = await printed(page)
  assert.deepEqual(others, [])
  for (const part of [
    (await page.locator('.risk-figure').textContent()) ?? '-',
    'Age:above99,thehighestvalue',
    '95%samplinginterval',
    'BarthelIndex85moderatedependence',
    'Whatcontributedhowmuch',
    'Madefor:',
    'Model:readmission30@1.0.4,sha-256',
    'Deployment:readmission,sha-256',
    'Workedout:',
    '1/1',
  ])
    assert.ok(sheet.includes(part), `${part} in ${sheet}`)
  assert.doesNotMatch(sheet, /Riskoveronevalue|Copy|Keyboard/i)
  await close()
})

test('while a value is missing, the sheet has the range', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  await page.fill('#field-stayDays', '')
  await page.waitForSelector('.range-note')
  const [sheet = '', ...others] = await printed(page)
  assert.deepEqual(others, [])
  assert.match(sheet, /Between[\d.]+%and[\d.]+%/)
  await close()
})

test('a model of nine inputs with a what-if, a whole scale and four totals is still one sheet', async () => {
  const { page, close } = await openSignedIn()
  await page.click('button:has-text("Español")')
  await page.selectOption('.deployment select', 'profund')
  await page.fill('#field-haemoglobin', '7,5')
  await page.fill('#field-age', '119')
  await page.check('[data-field=caregiver] input[value=none]', { force: true })
  for (const field of ['activeNeoplasia', 'dementia', 'nyhaOrMrc3to4', 'deliriumLastAdmission'])
    await page.check(`[data-field=${field}] input[value=true]`, { force: true })
  await page.fill('#field-inpatientAdmissions', '9')
  const items = page.locator('[data-scale=barthel] .field:has(fieldset)')
  for (let item = 0; item < (await items.count()); item++)
    await items.nth(item).locator('input').first().check({ force: true })
  for (const scale of ['braden', 'moca', 'tinetti', 'norton']) {
    await page.click(`[data-scale=${scale}] summary`)
    await page.fill(`#field-${scale}_total`, '6')
  }
  await page.locator('.scales-said dl > div').nth(4).waitFor()
  await page.click('.whatif button')
  await page.fill('#field-inpatientAdmissions', '0')
  await page.fill('#field-age', '70')
  await page.locator('.whatif li').nth(1).waitFor()
  await page.waitForSelector('.result:not(.outdated) .contributions')
  const [sheet = '', ...others] = await printed(page)
  assert.deepEqual(others, [])
  assert.match(sheet, /nosonlosvaloresdelpaciente.*Edad:119→70.*Modelo:profund@1\.0\.2.*Calculado:/)
  await close()
})

test('the focus leaves no ring on paper', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  await page.locator('[data-field=sex] input[value=F]').focus()
  await page.keyboard.press('ArrowRight')
  await page.emulateMedia({ media: 'print' })
  const rings = await page.evaluate(
    `[...document.querySelectorAll('*')].filter((each) => getComputedStyle(each).outlineStyle !== 'none').length`,
  )
  assert.equal(rings, 0)
  await close()
})

test('400 rows take at most 8 pages, each with the columns, the model and its number', async () => {
  const { page, close } = await openSignedIn('list')
  const rows = Array.from({ length: 400 }, (_each, index) => {
    const age = index % 37 === 0 ? '' : String(20 + (index % 80))
    return `P${10_000 + index},${age},${index % 2 === 0 ? 'M' : 'F'},${index % 7},${index % 5},${1 + (index % 14)}`
  })
  // A row with a cell too many is one wide cell.
  await pasteList(page, [
    'id,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays',
    ...rows.slice(0, 399),
    `${rows[399] ?? ''},1`,
  ])
  await page.click('button.primary:has-text("Score")')
  await page.waitForSelector('.grid')
  await page.locator('[data-cell]').first().focus()
  const pages = await printed(page)
  assert.ok(pages.length <= 8, `${pages.length} pages`)
  pages.forEach((text, index) => {
    assert.ok(text.includes(`${index + 1}/${pages.length}`), `number of page ${index + 1}`)
    assert.match(text, /Readmissionwithin30days·readmission301\.0\.4·\d/, `model on page ${index + 1}`)
    for (const column of ['id', 'Risk', 'Reasons', 'Age', 'Sex', 'Lengthofstay'])
      assert.ok(text.includes(column), `${column} on page ${index + 1}`)
  })
  const all = pages.join('')
  for (const row of rows) assert.ok(all.includes(row.split(',')[0] ?? '-'), row)
  // Every page of a wide sheet has them too.
  const wide = await printed(page, true)
  for (const text of wide) assert.match(text, /readmission301\.0\.4.*idRisk/)
  await close()
})
