/** Operations: a key is made and shown once, replaced, revoked; use and the audit are seen. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from '../serve.ts'
import { launchBrowser } from './launch.ts'
import { goTo, openPage, signIn } from './open-page.ts'

test('keys are made, replaced and revoked; figures and audit rows are shown', async () => {
  const served = await serve()
  const browser = await launchBrowser()
  try {
    const { page, close } = await openPage(browser, served.origin)
    await served.post([{ idx: 1 }])
    await signIn(page, await served.makeKey({ name: 'chief', scopes: ['*', 'admin'] }))
    await goTo(page, 'operations')
    await page.click('button:has-text("New key")')
    await page.fill('#key-name', 'ward 7')
    await page.locator('.new-key-form label', { hasText: 'readmission-flag' }).click()
    // The service's clock stands still in a test, and the browser's does not.
    await page.selectOption('#key-expires', '')
    await page.click('button:has-text("Make the key")')
    const key = (await page.locator('.new-key').textContent()) ?? ''
    const { status } = await served.get('/flag/risk/api/do/v0/model', { authorization: `Bearer ${key}` })
    assert.equal(status, 200)
    await page.click('button:has-text("I have stored it")')
    assert.equal(await page.locator('.new-key').count(), 0)

    await page.click('button[aria-label="Replace the key ward 7"]')
    const second = (await page.locator('.new-key').textContent()) ?? ''
    assert.notEqual(second, key)
    await page.locator('.keys tbody tr').nth(3).waitFor()

    const row = page.locator('.keys tbody tr', { hasText: second.split('_')[1] ?? '' })
    await row.getByRole('button', { name: 'Revoke the key ward 7' }).click()
    await row.getByRole('button', { name: 'Revoke for good' }).click()
    await row.getByText('revoked').waitFor()
    const revoked = await served.get('/flag/risk/api/do/v0/model', { authorization: `Bearer ${second}` })
    assert.equal(revoked.status, 401)

    await page.locator('.small-figures div', { hasText: 'Records' }).getByText('1', { exact: true }).waitFor()
    await page.getByRole('cell', { name: 'score', exact: true }).waitFor()
    await close()
  } finally {
    await browser.close()
    await served.close()
  }
})
