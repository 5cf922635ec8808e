/** Tree models in the page: the trees in words, contributions and the curve of one value. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { ModelDefinition } from 'patient-risk-engine/definition'
import {
  risksOf,
  treeRecords,
  type TreeRecord,
  writeTreeFolder,
} from '../../../../../test/support/tree-folder.ts'
import { CLINICAL_ROOT, testCatalog } from '../../../../../test/support/serve.ts'
import { axeFaults, goTo, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'
import { until } from '../../../../../test/support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'tree-models-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const models = writeTreeFolder(folder, testCatalog())
const modelOf = (id: string): ModelDefinition => models.find((model) => model.id === id) as ModelDefinition

const { served, open, openSignedIn } = await useWorkbench({
  clinical: [CLINICAL_ROOT, folder],
  deployments: models.map(({ id }, index) => {
    return { name: id, basePath: index === 0 ? '/' : `/${id}`, model: id, output: 'number' }
  }),
})

const TREE = "document.querySelector('.trees > .tree')?.textContent"

test('few trees are shown whole, of many one is chosen by its number', async () => {
  const { page, close } = await openSignedIn('model')
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.selectOption('.deployment select', 'trees-few')
  await page.getByText('Tree 3', { exact: true }).waitFor()
  assert.equal(await page.locator('.few-trees > figure').count(), 3)
  await page.selectOption('.deployment select', 'trees-gaps')
  const shown = page.locator('.trees > .tree')
  const number = page.getByLabel('Tree, from 1 to 50')
  await number.waitFor()
  await shown.waitFor()
  const first = (await shown.textContent()) ?? ''
  await page.getByRole('button', { name: 'Next' }).click()
  await until(async () => ![undefined, first].includes(await page.evaluate<string | undefined>(TREE)))
  const answered = page.waitForResponse((response) => response.url().endsWith('/model/trees/50'))
  await number.fill('50')
  await answered
  await shown.waitFor()
  assert.equal(await page.getByRole('button', { name: 'Next' }).isDisabled(), true)
  await number.fill('51')
  await number.fill('1')
  await until(async () => (await page.evaluate(TREE)) === first)
  const numbers = asked.filter((path) => path.includes('/trees/')).map((path) => path.split('/').at(-1))
  // A change of the deployment may draw the view twice.
  const fetched = numbers.filter((each, at) => each !== numbers[at - 1])
  assert.deepEqual(fetched, ['1', '2', '50', '1'], 'a tree is fetched when it is shown, and no other')
  assert.doesNotMatch(
    (await page.locator('article.model').textContent()) ?? '',
    /NaN|undefined|null|\[object/,
  )
  await close()
})

test('a tree of another model is never shown', async () => {
  const { page, close } = await openSignedIn('model')
  await page.selectOption('.deployment select', 'trees-fifty')
  await page.locator('.trees > .tree').waitFor()
  const other = await page.locator('.trees > .tree').textContent()
  await page.selectOption('.deployment select', 'trees-gaps')
  await page.getByRole('heading', { level: 1, name: 'Example trees-gaps' }).waitFor()
  await page.locator('.trees > .tree').waitFor()
  assert.notEqual(await page.locator('.trees > .tree').textContent(), other)
  await close()
})

for (const [width, locale] of [
  [360, 'en-GB'],
  [768, 'es-ES'],
  [1280, 'en-GB'],
] as const) {
  test(`trees at ${width} px in ${locale}: nothing runs over, and axe finds nothing`, async () => {
    const { page, close } = await open({ viewport: { width, height: 900 }, locale })
    await signIn(page, served.key)
    for (const id of ['trees-few', 'trees-gaps']) {
      await page.selectOption('.deployment select', id)
      await goTo(page, 'model')
      await page.locator('.trees .tree').first().waitFor()
      assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, id)
      assert.deepEqual(await axeFaults(page), [], id)
    }
    if (locale === 'es-ES') await page.getByText('en otro caso').first().waitFor()
    await close()
  })
}

test('contributions by input, a gap that the trees tell apart, and a curve of answers', async () => {
  const { page, close } = await openSignedIn()
  for (const id of ['trees-gaps', 'trees-cox']) {
    const model = modelOf(id)
    const record = treeRecords(testCatalog(), model, 20, 9).find(({ sex }) => sex === undefined) as TreeRecord
    const [risk = 0] = risksOf(testCatalog(), model, [record])
    await page.selectOption('.deployment select', id)
    await goTo(page, 'patient')
    await page.click('.view-head .actions button')
    for (const [field, value] of Object.entries(record)) await enter(page, field, value)
    await page.getByText(`${risk.toFixed(4)}, rounded to four decimals`).waitFor()
    const reasons = await page.locator('.contributions tbody th').allTextContents()
    assert.equal(reasons.length, Object.keys(model.inputs).length)
    assert.ok(reasons.includes('Sexnot given'), reasons.join('; '))
    assert.ok(!reasons.some((reason) => /power|_total/.test(reason)), reasons.join('; '))
    await page.getByText('Sex is missing or not usable. The model takes its absence into account.').waitFor()
    await page.click('.risk-curve > summary')
    await page.selectOption('.curve-input select', 'age')
    await page.locator('.curve-said', { hasText: `Age ${String(record['age'])} years` }).waitFor()
    await page.click('.curve-body details summary')
    const rows = page.locator('.curve-body tbody tr')
    const ages = (await rows.locator('th').allTextContents()).map(Number)
    const drawn = await rows.locator('td').allTextContents()
    const expected = risksOf(
      testCatalog(),
      model,
      ages.map((age) => ({ ...record, age })),
    )
    assert.ok(ages.length > 50)
    // The curve has the risk before it is rounded to four decimals.
    drawn.forEach((text, at) => {
      const difference = Number(text.replace('%', '')) - (expected[at] as number) * 100
      assert.ok(Math.abs(difference) < 0.0551, `${ages[at]} years: ${text}`)
    })
  }
  await close()
})

/** Presses the button of a value, or types it; a closed card is opened first. */
async function enter(page: Page, field: string, value: unknown): Promise<void> {
  const place = page.locator(`[data-field="${field}"]`)
  if ((await place.count()) === 0) await page.click(`[data-scale="${field.split('_')[0] ?? ''}"] summary`)
  const button = place.locator(`input[type=radio][value="${String(value)}"]`)
  if ((await place.locator('input[type=radio]').count()) > 0) await button.check({ force: true })
  else await place.locator('input').fill(String(value))
}
