/** The page that works without a service, opened from the disk without network: its answers, its sentences, and what it does not offer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { GOOD, compareWithHttp } from './offline-answers.ts'
import { makeOfflinePage, openOffline, pageFolder } from '../../../../test/support/browser/offline-page.ts'
import { axeFaults, download, fillPatient, goTo } from '../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../test/support/browser/workbench.ts'

const READMISSION: DeploymentSettings = {
  name: 'readmission',
  basePath: '/',
  model: 'readmission30',
  output: 'number',
}

const SENTENCES = ['Nothing is sent.', 'There is no audit and no alarm.', 'The page does not lock']

const folder = pageFolder()
const { browser, served } = await useWorkbench({ deployments: [READMISSION] })
const path = await makeOfflinePage(folder, READMISSION)

test('the page answers as HTTP does, to good and faulty records', () =>
  compareWithHttp(browser, served, folder, READMISSION))

test('an empty form becomes the risk that HTTP gives; a wrong value has its problem and no risk', async () => {
  const { page, close } = await openOffline(browser, path)
  await fillPatient(page)
  const [answer] = (await served.post([{ idx: 1, ...GOOD }])).json() as { risk: number }[]
  await page.getByText(`${answer?.risk.toFixed(4) ?? ''}, rounded to four decimals`).waitFor()
  assert.equal(await page.locator('.contributions tbody tr').count(), 5)
  await page.click('.risk-curve > summary')
  await page.waitForSelector('.curve-body:not(.stale) svg')
  await Promise.all([page.getByText('Copied.').waitFor(), page.click('button:has-text("Copy as text")')])
  const text = String(await page.evaluate('navigator.clipboard.readText()'))
  assert.match(text, /Risk: 22\.9% \(0\.2294\)/)
  assert.match(text, /Worked out by a page without a service: there is no audit and no alarm\./)
  await page.emulateMedia({ media: 'print' })
  await page.locator('.result .print-only', { hasText: 'there is no audit and no alarm' }).waitFor()
  await page.emulateMedia({ media: 'screen' })
  await page.fill('#field-stayDays', '-7')
  await page.locator('#field-stayDays').blur()
  await page.locator('[data-field=stayDays] .problem').waitFor()
  assert.equal(await page.locator('.risk-figure').count(), 0)
  await close()
})

test('a CSV file is scored, a row explained, and all of them downloaded', async () => {
  const { page, close } = await openOffline(browser, path)
  await page.waitForSelector('nav')
  await goTo(page, 'list')
  await page.getByText('The file is read in your browser. Nothing is sent, and nothing is kept.').waitFor()
  const rows = [
    'ward,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays',
    'A,84,F,2,1,7',
    'B,184,F,2,1,7',
    ...Array.from({ length: 2_500 }, (_, at) => `C${at},${65 + (at % 30)},M,0,${at % 7},${1 + (at % 14)}`),
  ]
  const buffer = Buffer.from(rows.join('\n'))
  await page.setInputFiles('input[type=file]', { name: 'ward.csv', mimeType: 'text/csv', buffer })
  await page.click('.matching button.primary')
  await page.waitForSelector('.grid')
  await page.getByText('2,502 of 2,502 rows').waitFor()
  await page.locator('.risk-button').first().click()
  await page.waitForSelector('.row-detail .contributions')
  await page.keyboard.press('Escape')
  const { name, text } = await download(page, 'All, ')
  assert.match(name, /^ward.*\.csv$/)
  assert.match(text, /0\.2294/)
  assert.match(text, /ValueError for value Age[^\n]*out of range/)
  await page.emulateMedia({ media: 'print' })
  await page.locator('.origin', { hasText: 'there is no audit and no alarm' }).waitFor()
  await close()
})

test('every view says what is missing and which digest the page holds, and axe finds nothing', async () => {
  const width = 390
  const { page, close } = await openOffline(browser, path, { viewport: { width, height: 844 } })
  const { text } = await served.get('/risk/api/do/v0/fields')
  const { digest } = JSON.parse(text) as { digest: string }
  await fillPatient(page)
  assert.deepEqual(await axeFaults(page), [])
  for (const view of ['patient', 'list', 'model'] as const) {
    await goTo(page, view)
    const note = await page.locator('.offline-note').innerText()
    for (const part of [...SENTENCES, digest, 'readmission30@']) assert.ok(note.includes(part), part)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
  }
  await close()
})

test('what needs a server is not offered: no key, no lock, no signing out, no links, no operations', async () => {
  const { page, close } = await openOffline(browser, path)
  await fillPatient(page)
  for (const gone of ['#key', '.deployment select', 'a[href="#/operations"]', 'a[href^="/"]', '.copy-link'])
    assert.equal(await page.locator(gone).count(), 0, gone)
  for (const name of ['Sign out', 'Lock the page', 'Copy a link to this view'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name)
  await page.locator('h1').click()
  await page.keyboard.press('?')
  await page.waitForSelector('dialog .keys-list')
  assert.doesNotMatch(await page.innerText('dialog'), /Operations/)
  await page.keyboard.press('Escape')
  await page.evaluate("location.hash = '#/operations'")
  await page.waitForSelector('form.questions')
  await close()
})

test('the policy of the page forbids connections, and scripts that were not built into it', async () => {
  const { page, close } = await openOffline(browser, path)
  await page.waitForSelector('nav')
  const policy = (await page.getAttribute('meta[http-equiv]', 'content')) ?? ''
  for (const part of ["default-src 'none'", "connect-src 'none'", "form-action 'none'", "base-uri 'none'"])
    assert.ok(policy.split('; ').includes(part), part)
  assert.doesNotMatch(policy, /unsafe-inline|'self'|https?:|blob:/)
  const refused = await page.evaluate<readonly string[]>(`new Promise((resolve) => {
    const found = []
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
      found.push(effectiveDirective)
      if (found.length === 2) resolve(found.sort())
    })
    fetch('http://127.0.0.1:9/').catch(() => undefined)
    document.body.append(Object.assign(document.createElement('script'), { textContent: 'document.title = 1' }))
  })`)
  assert.deepEqual(refused, ['connect-src', 'script-src-elem'])
  assert.notEqual(await page.title(), '1')
  // The browser itself reports both breaches in the console.
  await assert.rejects(close, /Content Security Policy|Refused/)
})
