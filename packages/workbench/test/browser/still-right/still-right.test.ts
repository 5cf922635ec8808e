/** "Still right here?" in a browser: who may open it, its verdict in words, what is drawn, former states, and the acknowledgement. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { axeFaults, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'
import { WITH_WATCHED } from '../../../../../test/support/watched-deployment.ts'
import { ALARMED, QUIET, SHADOW } from './performance-answer.ts'

const { served, open } = await useWorkbench({
  deployments: WITH_WATCHED.map((each) =>
    each.name === 'watched' ? { ...each, shadow: { model: 'lace', budgetMs: 1_000 } } : each,
  ),
})

/** The service answers what the fixtures say. Returns the addresses that were asked. */
async function answerWith(page: Page): Promise<readonly string[]> {
  const asked: string[] = []
  await page.route('**/v0/performance**', (route) => {
    const address = new URL(route.request().url())
    asked.push(address.pathname.replace(/^.*v0/, '') + address.search)
    if (route.request().method() === 'POST') return route.fulfill({ status: 200, json: {} })
    const isCalm = address.searchParams.has('digest') || asked.some((each) => each.includes('acknowledge'))
    return route.fulfill({ json: isCalm ? QUIET : ALARMED })
  })
  await page.route('**/v0/shadow', (route) => route.fulfill({ json: SHADOW }))
  return asked
}

/** Scopes · the views that the key sees. */
const KEYS = [
  [['watched'], ['One patient', 'A list', 'Model']],
  [
    ['watched', 'outcomes'],
    ['Still right here?', 'Outcomes', 'Model'],
  ],
  [
    ['watched', 'admin'],
    ['One patient', 'A list', 'Model', 'Still right here?', 'Outcomes', 'Operations'],
  ],
] as const

for (const [scopes, views] of KEYS) {
  test(`a key with ${scopes.join(' and ')} sees ${views.join(', ')}, and opens the first`, async () => {
    const key = await served.makeKey({ scopes: [...scopes] })
    const { page, close } = await open()
    await answerWith(page)
    await signIn(page, key)
    assert.deepEqual(await page.locator('nav a').allTextContents(), [...views])
    assert.equal(await page.locator('nav a[aria-current=page]').textContent(), views[0])
    // An address of a view that the key may not open leads to its own.
    const other = views.some((each) => each === 'A list') ? 'operations' : 'list'
    if (scopes.length < 2 || scopes[1] === 'outcomes') {
      await page.evaluate(`location.hash = '#/${other}'`)
      await page.locator(`nav a[aria-current=page]`, { hasText: views[0] }).waitFor()
    }
    await close()
  })
}

/** Locale · the verdict · what it found · what it cannot notice · what the shadow is. */
const LANGUAGES = [
  [
    'en-GB',
    'No. The risks do not fit what happened here.',
    'Since November 2025 more had the event than expected: at least 31 of 100 where 22 were.',
    'Can notice risks too high: no, 4.0% of outcomes are not known; at most 1.6% may be.',
    'The shadow is better',
  ],
  [
    'es-ES',
    'No. Los riesgos no se ajustan a lo que ocurrió aquí.',
    'Desde noviembre de 2025 más pacientes que los esperados tuvieron el evento: al menos 31 de cada 100, donde se esperaban 22.',
    'Puede notar riesgos demasiado altos: no, no se conoce el 4,0 % de los desenlaces; como máximo puede faltar el 1,6 %.',
    'La sombra es mejor',
  ],
] as const

for (const [locale, ...texts] of LANGUAGES) {
  test(`the page says it in words (${locale})`, async () => {
    const key = await served.makeKey({ scopes: ['watched', 'outcomes'] })
    const { page, close } = await open({ locale })
    await answerWith(page)
    await signIn(page, key)
    for (const text of texts) await page.getByText(text).waitFor()
    assert.equal(await page.locator('svg.chart .decile').count(), 10)
    assert.deepEqual(await axeFaults(page), [])
    await close()
  })
}

test('somebody with a key for outcomes reads what to do, cannot acknowledge, and looks at a former state', async () => {
  const key = await served.makeKey({ scopes: ['watched', 'outcomes'] })
  const { page, close } = await open()
  const asked = await answerWith(page)
  await signIn(page, key)
  await page.getByText('Only an administrator of the deployment can acknowledge it.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Acknowledge' }).count(), 0)
  assert.equal(await page.getByText('of the patients scored are not known').count(), 0)
  const ward = page.getByRole('row', { name: /^ward 3/ })
  assert.match((await ward.textContent()) ?? '', /^ward 3open alarm900/)
  // Years stand beside each other.
  const seasons = page.getByRole('table', { name: 'The same months of other years' })
  assert.deepEqual(await seasons.locator('thead th').allTextContents(), ['Month', '2024', '2025'])
  assert.match((await seasons.locator('tbody').textContent()) ?? '', /November84 of 380 \(83\.2\)116 of 376/)
  await page.getByRole('button', { name: /^Show: readmission30@1\.0\.0/ }).click()
  await page.getByText('No alarm is open, but too much is not known to rely on that.').waitFor()
  assert.ok(asked.some((each) => each.startsWith('/performance?digest=')))
  // 700 of 2,000 are not known here, and where the alarm is 100, which is the limit.
  await page.getByText('those of 35% of the patients scored are not known').waitFor()
  await close()
})

test('an administrator acknowledges with a reason of the list, and not without one', async () => {
  const key = await served.makeKey({ scopes: ['*', 'admin'] })
  const { page, close } = await open()
  const asked = await answerWith(page)
  await signIn(page, key)
  await page.goto(`${served.origin}/#/watched/right`)
  const button = page.getByRole('button', { name: 'Acknowledge: All patients', exact: true })
  await button.click()
  const dialog = page.locator('dialog')
  assert.equal(await dialog.getByRole('button', { name: 'Acknowledge' }).isDisabled(), true)
  await dialog.getByLabel('Reason').selectOption('care')
  assert.deepEqual(await axeFaults(page), [])
  await dialog.getByRole('button', { name: 'Acknowledge' }).click()
  await page.getByText('No alarm is open, but too much').waitFor()
  assert.ok(asked.includes('/performance/acknowledge?reason=care'))
  await close()
})
