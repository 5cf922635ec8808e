/** Signing in: a good key, a wrong one, one that ends while the page is open; and where the key is kept. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillPatient, goTo, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { served, open, openSignedIn } = await useWorkbench()

test('a valid key opens the page, and is kept neither in the address nor in the browser', async () => {
  const { page, close } = await openSignedIn()
  assert.doesNotMatch(page.url(), /prk_/)
  assert.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 0)
  await page.reload()
  await page.waitForSelector('#key')
  await close()
})

test('on request the tab keeps the key, and signing out forgets it', async () => {
  const { page, close } = await open()
  await page.check('.check input')
  await signIn(page, served.key)
  await page.reload()
  await page.waitForSelector('form.questions')
  await page.click('button:has-text("Sign out")')
  await page.waitForSelector('#key')
  assert.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 0)
  await close()
})

test('a wrong key is refused with a message, and with the message of the service', async () => {
  const { page, close } = await open()
  await page.fill('#key', `${served.key.slice(0, -1)}!`)
  await page.click('button[type=submit]')
  const alert = page.getByRole('alert')
  await alert.waitFor()
  assert.match(
    (await alert.textContent()) ?? '',
    /This key is not accepted.*unknown, expired, revoked or mistyped/s,
  )
  await close('requests')
})

test('an empty key is pointed out, and a key that ends asks for another', async () => {
  const key = await served.makeKey({ expiresAt: served.clock.now() + 3_600_000 })
  const { page, close } = await open()
  await page.click('button[type=submit]')
  await page.getByText('Enter your API key.').waitFor()
  await signIn(page, key)
  await fillPatient(page)
  served.clock.advance(7_200_000)
  await page.fill('#field-age', '85')
  await page.waitForSelector('#key')
  assert.match((await page.getByRole('alert').textContent()) ?? '', /no longer accepted/)
  await close('requests')
})

test('a key for management alone lands in operations; one without it does not see them', async () => {
  const first = await open()
  await signIn(first.page, await served.makeKey({ scopes: ['admin'] }))
  await first.page.getByRole('heading', { name: 'Operations' }).waitFor()
  await goTo(first.page, 'patient')
  await first.page.getByText('This key may not use any deployment.').waitFor()
  await first.close()
  const second = await open()
  await signIn(second.page, served.key)
  assert.equal(await second.page.locator('nav a[href="#/operations"]').count(), 0)
  await second.close()
})

test('a deployment that was taken away is said to be gone, in the words of the page', async () => {
  const { page, close } = await openSignedIn()
  // The address of a deployment that the service does not have any more: its own answer, not one of this test.
  await page.route('**/flag/risk/**', (route) =>
    route.continue({ url: route.request().url().replace('/flag/', '/gone/') }),
  )
  await page.selectOption('.deployment select', 'readmission-flag')
  await page.getByText('This deployment is no longer there').waitFor()
  assert.equal(await page.getByText('There is nothing at this address').count(), 0)
  await close('requests')
})

test('a kept session goes on in English where its language is not to be had any more', async () => {
  const { page, close } = await open()
  await page.click('button:has-text("Español")')
  await page.check('.check input')
  await page.fill('#key', served.key)
  await page.click('button[type=submit]')
  await page.waitForSelector('form.questions')
  await page.route('**/languages/es.json*', (route) => route.fulfill({ status: 404, body: '' }))
  await page.reload()
  await page.getByRole('heading', { name: 'One patient' }).waitFor()
  await close('requests')
})
