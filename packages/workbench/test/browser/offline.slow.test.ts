/** The page that works without a service: further deployments, Spanish, trees, damaged files, and other widths. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { GOOD, askPage, bringService, codeOf, compareWithHttp } from './offline-answers.ts'
import { makeOfflinePage, openOffline, pageFolder } from '../../../../test/support/browser/offline-page.ts'
import { axeFaults, fillPatient, goTo } from '../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../test/support/browser/workbench.ts'
import { CLINICAL_ROOT, testCatalog } from '../../../../test/support/serve.ts'
import { writeTreeFolder } from '../../../../test/support/tree-folder.ts'

const READMISSION: DeploymentSettings = {
  name: 'readmission',
  basePath: '/',
  model: 'readmission30',
  output: 'number',
}
const BUILT = new URL('../../built/offline/page.html', import.meta.url)

const folder = pageFolder()
const trees = join(folder, 'trees')
writeTreeFolder(trees, testCatalog())
const OTHERS: readonly DeploymentSettings[] = [
  { name: 'flag', basePath: '/flag', model: 'readmission30', output: 'yes-no', threshold: 0.15 },
  {
    name: 'profund',
    basePath: '/profund',
    model: 'profund',
    output: 'number',
    units: { haemoglobin: 'mmol/L' },
    unknownFields: 'report',
  },
  ...[...testCatalog().models.values()]
    .map(({ definition }) => definition.id)
    .filter((id) => !['readmission30', 'profund'].includes(id))
    .map((id) => ({ name: id, basePath: `/${id}`, model: id, output: 'number' as const })),
  { name: 'trees-gaps', basePath: '/trees-gaps', model: 'trees-gaps', output: 'number' },
]
const { browser, served } = await useWorkbench({
  clinical: [CLINICAL_ROOT, trees],
  deployments: [READMISSION, ...OTHERS],
})
const path = await makeOfflinePage(folder, READMISSION, [trees])

for (const settings of OTHERS) {
  test(`the page answers as HTTP does, to good and faulty records: ${settings.name}`, () =>
    compareWithHttp(browser, served, folder, settings, [trees]))
}

test('a tree is found by its number, as over HTTP', async () => {
  const settings = OTHERS.find(({ name }) => name === 'trees-gaps') ?? READMISSION
  const { page, close } = await openOffline(browser, await makeOfflinePage(folder, settings, [trees]))
  await page.waitForSelector('nav')
  await bringService(page)
  for (const number of ['1', '50', '51', '0', '01', 'x']) {
    const address = `/trees-gaps/risk/api/do/v0/model/trees/${number}`
    const sent = await served.get(address)
    const asked = await askPage(page, address)
    assert.equal(asked.status, sent.status, number)
    if (sent.status === 200) assert.equal(asked.text, sent.text)
  }
  await goTo(page, 'model')
  await page.getByLabel('Tree, from 1 to 50').waitFor()
  await page.locator('.trees > .tree').waitFor()
  await close()
})

test('another digest than its own is refused as the service does, and nothing is scored', async () => {
  const { page, close } = await openOffline(browser, path)
  await page.waitForSelector('nav')
  await bringService(page)
  const body = JSON.stringify([{ idx: 1, ...GOOD }])
  const { text } = await served.get('/risk/api/do/v0/fields')
  const { digest } = JSON.parse(text) as { digest: string }
  const own = `"${digest.slice('sha-256=:'.length, -1)}"`
  for (const [tag, status] of [
    [own, 200],
    ['"another"', 412],
  ] as const) {
    const headers = { 'if-match': tag }
    const asked = await askPage(page, '/risk/api/do/v0', { method: 'POST', body, headers })
    const sent = await served.post(body, { path: '/risk/api/do/v0', headers })
    assert.deepEqual([asked.status, sent.status], [status, status])
    assert.equal(codeOf(asked.text), codeOf(sent.text))
  }
  await close()
})

test('the sentences are in Spanish too', async () => {
  const { page, close } = await openOffline(browser, path, { locale: 'es-ES' })
  await page.waitForSelector('nav')
  const note = await page.locator('.offline-note').innerText()
  for (const part of ['No se envía nada.', 'No hay auditoría ni alarmas.', 'La página no se bloquea'])
    assert.ok(note.includes(part), note)
  await close()
})

test('without activity the page stays as it is: nobody could unlock it', async () => {
  const { page, close } = await openOffline(browser, path)
  await fillPatient(page)
  await page.clock.setFixedTime('2026-03-15T14:00:00Z')
  // Longer than the page looks at its clock.
  await page.waitForTimeout(1_200)
  assert.equal(await page.locator('.risk-figure').count(), 1)
  await close()
})

test('the report of the model is shown, and saved as a page', async () => {
  const { page, close } = await openOffline(browser, path)
  await page.waitForSelector('nav')
  await goTo(page, 'model')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.report .section-head button').click(),
  ])
  assert.match(readFileSync(await file.path(), 'utf8'), /^<!doctype html>/i)
  await close()
})

/** What was done to the file · how · what it says then. */
const CANNOT = 'This page cannot be used'
const DAMAGES: readonly (readonly [name: string, damage: (whole: string) => string, says: string])[] = [
  [
    'a coefficient was edited',
    (whole) => whole.replace('"coefficient":-0.104587', '"coefficient":-0.2'),
    CANNOT,
  ],
  [
    'the unit of a field was edited',
    // The last one is in what the page says of the fields, not in the pack.
    (whole) => whole.replace(/(.*)"unit":"g\/dL"/s, '$1"unit":"mmol/L"'),
    CANNOT,
  ],
  ['a digest was edited', (whole) => whole.replace('"digest":"sha-256=:', '"digest":"sha-256=:A'), CANNOT],
  [
    'the data end early',
    (whole) => whole.replace(/(id="deployment">.{9000}).*?(?=<\/script>)/s, '$1'),
    CANNOT,
  ],
  ['there is no deployment in it', () => readFileSync(BUILT, 'utf8'), CANNOT],
  [
    'its script was edited',
    (whole) => whole.replace('<script type="module">', '$&0;'),
    'This page does not start.',
  ],
]
for (const [name, damage, says] of DAMAGES) {
  test(`a damaged page gives no answer and says so: ${name}`, async () => {
    const whole = readFileSync(path, 'utf8')
    const damaged = damage(whole)
    assert.notEqual(damaged, whole)
    const file = join(folder, 'damaged.html')
    writeFileSync(file, damaged)
    const { page, close } = await openOffline(browser, file)
    await page.getByText(says).waitFor()
    assert.equal(await page.locator('form, nav').count(), 0)
    // The browser reports in the console that it does not run a script with another digest.
    if (says === CANNOT) await close()
    else await assert.rejects(close, /Content Security Policy/)
  })
}

for (const width of [390, 768, 1280]) {
  test(`axe finds nothing, and nothing runs over, at ${width} px in dark colours`, async () => {
    const { page, close } = await openOffline(browser, path, {
      viewport: { width, height: 800 },
      colorScheme: 'dark',
    })
    await fillPatient(page)
    for (const view of ['patient', 'list', 'model'] as const) {
      await goTo(page, view)
      assert.deepEqual(await axeFaults(page), [])
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
    }
    await close()
  })
}
