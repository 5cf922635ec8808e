/** Links that open a view, and keyboard shortcuts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { axeFaults, fillPatient, goTo, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { served, open, openSignedIn } = await useWorkbench({
  deployments: [
    { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
    { name: 'lace', basePath: '/lace', model: 'lace', output: 'number' },
  ],
})

const chosen = (page: Page): Promise<string> => page.inputValue('.deployment select')
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement.closest("[data-scale]")?.dataset.scale ?? ""')

test('a link that is opened before signing in leads to its deployment, page and scale', async () => {
  const { page, close } = await open()
  await page.goto(`${served.origin}/#/lace/patient/barthel`)
  await page.reload()
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
  await signIn(page, served.key)
  await page.locator('[data-scale=barthel] .card-body').waitFor()
  assert.equal(await chosen(page), 'lace')
  await page.waitForSelector('[data-scale=barthel] summary:focus')
  assert.ok(!loaded.includes('/risk/api/do/v0/model'), 'the other deployment was not loaded first')
  assert.equal(
    new URL(page.url()).hash,
    '#/patient',
    'the deployment may change, so the address does not keep it',
  )
  assert.equal(await page.locator('.link-note').count(), 0)

  // The same link again, in the page that is open now.
  await page.selectOption('.deployment select', 'readmission')
  await page.evaluate("location.hash = '#/lace/model'")
  await page.getByRole('heading', { name: 'LACE' }).waitFor()
  assert.equal(await chosen(page), 'lace')
  await close()
})

const IGNORED = [
  ['#/nowhere/patient', 'patient', /a deployment that does not exist/],
  ['#/lace/nowhere', 'patient', /a page that does not exist/],
  ['#/lace/operations', 'patient', /that your key may not open/],
  ['#/lace/patient/nowhere', 'patient', /a scale that this page does not have/],
  ['#/lace/list/barthel', 'list', /a scale that this page does not have/],
  ['#/lace/list/barthel/84', 'list', /more parts/],
] as const

test('parts of a link that name nothing are ignored, and the page says so without repeating them', async () => {
  const { page, close } = await openSignedIn()
  await page.evaluate("location.hash = '#/nowhere/list'")
  await page.waitForSelector('.link-note')
  await page.waitForSelector('#paste')
  assert.deepEqual(await axeFaults(page), [])
  for (const [hash, view, said] of IGNORED) {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    const note = page.locator('.link-note')
    await note.getByText(said).waitFor()
    assert.doesNotMatch((await note.textContent()) ?? '', /nowhere/)
    await page.waitForSelector(`nav a[href="#/${view}"][aria-current=page]`)
    await note.getByRole('button').click()
    assert.equal(await note.count(), 0)
  }
  await close()
})

test('a copied link names deployment, view and scale, and nothing that was typed', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  const copied = async (button: string): Promise<string> => {
    await Promise.all([page.getByText('Link copied.').waitFor(), page.click(button)])
    return String(await page.evaluate('navigator.clipboard.readText()'))
  }
  assert.equal(await copied('.foot .copy-link'), `${served.origin}/#/readmission/patient`)
  await page.click('[data-scale=barthel] summary')
  await page.fill('#field-barthel_total', '85')
  const link = await copied('[data-scale=barthel] .copy-link')
  assert.equal(link, `${served.origin}/#/readmission/patient/barthel`)
  await goTo(page, 'model')
  await page.waitForSelector('article.model')
  assert.equal(await copied('.foot .copy-link'), `${served.origin}/#/readmission/model`)
  assert.equal(new URL(page.url()).hash, '#/model')
  await page.goto(link)
  await page.waitForSelector('[data-scale=barthel] summary:focus')
  assert.equal(await page.inputValue('#field-barthel_total'), '85', 'what was typed stays')
  assert.equal(await focused(page), 'barthel')
  await close()
})

test('shortcuts: views, places, and the list behind ?', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  await page.locator('h1').focus()
  await page.keyboard.press('r')
  assert.equal(await page.evaluate('document.activeElement.id'), 'result-title')
  await page.keyboard.press('s')
  assert.equal(await page.evaluate('document.activeElement.type'), 'search')
  await page.keyboard.press('Tab')
  for (const [key, view] of [
    ['l', 'list'],
    ['m', 'model'],
    ['p', 'patient'],
  ] as const) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await page.waitForSelector(`nav a[href="#/${view}"][aria-current=page]`)
  }
  await page.keyboard.press('?')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await list.waitFor()
  assert.equal(await list.locator('dt').count(), 10, 'operations is not among them without the scope')
  assert.deepEqual(await axeFaults(page), [])
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  assert.match(page.url(), /patient$/, 'nothing happens behind the dialog')
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await close()
})

test('shortcuts do nothing while typing or with a modifier, and can be switched off for good', async () => {
  const { page, close } = await openSignedIn()
  await page.locator('#field-age').focus()
  await page.keyboard.type('?gl')
  assert.equal(await page.inputValue('#field-age'), '?gl')
  assert.equal(await page.locator('dialog').count(), 0)
  await page.locator('h1').focus()
  await page.keyboard.press('g')
  await page.keyboard.press('Control+l')
  await page.keyboard.press('Escape')
  await page.keyboard.press('l')
  assert.match(page.url(), /patient$|\/$/)
  await page.keyboard.press('?')
  await page.getByLabel('Use these shortcuts').uncheck()
  await page.keyboard.press('Escape')
  await page.reload()
  await signIn(page, served.key)
  await page.waitForSelector('form.questions')
  await page.locator('h1').focus()
  await page.keyboard.press('?')
  assert.equal(await page.locator('dialog').count(), 0, 'off stays off')
  await page.click('.foot button:has-text("Keyboard shortcuts")')
  await page.getByLabel('Use these shortcuts').check()
  await page.keyboard.press('Escape')
  // While it is open, nothing outside it takes the focus.
  await page.locator('dialog').waitFor({ state: 'detached' })
  await page.locator('h1').focus()
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await close()
})
