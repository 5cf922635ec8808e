/** Every model of the catalogue in the page: a worked case of its own from an empty form to its risk, and its card. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { CatalogModel, ModelCaseDefinition } from '@patient-risk/catalog'
import { goTo } from '../../../../../test/support/browser/open-page.ts'
import { testCatalog } from '../../../../../test/support/serve.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const MODELS = [...testCatalog().models.values()]

const { openSignedIn } = await useWorkbench({
  deployments: MODELS.map(({ definition: { id, version } }, index) => ({
    name: id,
    basePath: index === 0 ? '/' : `/${id.toLowerCase()}`,
    model: `${id}@${version}`,
    output: 'number',
  })),
})

test('every model: a patient from empty to a result, and the card', async (context) => {
  const { page, close } = await openSignedIn()
  for (const model of MODELS) await context.test(model.definition.id, () => tryModel(page, model))
  await close()
})

async function tryModel(page: Page, { definition, file }: CatalogModel): Promise<void> {
  const { id, title, terms } = definition
  await page.selectOption('.deployment select', id)
  await page.getByText(definition.card.summary).waitFor()
  await page.click('.view-head .actions button')
  await page.getByText('The result appears here').waitFor()

  const { record, risk } = workedCase(file)
  for (const [field, value] of Object.entries(record)) await enter(page, field, value)
  await page.getByText(`${risk.toFixed(4)}, rounded to four decimals`).waitFor()
  const figure = (await page.locator('.risk-figure').textContent()) ?? ''
  assert.equal(figure, risk >= 0.9995 ? '> 99.9%' : `${(risk * 100).toFixed(1)}%`)
  assert.equal(await page.locator('.problem').count(), 0, 'a worked case has no problem')
  assert.equal(await page.locator('.jump').count(), 0, 'nothing is still needed')
  const reasons = await page.locator('.contributions tbody th').allTextContents()
  assert.equal(new Set(reasons).size, reasons.length)
  const widths = await page.evaluate<readonly number[]>(
    "[...document.querySelectorAll('.contributions .bar rect')].map((bar) => Number(bar.getAttribute('width')))",
  )
  assert.ok(
    widths.every((width) => width >= 0 && width <= 100),
    'no bar runs over',
  )

  await page.click('.view-head a[href="#/model"]')
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  const drawn = await page.locator('.effect').count()
  const fields = new Set(terms.map((term, index) => ('field' in term ? term.field : `count ${index}`)))
  assert.equal(drawn, fields.size, 'every input that counts is drawn')
  const link = (await page.locator('[aria-labelledby=risk-title] .chart').getAttribute('aria-label')) ?? ''
  assert.match(link, /^Risk by score: [\d.]+% at -?[\d.]+, [\d.]+% at -?[\d.]+\.$/)
  assert.doesNotMatch(
    (await page.locator('article.model').textContent()) ?? '',
    /NaN|undefined|null|\[object/,
  )
  await goTo(page, 'patient')
  await page.getByText(`${risk.toFixed(4)}, rounded to four decimals`).waitFor()
}

interface WorkedCase {
  readonly record: Readonly<Record<string, unknown>>
  readonly risk: number
}

/** The case with the highest risk, so that no term is left at nothing. */
function workedCase(file: string): WorkedCase {
  const cases = JSON.parse(
    readFileSync(join(dirname(file), 'cases.json'), 'utf8'),
  ) as readonly ModelCaseDefinition[]
  const [highest] = cases
    .filter((each) => typeof each.risk === 'number' && each.problems === undefined)
    .toSorted((a, b) => (b.risk ?? 0) - (a.risk ?? 0))
  assert.ok(highest?.risk !== undefined && highest.risk !== null)
  return { record: highest.record, risk: highest.risk }
}

/** Presses the button of a value, or types it; a closed card is opened first. */
async function enter(page: Page, field: string, value: unknown): Promise<void> {
  const place = page.locator(`[data-field="${field}"]`)
  if ((await place.count()) === 0) await page.click(`[data-scale="${field.split('_')[0] ?? ''}"] summary`)
  const button = place.locator(`input[type=radio][value="${String(value)}"]`)
  if ((await place.locator('input[type=radio]').count()) > 0) await button.check({ force: true })
  else await place.locator('input').fill(String(value))
}
