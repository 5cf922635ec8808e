/** Outcomes under Operations: an alarm with its figures, months and groups; it is acknowledged; small groups are not shown. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { randomFrom } from '@patient-risk/statistics'
import { serve } from '../../../../../test/support/serve.ts'
import { openBrowser } from '../../../../../test/support/browser/launch.ts'
import { axeFaults, goTo, openPage, signIn } from '../../../../../test/support/browser/open-page.ts'

const served = await serve({
  isOverSocket: true,
  deployments: [
    {
      name: 'readmission',
      basePath: '/',
      model: 'readmission30',
      output: 'number',
      outcomes: { horizonDays: 30, eta: 1, groups: ['ward 3', 'ward 4', 'ward 5'] },
    },
  ],
})
const browser = await openBrowser()
after(async () => {
  await browser.close()
  await served.close()
})
const key = await served.makeKey({ scopes: ['*', 'admin'] })

/** Six months whose events are more than the risks say; ward 5 is small. */
async function sendOutcomes(): Promise<void> {
  const headers = { authorization: `Bearer ${key}` }
  const { deployment } = (await served.get('/risk/api/do/v0/model')).json() as {
    deployment: { digest: string }
  }
  const random = randomFrom(4)
  for (const month of ['2025-09', '2025-10', '2025-11', '2025-12', '2026-01', '2026-02']) {
    const today = Number(`${month.replace('-', '')}15`)
    const row = {
      at: `${month}-15T00:00:00.000Z`,
      call: 'score',
      status: 200,
      records: 400,
      scored: 400,
      today,
    }
    const digest = deployment.digest.slice(9, -1)
    const text = JSON.stringify({ ...row, deployment: 'readmission', deploymentDigest: digest })
    await served.store.appendAudit([{ at: Date.parse(row.at), keyId: null, text }])
    const body = Array.from({ length: 396 }, (_each, idx) => {
      const risk = Math.round((0.03 + 0.3 * random() * random()) * 10_000) / 10_000
      const group = idx === 0 ? 'ward 5' : idx % 2 === 0 ? 'ward 3' : 'ward 4'
      return { idx, risk, outcome: random() < 1.6 * risk, digest: deployment.digest, scored: month, group }
    })
    assert.equal((await served.post(body, { path: '/risk/api/do/v0/outcomes', headers })).status, 200)
  }
  while (await served.store.countRows());
}

test('the alarm is shown with what it rests on, and acknowledged by an administrator', async () => {
  await sendOutcomes()
  const { page, close } = await openPage(browser, served.origin)
  await signIn(page, key)
  await goTo(page, 'operations')
  const card = page.locator('section', { has: page.locator('#performance-title') })
  await card.getByText('The outcomes do not fit the risks of the deployment').waitFor()
  assert.equal(await card.locator('svg.chart .decile').count(), 10)
  const months = card.getByRole('table', { name: 'By month of scoring' })
  assert.equal(await months.locator('tbody tr').count(), 6)
  assert.match((await months.locator('tbody tr').last().textContent()) ?? '', /^2026-0240099%not complete/)
  const groups = card.getByRole('table', { name: /^By group/ })
  const texts = await groups.locator('tbody tr td:nth-child(2)').allTextContents()
  assert.deepEqual(
    texts.map((text) => text === 'not shown'),
    [true, false, true, true],
  )
  assert.deepEqual(await axeFaults(page), [])
  const { PICTURES: folder = '' } = process.env
  for (const width of folder === '' ? [] : [360, 768, 1280, 1600]) {
    await page.setViewportSize({ width, height: 900 })
    await card.screenshot({ path: `${folder}/outcomes-${width}.png` })
  }
  while ((await card.getByRole('button', { name: 'Acknowledge' }).count()) > 0) {
    const open = await card.locator('.notice.warn').count()
    await card.getByRole('button', { name: 'Acknowledge' }).first().click()
    await page.locator('dialog').getByRole('button', { name: 'Acknowledge' }).click()
    await card
      .locator('.notice.warn')
      .nth(open - 1)
      .waitFor({ state: 'detached' })
  }
  await card.getByText('No alarm. Evidence that the risks are wrong: 0; the alarm is at 4,800.').waitFor()
  await close()
})
