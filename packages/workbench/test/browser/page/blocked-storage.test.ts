/**
 * The page where the browser keeps nothing: site data are blocked, or the storage is full. Lock, sign-out, idle lock and a refused key
 * clear the screen all the same.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContext, Page, Route } from 'playwright-core'
import {
  type Opened,
  fillPatient,
  goTo,
  openPage,
  pasteList,
  signIn,
} from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { browser, served } = await useWorkbench()

const THROWING_GETTERS = `for (const name of ['sessionStorage', 'localStorage']) {
  Object.defineProperty(window, name, {
    get() {
      throw new DOMException('Access is denied for this document.', 'SecurityError')
    },
  })
}`

/** Chromium denies storage to a document without an origin of its own, by the same check as where site data are blocked. */
async function sandbox(route: Route): Promise<void> {
  const response = await route.fetch()
  const headers: Record<string, string> = response.headers()
  // For such a document the service is another origin.
  headers['access-control-allow-origin'] = '*'
  headers['access-control-expose-headers'] = '*'
  const policy = headers['content-security-policy'] ?? ''
  if (route.request().resourceType() === 'document')
    headers['content-security-policy'] = `${policy}; sandbox allow-scripts allow-forms allow-modals`
  await route.fulfill({ response, headers })
}

/** Up to the last character, so that not even a short key has room. */
const FILL = `for (const storage of [sessionStorage, localStorage]) {
  for (let size = 2 ** 22; size >= 1; ) {
    try {
      storage.setItem('filler-' + storage.length, 'x'.repeat(size))
    } catch {
      size = size / 2
    }
  }
}`

const fault = (page: Page, name: string): Promise<string> =>
  page.evaluate(`(() => {
    try {
      ${name}.setItem('probe', 'x'.repeat(100))
      return ''
    } catch (error) {
      return error.name
    }
  })()`)

interface Kind {
  readonly prepare: (context: BrowserContext) => Promise<unknown>
  readonly fill?: string
  readonly error: string
}

const KINDS: Readonly<Record<string, Kind>> = {
  'blocked by a script': {
    prepare: (context) => context.addInitScript(THROWING_GETTERS),
    error: 'SecurityError',
  },
  'blocked by the browser': {
    prepare: (context) => context.route('**/*', sandbox),
    error: 'SecurityError',
  },
  full: { prepare: () => Promise.resolve(), fill: FILL, error: 'QuotaExceededError' },
}

/** The page before anyone has signed in. */
async function open({ prepare, fill, error }: Kind): Promise<Opened> {
  const opened = await openPage(browser, served.origin, {}, prepare)
  if (fill !== undefined) await opened.page.evaluate(fill)
  for (const name of ['sessionStorage', 'localStorage']) assert.equal(await fault(opened.page, name), error)
  return opened
}

/** The page with a patient on it, of someone who wants the tab to keep the key. */
async function openPatient(kind: Kind): Promise<Opened> {
  const opened = await open(kind)
  await opened.page.clock.install()
  await opened.page.check('.check input')
  await signIn(opened.page, served.key)
  await fillPatient(opened.page)
  return opened
}

/** Ways in which a patient leaves the screen. After a lock the same person goes on; after a sign-out nothing is there. */
const WAYS: Readonly<Record<string, readonly [act: (page: Page) => Promise<unknown>, isKept: boolean]>> = {
  'the lock': [(page) => page.getByRole('button', { name: 'Lock the page' }).click(), true],
  'signing out': [(page) => page.click('button:has-text("Sign out")'), false],
  'the idle lock': [(page) => page.clock.fastForward('15:01'), true],
  'a refused key': [
    async (page) => {
      await page.route('**/explain', (route) => route.fulfill({ status: 401, body: '{}' }))
      await page.fill('#field-stayDays', '8')
      await page.clock.runFor(1_000)
    },
    true,
  ],
}

for (const [name, kind] of Object.entries(KINDS)) {
  for (const [way, [act, isKept]] of Object.entries(WAYS)) {
    test(`storage that is ${name}: ${way} clears the screen`, async () => {
      const { page, close } = await openPatient(kind)
      await act(page)
      await page.waitForSelector('#key')
      for (const part of ['form.questions', '.contributions', 'nav', '#field-age'])
        assert.equal(await page.locator(part).count(), 0, part)
      await page.unroute('**/explain')
      await signIn(page, served.key)
      await page.waitForSelector('#field-age')
      assert.equal(await page.inputValue('#field-age'), isKept ? '84' : '')
      await close('requests')
    })
  }

  test(`storage that is ${name}: an administrator who wants the tab to keep the key sees the deployments`, async () => {
    const { page, close } = await open(kind)
    await page.check('.check input')
    await signIn(page, await served.makeKey({ scopes: ['*', 'admin'] }))
    await goTo(page, 'patient')
    await page.waitForSelector('form.questions')
    assert.equal(await page.getByText('This key may not use any deployment.').count(), 0)
    await close()
  })

  test(`storage that is ${name}: language, shortcuts and matched columns work, and are not kept`, async () => {
    const { page, close } = await open(kind)
    await signIn(page, served.key)
    await page.click('button:has-text("Keyboard shortcuts")')
    await page.locator('dialog input[type=checkbox]').click()
    await page.keyboard.press('Escape')
    await goTo(page, 'list')
    await pasteList(page, ['age,sex,inpatientAdmissions,emergencyAdmissions,stayDays', '84,F,2,1,7'])
    await page.check('.check input')
    await page.click('button:has-text("Score 1 row")')
    await page.waitForSelector('.grid')
    await page.click('button:has-text("Español")')
    await page.waitForSelector('html[lang=es]')
    await close()
  })
}
