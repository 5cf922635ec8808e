/** Operations: a key is made and shown once, replaced, revoked; use and the audit are seen. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../../../../test/support/until.ts'
import { goTo, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { served, open } = await useWorkbench()

test('keys are made, replaced and revoked; figures and audit rows are shown', async () => {
  const flagModel = (key: string): ReturnType<typeof served.get> =>
    served.get('/flag/risk/api/do/v0/model', { authorization: `Bearer ${key}` })
  const { page, close } = await open()
  await page.clock.install()
  await served.post([{ idx: 1 }])
  await signIn(page, await served.makeKey({ name: 'chief', scopes: ['*', 'admin'] }))
  await goTo(page, 'operations')
  await page.click('button:has-text("New key")')
  await page.click('button:has-text("Make the key")')
  await page.getByText('Say for whom the key is.').waitFor()
  await page.fill('#key-name', 'ward 7')
  await page.getByLabel('Only these deployments').check()
  await page.locator('.new-key-form label', { hasText: 'readmission-flag' }).click()
  await page.getByLabel('Outcomes: send them, and read how the risks did').check()
  // The service's clock stands still in a test, and the browser's does not.
  await page.selectOption('#key-expires', '')
  await page.click('button:has-text("Make the key")')
  const key = (await page.locator('.new-key').textContent()) ?? ''
  const { status } = await served.get('/flag/risk/api/do/v0/model', { authorization: `Bearer ${key}` })
  assert.equal(status, 200)
  const read = await served.get('/flag/risk/api/do/v0/performance', { authorization: `Bearer ${key}` })
  assert.equal(read.status, 200)

  await page.click('button[aria-label="Replace the key ward 7"]')
  await page.getByText('The old key goes on working for the time below').waitFor()
  await confirm(page, 'Replace the key')
  await page.locator('.new-key').nth(1).waitFor()
  assert.equal(await page.locator('.new-key').first().textContent(), key, 'the first key is still there')
  await goTo(page, 'model')
  await goTo(page, 'operations')
  const second = (await page.locator('.new-key').nth(1).textContent()) ?? ''
  assert.notEqual(second, key)
  for (let left = 2; left > 0; left--)
    await page.locator('button:has-text("I have stored it")').first().click()
  assert.equal(await page.locator('.new-key').count(), 0)
  await page.locator('.keys tbody tr').nth(3).waitFor()

  const row = page.locator('.keys tbody tr', { hasText: second.split('_')[1] ?? '' })
  const revoke = row.getByRole('button', { name: 'Revoke the key ward 7' })
  const wide = page.viewportSize()
  await page.setViewportSize({ width: 1024, height: 768 })
  const { x = 0, width = 0 } = (await revoke.boundingBox()) ?? {}
  const edge = (await page.locator('.keys').locator('xpath=..').boundingBox()) ?? { x: 0, width: 0 }
  assert.ok(x + width <= edge.x + edge.width, 'every button is in sight at 1024 px')
  if (wide !== null) await page.setViewportSize(wide)
  // The second click of a double click may land on the button that revokes.
  await revoke.click()
  const sure = page.locator('dialog').getByRole('button', { name: 'Revoke for good' })
  await sure.dispatchEvent('click', { detail: 2 })
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert.equal((await flagModel(second)).status, 200, 'a double click and Escape revoke nothing')
  await revoke.click()
  await confirm(page, 'Revoke for good')
  await row.getByText('revoked').waitFor()
  assert.equal((await flagModel(second)).status, 401)

  await page.locator('.small-figures div', { hasText: 'Records' }).getByText('1', { exact: true }).waitFor()
  await page.getByRole('cell', { name: 'score', exact: true }).waitFor()
  await page.getByText('15 Mar 2026, 12:00:00').first().waitFor()
  const rows = page.locator('.audit tbody tr')
  await page.selectOption('.filters select >> nth=2', '')
  await page
    .getByRole('cell', { name: /^keys create/ })
    .first()
    .waitFor()
  await page.selectOption('.filters select >> nth=0', { label: (await keyLabel(page, 'test')) ?? '' })
  await until(async () => (await rows.count()) === 1, { what: 'the one row of that key' })
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('button:has-text("Export")')])
  assert.match(readFileSync(await file.path(), 'utf8'), /seq,at,call,key.*\r\n\d+,[^,]+,score,test,/)
  await page.selectOption('.filters select >> nth=3', 'refused')
  await page.getByText('No row fits.').waitFor()
  const use = page.locator('.figures-table', { hasText: 'Use of each key' })
  const cellsOf = (name: string): Promise<readonly string[]> =>
    use.locator('tr', { hasText: name }).locator('td').allTextContents()
  const [all = '', own = ''] = await cellsOf('chief')
  assert.equal(own, all, 'a key that the page alone used')
  assert.deepEqual((await cellsOf('test')).slice(0, 2), ['1', '0'], 'a key that only a program used')
  await close()
})

const RULE_OF_NAMES = [
  ['en-GB', /A name has 1 to 100 characters, at least one of them visible, and no control characters\./],
  [
    'es-ES',
    /Un nombre tiene de 1 a 100 caracteres, al menos uno de ellos visible, y ningún carácter de control\./,
  ],
] as const
for (const [locale, rule] of RULE_OF_NAMES) {
  test(`a name that breaks the rules of the service: the form says which, in ${locale}`, async () => {
    const { page, close } = await open({ locale })
    await signIn(page, await served.makeKey({ name: 'chief', scopes: ['*', 'admin'] }))
    await goTo(page, 'operations')
    await page.locator('.section-head button.primary').click()
    await page.fill('#key-name', 'x'.repeat(101))
    await page.selectOption('#key-expires', '')
    await page.click('.new-key-form button[type=submit]')
    const refusal = page.locator('.new-key-form [role="alert"]', { hasText: rule })
    await refusal.waitFor()
    assert.equal(await refusal.locator('[lang=en]').count(), 0)
    await page.fill('#key-name', 'ward 7')
    await page.click('.new-key-form button[type=submit]')
    await page.locator('.new-key').waitFor()
    await close('requests')
  })
}

async function keyLabel(page: Page, name: string): Promise<string | undefined> {
  const labels = await page.locator('.filters select >> nth=0').locator('option').allTextContents()
  return labels.find((label) => label.startsWith(`${name} (`))
}

/** The button of the question, pressed as soon as it is there: the first click counts. */
async function confirm(page: Page, button: string): Promise<void> {
  await page.locator('dialog').getByRole('button', { name: button }).click()
}
