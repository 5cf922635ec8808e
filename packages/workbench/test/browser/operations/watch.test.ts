/** Operations: alarms and the shadow model are shown as the service reports them, in both languages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { readmissionRecord } from '../../../../../test/support/records.ts'
import { until } from '../../../../../test/support/until.ts'
import { goTo, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const deployments = DEFAULT_FILE.deployments.map((each) =>
  each.name === 'readmission' ? { ...each, shadow: { model: 'lace', budgetMs: 1_000 } } : each,
)
const { served, open } = await useWorkbench({ deployments })
const ward = Array.from({ length: 300 }, (_each, idx) => ({
  ...readmissionRecord(idx, 60 + (idx % 35)),
  caregiver: 'spouse',
  activeNeoplasia: false,
  barthel_total: 60,
  haemoglobin: 7 + (idx % 20) / 10,
  ...(idx % 4 === 0
    ? {}
    : { acuteAdmission: idx % 3 === 0, laceCharlson_total: idx % 5, edVisits6Months: idx % 4 }),
}))

/** Locale · what the page says of the unit · its table of moves. */
const LANGUAGES = [
  ['en-GB', 'probably mmol/L, received as g/dL', 'Up', 'No alarm.'],
  ['es-ES', 'probablemente mmol/L, recibido como g/dL', 'Sube', 'Ninguna alarma.'],
] as const

test('alarms and the shadow are shown', async () => {
  const admin = await served.makeKey({ name: 'chief', scopes: ['*', 'admin'] })
  const shadow = async (): Promise<Readonly<Record<string, number>>> =>
    (await served.get('/risk/api/do/v0/shadow', { authorization: `Bearer ${admin}` })).json() as never
  for (const [locale, , , none] of LANGUAGES) {
    const { page, close } = await open({ locale })
    await signIn(page, admin)
    await goTo(page, 'operations')
    await page.getByText(none).waitFor()
    await close()
  }
  for (let from = 0; from < 300; from += 30) await served.post(ward.slice(from, from + 30))
  await served.post(ward, { path: '/mortality/risk/api/do/v0' })
  await until(async () => (await shadow())['records'] === 300)
  const { onlyAnswer = -1 } = await shadow()
  for (const [locale, unit, up] of LANGUAGES) {
    const { page, close } = await open({ locale, viewport: { width: 1280, height: 1600 } })
    await signIn(page, admin)
    await goTo(page, 'operations')
    const card = page.locator('section[aria-labelledby="watch-title"]')
    await card.getByText(unit).waitFor()
    await card.getByRole('columnheader', { name: up, exact: true }).waitFor()
    const text = (await card.textContent()) ?? ''
    assert.match(text, /lace@1\.1\.1/)
    assert.ok(text.includes(String(onlyAnswer)) && onlyAnswer > 0)
    await close()
  }
})
