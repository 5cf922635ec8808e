/** The page never shows, prints, copies or exports something false about a patient. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  download,
  fillPatient,
  goTo,
  openOverview,
  pasteList,
  signIn,
} from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const HEAD = 'NHC,note,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'

const { served, open, openSignedIn } = await useWorkbench({
  deployments: [
    { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
    { name: 'flag', basePath: '/flag', model: 'readmission30', output: 'yes-no', threshold: 0.15 },
    { name: 'mortality', basePath: '/mortality', model: 'charlson10y', output: 'number' },
  ],
})

test('a list belongs to the deployment that scored it, whichever is chosen later', async () => {
  const { page, close } = await openSignedIn('list')
  await scoreRows(page, [HEAD, 'H1,,84,F,2,1,7', 'H2,,71,M,0,0,3'])
  const asNumbers = await listedRisks(page)
  assert.deepEqual(asNumbers, ['22.9%', '8.3%'])
  const downloaded = await download(page, 'All, ')
  for (const other of ['flag', 'mortality']) {
    await page.selectOption('.deployment select', other)
    await page.getByText('This list was scored with “readmission”').waitFor()
    assert.deepEqual(await listedRisks(page), asNumbers, other)
    assert.match(
      (await page.locator('.origin').textContent()) ?? '',
      /Readmission within 30 days · readmission30 1/,
    )
    assert.equal((await page.locator('.bin.high').count()) > 0, true)
    assert.equal((await download(page, 'All, ')).text, downloaded.text, other)
    await page.locator('.risk-button').first().click()
    await page.locator('.row-detail .risk-figure', { hasText: '22.9%' }).waitFor()
    await page.keyboard.press('Escape')
  }
  await page.selectOption('.deployment select', 'flag')
  await page.click('button:has-text("Score it again with")')
  await page.locator('.risk-button', { hasText: 'Yes' }).waitFor()
  assert.deepEqual(await listedRisks(page), ['Yes', 'No'])
  await page.selectOption('.deployment select', 'readmission')
  await page.getByText('This list was scored with “flag”').waitFor()
  assert.deepEqual(await listedRisks(page), ['Yes', 'No'])
  await close()
})

test('an answer of another state of the deployment than the one on the screen is refused, and nothing is mixed', async () => {
  const { page, close } = await openSignedIn('list')
  await page.route('**/risk/api/do/v0/explain', async (route) => {
    const response = await route.fetch()
    await route.fulfill({
      response,
      headers: { ...response.headers(), 'risk-deployment-digest': 'sha-256=:another:' },
    })
  })
  await pasteList(page, [HEAD, 'H1,,84,F,2,1,7'])
  await page.click('button:has-text("Score 1 row")')
  await page.getByText('This deployment has changed since the page loaded it').waitFor()
  assert.equal(await page.locator('.risk-button').count(), 0)
  await close()
})

test('a row with more or fewer cells than the header is not scored, and is listed with its line and a reason', async () => {
  const { page, close } = await openSignedIn('list')
  await scoreRows(page, [HEAD, 'H1,well, thanks,84,F,2,1,7', 'H2,,71,M,0,0,3', 'H3,71,M,0,0,3'], 1)
  assert.equal(await page.locator('.risk-button').count(), 1)
  const rejected = page.locator('.grid-row.rejected')
  assert.match((await rejected.nth(0).textContent()) ?? '', /^Line 2Not scored: 8 cells, the header has 7/)
  assert.match((await rejected.nth(1).textContent()) ?? '', /^Line 4Not scored: 6 cells, the header has 7/)
  await openOverview(page)
  await page.locator('.quality button', { hasText: 'more cells than the header' }).waitFor()
  const { text } = await download(page, 'All, ')
  assert.match(text, /line 2 has 8 cells and the header has 7/)
  // A cell too many cannot shift the first column; with one too few it may be another one's.
  const lines = text.split('\r\n').slice(1, 4)
  assert.deepEqual(
    lines.map((line) => line.split(',').slice(0, 3).join()),
    ['H1,,', 'H2,,71', ',,'],
  )
  assert.match(
    lines[2] ?? '',
    /line 4 has 6 cells.*,readmission,,,,open,$/,
    'no time for what was not scored',
  )
  await page.fill('.filters input[type=search]', 'H1')
  await page.getByText('1 of 3 rows').waitFor()
  assert.doesNotMatch(text, /thanks/, 'no shifted cell leaves the page')
  await close()
})

test('M in a Spanish column of sexes may be mujer: the list waits until the reader says what it means', async () => {
  const { page, close } = await openSignedIn('list')
  for (const [other, name] of [
    ['M', 'Sexo'],
    ['Varón', 'gender'],
    ['H', 'Sexo'],
  ] as const) {
    await pasteList(page, [HEAD.replace('sex', name), 'H1,,84,M,2,1,7', `H2,,71,${other},0,0,3`])
    await page.getByText('M stands for male in this service').waitFor()
    assert.equal(await page.getByLabel(`Meaning of the value M in ${name}`).inputValue(), '')
    await page.getByText(`Say what the value “M” means in the column “${name}”`).waitFor()
    assert.equal(await page.locator('button:has-text("Score 2 rows")').isDisabled(), true)
    if (other !== 'H') await page.click('button:has-text("Another list")')
  }
  await page.getByLabel('Meaning of the value M in Sexo').selectOption('F')
  await page.getByLabel('Meaning of the value H in Sexo').selectOption('M')
  const sent = page.waitForRequest('**/risk/api/do/v0/explain')
  await page.click('button:has-text("Score 2 rows")')
  assert.match((await sent).postData() ?? '', /"idx":1,"age":84,"sex":"F".*"idx":2,"age":71,"sex":"M"/)
  await page.waitForSelector('.grid')
  // The cells stay those of the file, but below "Sex" a plain M would be taken for male.
  await page.locator('.cell.value', { hasText: 'M → F' }).waitFor()
  await page.locator('.cell.value', { hasText: 'H → M' }).waitFor()
  await close()
})

test('an unclosed quote is an error with its line', async () => {
  const { page, close } = await openSignedIn('list')
  await pasteList(page, [HEAD, 'H1,,84,F,2,1,7', 'H2,"open,71,M,0,0,3'])
  await page.getByText('A quotation mark is never closed. See line 3.').waitFor()
  await close()
})

test('a number that can be read in two ways is a problem until the reader says what it means', async () => {
  const { page, close } = await openSignedIn('list')
  const rows = [HEAD.replaceAll(',', ';'), 'H1;;84;F;2;1;1.000', 'H2;;71;M;0;0;3']
  await scoreRows(page, rows)
  assert.equal(await page.locator('.risk-button').count(), 1)
  await openOverview(page)
  await page.locator('.quality button', { hasText: 'can be read in two ways' }).waitFor()
  assert.match(
    (await download(page, 'All, ')).text,
    /ValueError for value StayDays in NHC H1 \(can be read in two ways\)/,
  )
  await page.click('button:has-text("Match columns again")')
  await page.selectOption('select[aria-label="Decimal sign of stayDays"]', 'comma')
  await page.click('button:has-text("Score 2 rows")')
  await openOverview(page)
  await page.getByText('No problem was found in any row.').waitFor()
  const record = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 1000 }
  const [answer] = (await served.post([record])).json() as { risk: number }[]
  const { text } = await download(page, 'All, ')
  assert.match(text, new RegExp(`H1;;84;F;2;1;1\\.000;${String(answer?.risk).replace('.', ',')};`))
  await close()
})

for (const way of ['the button', 'a refused key', 'the idle lock'] as const) {
  test(`${way} and another key clear the patient and the list from the page`, async () => {
    const key = await served.makeKey({ expiresAt: served.clock.now() + 3_600_000 })
    const { page, close } = await open()
    await page.clock.install()
    await signIn(page, key)
    await goTo(page, 'list')
    await scoreRows(page, [HEAD, 'Smith-7,,84,F,2,1,7'], 1, page)
    await goTo(page, 'patient')
    await fillPatient(page)
    if (way === 'the button') await page.click('button:has-text("Sign out")')
    if (way === 'the idle lock') await page.clock.fastForward('15:01')
    if (way === 'a refused key') {
      served.clock.advance(7_200_000)
      await page.fill('#field-age', '85')
    }
    await page.waitForSelector('#key')
    assert.doesNotMatch(await page.content(), /Smith-7/)
    await signIn(page, await served.makeKey({ name: 'someone else' }))
    await page.waitForSelector('form.questions')
    assert.equal(await page.inputValue('#field-age'), '')
    assert.equal(await page.locator('.risk-figure').count(), 0)
    await goTo(page, 'list')
    await page.waitForSelector('.drop')
    assert.doesNotMatch(await page.content(), /Smith-7/)
    await close('requests')
  })
}

test('reloading and signing out warn before corrections are lost', async () => {
  const { page, close } = await openSignedIn('list')
  await scoreRows(page, [HEAD, 'H1,,840,F,2,1,7', 'H2,,71,M,0,0,3'])
  await page.locator('.cell.wrong').click()
  await page.fill('.cell-editor', '84')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.grid-row.edited .risk-button')
  const asked = page.waitForEvent('dialog')
  await page.evaluate('setTimeout(() => location.reload())')
  const dialog = await asked
  assert.equal(dialog.type(), 'beforeunload')
  await dialog.dismiss()
  await page.click('button:has-text("Sign out")')
  await page.getByRole('dialog', { name: 'Work on this list would be lost' }).waitFor()
  await page.keyboard.press('Escape')
  const { text } = await download(page, 'All, ')
  assert.match(text, /age \(was 840\)/)
  const [corrected = '', other = ''] = [...text.matchAll(/,readmission,[^,]*,([^,]+Z),/g)].map(
    (each) => each[1],
  )
  assert.ok(corrected > other, 'a corrected row has a time of its own')
  assert.match((await page.locator('.origin').textContent()) ?? '', /corrected rows scored/)
  await page.click('button:has-text("Sign out")')
  await page.waitForSelector('#key')
  await close()
})

test('a what-if says so in copied text and on paper, with the real result beside it', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  await page.click('button:has-text("What if?")')
  await page.fill('#field-inpatientAdmissions', '0')
  await page.locator('.whatif', { hasText: /Real 22\.94?%, what if/ }).waitFor()
  const copied = await copy(page)
  assert.match(
    copied,
    /WHAT IF: these are not the patient's values\.\nA changed value does not show what a treatment would do[^\n]*\nReal result: 22\.9% .*\nWhat-if result: 1\d\.\d%/,
  )
  assert.match(copied, /Inpatient admissions: 2 → 0/)
  await page.emulateMedia({ media: 'print' })
  assert.equal(await page.getByText("WHAT IF: these are not the patient's values.").isVisible(), true)
  assert.equal(await page.getByText(/Real 22\.94?%/).isVisible(), true)
  await page.emulateMedia({ media: 'screen' })
  // Another deployment must not take the tried values for the patient's own.
  await page.selectOption('.deployment select', 'flag')
  await page.waitForSelector('.risk-figure')
  assert.equal(await page.inputValue('#field-inpatientAdmissions'), '2')
  await close()
})

test('while a request is under way the old figure is marked, not printed, and cannot be copied', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  const isStruckOut = (): Promise<boolean> =>
    page.evaluate(
      "getComputedStyle(document.querySelector('.risk-figure')).textDecorationLine === 'line-through'",
    )
  assert.equal(await isStruckOut(), false)
  const { promise: held, resolve: release } = Promise.withResolvers<undefined>()
  await page.route('**/explain', async (route) => {
    await held
    await route.continue()
  })
  await page.fill('#field-age', '60')
  await page.getByText('These figures are outdated').waitFor()
  assert.equal(await isStruckOut(), true)
  assert.equal(await page.locator('button:has-text("Copy as text")').isDisabled(), true)
  assert.equal(await page.locator('.result button:has-text("Print")').isDisabled(), true)
  await page.emulateMedia({ media: 'print' })
  assert.equal(await page.locator('.risk-figure').isVisible(), false)
  await page.emulateMedia({ media: 'screen' })
  release(undefined)
  await page.getByText('These figures are outdated').waitFor({ state: 'detached' })
  assert.equal(await page.locator('button:has-text("Copy as text")').isDisabled(), false)
  await close()
})

test('after ten seconds without an answer the old figure is gone', async () => {
  const { page, close } = await open()
  await page.clock.install()
  await signIn(page, served.key)
  await fillPatient(page)
  await page.route('**/explain', () => undefined)
  const asked = page.waitForRequest('**/explain')
  await page.fill('#field-age', '60')
  await page.clock.runFor(300)
  await asked
  await page.clock.runFor(10_500)
  await page.getByText('The service took too long to answer').waitFor()
  assert.equal(await page.locator('.risk-figure').count(), 0)
  assert.equal(await page.locator('button:has-text("Copy as text")').count(), 0)
  await page.unroute('**/explain')
  await close()
})

test('another deployment never shows the old number below its own title', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  await page.route('**/mortality/**/explain', () => undefined)
  await page.selectOption('.deployment select', 'mortality')
  await page.getByText('from age and the Charlson index').waitFor()
  assert.equal(await page.locator('.risk-figure').count(), 0)
  await page.unroute('**/mortality/**/explain')
  await close()
})

test('a problem names no record on the screen, and its own identifier in a download', async () => {
  const { page, close } = await openSignedIn('list')
  await scoreRows(page, [HEAD.replace('NHC', 'idx'), '2,,840,F,2,1,7', '1,,71,M,0,0,3'])
  await page.locator('.problem-button').first().click()
  await page.waitForSelector('.row-detail .problem')
  const shown = (await page.locator('.row-detail .problem').textContent()) ?? ''
  assert.match(shown, /Outside what is possible/)
  assert.doesNotMatch(shown, /idx/)
  await page.keyboard.press('Escape')
  const { text } = await download(page, 'All, ')
  assert.match(text, /ValueError for value Age in idx 2 \(out of range\)/)
  assert.doesNotMatch(text, /in idx 1/)
  await close()
})

async function scoreRows(
  page: Page,
  rows: readonly string[],
  scored = rows.length - 1,
  clocked?: Page,
): Promise<void> {
  await pasteList(page, rows)
  await page.click(`button:has-text("Score ${scored} row")`)
  await clocked?.clock.runFor(100)
  await page.waitForSelector('.grid')
}

async function listedRisks(page: Page): Promise<readonly string[]> {
  return page.locator('.risk-button').allTextContents()
}

async function copy(page: Page): Promise<string> {
  await Promise.all([page.getByText('Copied.').waitFor(), page.click('button:has-text("Copy as text")')])
  return String(await page.evaluate('navigator.clipboard.readText()'))
}
