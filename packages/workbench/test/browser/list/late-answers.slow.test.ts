/** What arrives late: files, answers and half-typed values must not reach past the session or the change they belong to. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { serve } from '../../../../../test/support/serve.ts'
import { goTo, openPage, pasteList, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const HEAD = 'id,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'
const ROWS = ['Smith-7,84,F,2,1,7', 'Jones-8,71,M,0,0,3']
const PASSPHRASE = 'correct horse battery'

const { browser, served, openSignedIn } = await useWorkbench()

function rowOf(page: Page, name: string): Locator {
  return page.locator('.grid-window .grid-row', { hasText: name })
}

async function score(page: Page, rows: readonly string[] = ROWS): Promise<void> {
  await pasteList(page, [HEAD, ...rows])
  await page.click(`button:has-text("Score ${rows.length} rows")`)
  await page.waitForSelector('.grid')
}

async function type(page: Page, name: string, age: string): Promise<void> {
  await rowOf(page, name).locator('.cell.value').first().dblclick()
  await page.fill('.cell-editor', age)
}

async function correct(page: Page, name: string, age: string): Promise<void> {
  await type(page, name, age)
  await page.keyboard.press('Enter')
}

/** Holds the requests of an address back; the answer lets them go on. */
async function hold(page: Page, address: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  await page.route(address, async (route) => {
    await promise
    await route.continue().catch(() => undefined)
  })
  return () => resolve(undefined)
}

async function saved(): Promise<Buffer> {
  const { page, close } = await openSignedIn('list')
  await score(page)
  await page.click('.results-head .menu > summary')
  await page.click('.menu-body button:has-text("Save encrypted")')
  await page.fill('input[name=first]', PASSPHRASE)
  await page.fill('input[name=again]', PASSPHRASE)
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('dialog button[type=submit]')])
  const bytes = readFileSync(await file.path())
  await page.locator('dialog').waitFor({ state: 'detached' })
  await close()
  return bytes
}

async function choose(page: Page, buffer: Buffer): Promise<void> {
  await page.setInputFiles('input[type=file]', { name: 'w.csv', mimeType: 'text/csv', buffer })
}

/** After the session has ended, what was held back goes on; the next person must find an empty page. */
async function expectNothing(page: Page, letGo: () => unknown): Promise<void> {
  await page.waitForSelector('#key')
  await letGo()
  await page.waitForTimeout(1_500)
  await signIn(page, await served.makeKey({ name: 'another' }))
  await goTo(page, 'list')
  await page.waitForSelector('.drop, .grid, .matching, .passphrase')
  await page.waitForSelector('.drop', { timeout: 2_000 })
  assert.doesNotMatch(await page.content(), /Smith/)
}

test('a file that is still being opened when the session ends is not put back', async () => {
  const file = await saved()
  const csv = Buffer.from([HEAD, ...ROWS].join('\n'))
  for (const way of ['sign out', 'another key'] as const) {
    const leave = async (page: Page): Promise<void> => {
      await page.getByRole('button', { name: way === 'sign out' ? 'Sign out' : 'Lock the page' }).click()
    }
    const sealed = await openSignedIn('list')
    const openSeal = await hold(sealed.page, '**/seal-*.js')
    await choose(sealed.page, file)
    await sealed.page.fill('input[name=first]', PASSPHRASE)
    await sealed.page.click('.passphrase button[type=submit]')
    await leave(sealed.page)
    if (way === 'sign out') await expectNothing(sealed.page, openSeal)
    else {
      // The other key comes while the file is still being opened.
      await expectNothing(sealed.page, () => undefined)
      openSeal()
      await sealed.page.waitForTimeout(1_500)
      assert.doesNotMatch(await sealed.page.content(), /Smith/)
    }
    await sealed.close()

    for (const bytes of way === 'sign out' ? [csv, Buffer.from('\0'), file] : []) {
      const read = await openSignedIn('list')
      await read.page.evaluate(`{
        const own = File.prototype.arrayBuffer
        File.prototype.arrayBuffer = async function () {
          await new Promise((resolve) => { window.letGo = resolve })
          return own.call(this)
        }
      }`)
      await choose(read.page, bytes)
      await leave(read.page)
      await expectNothing(read.page, () => read.page.evaluate('window.letGo()'))
      await read.close()
    }
  }
  const { page, close } = await openSignedIn('list')
  const openWords = await hold(page, '**/workbench/languages/es.json')
  await choose(page, csv)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expectNothing(page, openWords)
  await close()
})

test('a half-typed value is no correction when the page locks', async () => {
  const { page, close } = await openSignedIn('list')
  await score(page)
  await type(page, 'Smith', '8')
  await page.evaluate(`[...document.querySelectorAll('button')]
    .find((each) => (each.title + each.ariaLabel + each.textContent).includes('Lock the page')).click()`)
  await page.waitForSelector('#key')
  await signIn(page, served.key)
  await rowOf(page, 'Smith').waitFor()
  assert.equal(await rowOf(page, 'Smith').locator('.cell.value').first().textContent(), '84')
  assert.equal(await page.locator('.grid-row.edited').count(), 0)
  await close()
})

test('a late refusal of the former key does not lock the next person out', async () => {
  const { page, close } = await openSignedIn('list')
  await score(page)
  const { promise, resolve } = Promise.withResolvers<undefined>()
  let asked = 0
  await page.route('**/explain', async (route) => {
    if (asked++ === 0) await promise
    await route.fulfill({ status: 401, body: '{}' })
  })
  await correct(page, 'Smith', '95')
  await correct(page, 'Jones', '95')
  await page.waitForSelector('#key')
  await signIn(page, await served.makeKey({ name: 'another' }))
  resolve(undefined)
  await page.waitForTimeout(1_000)
  assert.equal(await page.locator('#key').count(), 0)
  await close('requests')
})

test('the failure of a request that a later one has replaced raises no alarm', async () => {
  const { page, close } = await openSignedIn('list')
  await score(page)
  const { promise, resolve } = Promise.withResolvers<undefined>()
  let asked = 0
  await page.route('**/explain', async (route) => {
    if (asked++ > 0) return route.continue()
    await promise
    return route.fulfill({ status: 413, body: '{}' })
  })
  await correct(page, 'Smith', '95')
  await correct(page, 'Smith', '96')
  await page.waitForSelector('.grid-row.edited .risk-button')
  resolve(undefined)
  await page.waitForTimeout(1_000)
  assert.deepEqual(await page.locator('main [role=alert]').allTextContents(), [])
  await close('requests')
})

test('a bulk correction of more rows than one request may hold is scored in parts', async (t) => {
  const small = await serve({
    deployments: [
      {
        name: 'readmission',
        basePath: '/',
        model: 'readmission30',
        output: 'number',
        limits: { records: 2 },
      },
    ],
  })
  t.after(() => small.close())
  const { page, close } = await openPage(browser, small.origin)
  await signIn(page, small.key)
  await goTo(page, 'list')
  await score(
    page,
    ['A', 'B', 'C', 'D'].map((name) => `${name}-1,840,F,2,1,7`),
  )
  await correct(page, 'A-1', '84')
  await page.click('button:has-text("Correct them all")')
  await page.locator('.grid-row.edited .risk-button').nth(3).waitFor({ timeout: 8_000 })
  await close()
})

test('reading the file in another way asks before it loses corrections', async () => {
  const { page, close } = await openSignedIn('list')
  await score(page)
  await correct(page, 'Smith', '95')
  await page.waitForSelector('.grid-row.edited .risk-button')
  await page.getByRole('button', { name: 'Match columns again' }).click()
  await page.click('.read-options summary')
  const separator = page.locator('.read-options select').first()
  await separator.selectOption(';')
  const dialog = page.locator('dialog.confirm')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await separator.inputValue(), ',')
  await page.locator('.samples', { hasText: '95' }).waitFor()
  await separator.selectOption(';')
  await dialog.getByRole('button', { name: 'Read the file again' }).click()
  await page.waitForFunction(`document.querySelector('.read-options select')?.value === ';'`)
  await close()
})
