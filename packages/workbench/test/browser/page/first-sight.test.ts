/** The first sight: what the page is, an example patient and an example list without a key, and nothing of them left behind. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axeFaults, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { served, open } = await useWorkbench({
  deployments: [{ name: 'lace', basePath: '/', model: 'lace', output: 'yes-no', threshold: 0.1 }],
})

test('an example is worked out in the browser, on the example model and no configured one; nothing is sent or kept', async () => {
  const { page, close } = await open()
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await page.getByRole('heading', { name: 'What this page does' }).waitFor()
  assert.deepEqual(
    asked.filter((each) => each.includes('example')),
    [],
    'loaded on click',
  )
  await page.click('button:has-text("Example patient")')
  await page.locator('.risk-figure', { hasText: '22.9%' }).waitFor()
  await page.getByText('The patients are invented.').waitFor()
  await page.locator('.whose', { hasText: 'Example patient' }).waitFor()
  assert.deepEqual(await axeFaults(page), [])
  await page.click('button:has-text("Copy as text")')
  assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /not for care/)
  await page.click('button:has-text("Leave the example and sign in")')
  await page.click('button:has-text("Example list")')
  await page.waitForSelector('.grid .risk-button')
  await page.locator('.figure-box', { hasText: 'Same identifier' }).waitFor()
  assert.deepEqual(await axeFaults(page), [])
  assert.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 0)
  assert.deepEqual(
    asked.filter((each) => !each.startsWith('GET /workbench/')),
    [],
    'nothing but files of the page was asked for',
  )
  await page.click('button:has-text("Leave the example and sign in")')
  await signIn(page, served.key)
  // The form of the configured model, empty and with the cursor in its first field.
  await page.locator('form.questions input:focus').first().waitFor()
  assert.equal(await page.locator('.example-note').count(), 0)
  assert.equal(await page.locator('.whose').count(), 0)
  await page.locator('nav a[href="#/list"]').click()
  await page.waitForSelector('.drop')
  await close()
})

test('the example list is in the language of the reader, its patients too', async () => {
  const { page, close } = await open({ locale: 'es-ES' })
  await page.click('button:has-text("Lista de ejemplo")')
  await page.waitForSelector('.grid .risk-button')
  assert.equal(await page.locator('.grid-head .identifier').textContent(), 'paciente')
  assert.equal(await page.locator('.cell.identifier').first().textContent(), 'Ejemplo 4')
  await close()
})
