/** The report in the model page: a model is fitted, validated and recalibrated as a user does it, deployed, and looked at. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import type { Report } from '@patient-risk/data/learn'
import { SPECIFICATION, csvOf, inventRows } from '../../../../../test/support/learning.ts'
import { CLINICAL_ROOT, type Served, serve } from '../../../../../test/support/serve.ts'
import { closeAll, openBrowser } from '../../../../../test/support/browser/launch.ts'
import { axeFaults, goTo, openPage, signIn } from '../../../../../test/support/browser/open-page.ts'

const BIN = fileURLToPath(new URL('../../../../../bin/patient-risk.js', import.meta.url))

let folder: string
let served: Served
let browser: Browser
before(async () => {
  browser = await openBrowser()
  folder = mkdtempSync(join(tmpdir(), 'workbench-report-'))
  const clinical = join(folder, 'clinical')
  const specification = write('specification.json', JSON.stringify(SPECIFICATION))
  const data = write('rows.csv', csvOf(inventRows(4_000, 7)))
  // Half of the events are gone, so that every risk is too high and a recalibration has something to do.
  const later = inventRows(3_000, 8).map(
    (row) => ({ ...row, died: row.patient % 2 === 0 ? row.died : 0 }) as const,
  )
  const laterData = write('later.csv', csvOf(later))
  learn('fit', '--specification', specification, '--data', data, '--out', clinical)
  const work = ['--model', 'invented@1.0.0', '--data', laterData, '--specification', specification]
  learn('recalibrate', ...work, '--version', '1.1.0', '--out', clinical)
  validateBeside(clinical, data, laterData)
  served = await serve({
    clinical: [CLINICAL_ROOT, clinical],
    deployments: [
      { name: 'invented', basePath: '/', model: 'invented@1.0.0', output: 'number' },
      { name: 'again', basePath: '/again', model: 'invented@1.1.0', output: 'number' },
      { name: 'later', basePath: '/later', model: 'invented@1.2.0', output: 'number' },
      { name: 'lace', basePath: '/lace', model: 'lace', output: 'number' },
    ],
  })
})
after(async () => {
  await closeAll(browser, served)
  rmSync(folder, { recursive: true })
})

test('a fitted model shows the figures of its report as drawings and tables, and gives it away whole', async () => {
  const { figures, subgroups } = reportOf('1.0.0')
  const { page, close } = await openModel('invented')
  const report = page.locator('.report')
  await report.getByText('from the data that the model was fitted to').waitFor()

  const tile = report.locator('.figure-box', { hasText: 'c-statistic' })
  assert.match((await tile.textContent()) ?? '', new RegExp(figures.cStatistic.value.toFixed(3)))
  assert.equal(
    await report.locator('figure .decile circle').count(),
    figures.groups.length + 1,
    'and its legend',
  )
  assert.equal(await report.locator('figure .chart[role=img] .curve').count(), 3)
  assert.equal(await report.locator('.chart[role=img] .band').count(), 1)
  assert.equal(await report.locator('.before').count(), 0)
  const named = page.getByRole('img', { name: /Calibration: .* On average .*% predicted and .*% observed/ })
  assert.equal(await named.count(), 1, 'the drawing says in words what it shows')

  assert.deepEqual(
    await cellsOf(page, 'What would a threshold'),
    figures.thresholds.map((each) => [
      shareText(each.flagged),
      shareText(each.sensitivity),
      shareText(each.specificity),
      shareText(each.positiveValue),
      shareText(each.negativeValue),
      each.netBenefit.toFixed(4),
    ]),
  )
  assert.match((await report.locator('tr.own th').textContent()) ?? '', /^30\.0% in use$/)
  await report.locator('summary').click()
  const groups = await cellsOf(page, 'The groups as a table')
  assert.deepEqual(
    groups.map(([rows]) => Number(rows?.replace(',', ''))),
    figures.groups.map(({ rows }) => rows),
  )
  const forests = subgroups.filter((group) => group.figures !== undefined).length
  const subgroupTable = report.locator('[aria-labelledby=subgroups-title] table').first()
  assert.equal(await subgroupTable.locator('.forest').count(), 2 * forests, 'c-statistic and calibration')
  assert.deepEqual(await axeFaults(page), [])

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.click('button:has-text("Download the whole report")'),
  ])
  assert.equal(download.suggestedFilename(), 'invented-1.0.0-report.html')
  assert.equal(
    readFileSync(await download.path(), 'utf8'),
    readFileSync(fileOf('1.0.0', 'report.html'), 'utf8'),
  )
  await close()
})

test('a recalibrated model shows what was changed and which patients are reclassified', async () => {
  const { recalibration, warnings } = reportOf('1.1.0')
  const { page, close } = await openModel('again')
  const report = page.locator('.report')
  await report.getByText('Recalibrated from invented@1.0.0').waitFor()
  assert.equal(await report.locator('.chart[role=img] .before').count(), 2)
  const { events, others } = recalibration?.reclassification ?? {}
  assert.deepEqual(
    (await cellsOf(page, 'Who moves')).map((row) =>
      row.slice(1).map((cell) => Number.parseInt(cell.replace(',', ''), 10)),
    ),
    [events, others].map((moves) => [moves?.stayNo, moves?.toYes, moves?.toNo, moves?.stayYes]),
  )
  const file = readFileSync(fileOf('1.1.0', 'report.html'), 'utf8')
  const textsIn = (tag: string): readonly string[] =>
    [...file.matchAll(new RegExp(`<${tag}[ >][^<]*`, 'g'))].map(([text]) => text.replace(/^[^>]*>/, ''))
  assert.deepEqual(await report.locator('h3').allTextContents(), textsIn('h2'), 'every section of the file')
  assert.deepEqual(await report.locator('caption').allTextContents(), textsIn('caption'), 'and every table')
  const inEnglish = (warnings ?? []).map((text) => text.replaceAll(/(\d) %/g, '$1%'))
  assert.deepEqual(await report.locator('.notice.warn').allTextContents(), inEnglish)
  await close()
})

test('a validation that was written beside a model stands in its page, with intervals by patient', async () => {
  const { intervals, figures } = reportOf('1.2.0')
  assert.ok(intervals !== undefined)
  const { page, close } = await openModel('later')
  const report = page.locator('.report')
  await report.getByText(/^Validated on .* against labelled data/).waitFor()
  const [from, to] = intervals.cStatistic
  const tile = (await report.locator('.figure-box', { hasText: 'c-statistic' }).textContent()) ?? ''
  // What another model, fitted to these data, would do is not said of this one.
  assert.equal(
    tile,
    `c-statistic${figures.cStatistic.value.toFixed(3)}95% interval ${from.toFixed(3)} to ${to.toFixed(3)}; 0.5 is chance`,
  )
  await close()
})

test('in Spanish; and hidden where a model has no report', async () => {
  const { page, close } = await openModel('invented', 'es-ES')
  await page.getByRole('heading', { name: 'Cómo le fue con datos de desenlace conocido' }).waitFor()
  await page.getByRole('heading', { name: '¿Sirve para todos?' }).waitFor()
  await page.getByRole('rowheader', { name: '50 a 64', exact: true }).waitFor()
  await page.selectOption('.deployment select', 'lace')
  await page.getByRole('heading', { name: 'LACE' }).waitFor()
  assert.equal(await page.locator('.report').count(), 0)
  await close()
})

/** As the guide says it: a model, and the report of a later validation in its folder. */
function validateBeside(clinical: string, data: string, laterData: string): void {
  const changed = { ...SPECIFICATION, model: { ...SPECIFICATION.model, version: '1.2.0' } }
  const specification = write('second.json', JSON.stringify(changed))
  learn('fit', '--specification', specification, '--data', data, '--out', clinical)
  const deployments = [{ name: 'own', basePath: '/', model: 'invented@1.2.0', output: 'number' }]
  const config = write('config.json', JSON.stringify({ clinical: [clinical], deployments }))
  const words = ['--model', 'invented@1.2.0', '--data', laterData, '--specification', specification]
  const report = join(clinical, 'models', 'invented@1.2.0', 'report')
  const all = [BIN, 'learn', 'validate', ...words, '--samples', '20', '--report', report]
  execFileSync(process.execPath, all, { stdio: 'pipe', env: { ...process.env, CONFIG: config } })
}

async function openModel(
  deployment: string,
  locale = 'en-GB',
): Promise<{ page: Page; close: () => Promise<void> }> {
  const { page, close } = await openPage(browser, served.origin, { locale })
  await signIn(page, served.key)
  await page.selectOption('.deployment select', deployment)
  await goTo(page, 'model')
  await page.waitForSelector('#subgroups-title')
  return { page, close }
}

const PERCENT = new Intl.NumberFormat('en-GB', { style: 'percent', minimumFractionDigits: 1 })

/** JSON has no word for a share of nothing. */
function shareText(share: number | null): string {
  return share === null ? '–' : PERCENT.format(share)
}

/** The cells of a table, row by row, without the names of the rows. */
async function cellsOf(page: Page, caption: string): Promise<readonly (readonly string[])[]> {
  const rows = await page.locator('.report table', { hasText: caption }).locator('tbody tr').all()
  return Promise.all(rows.map((row) => row.locator('td').allTextContents()))
}

function fileOf(version: string, name: string): string {
  return join(folder, 'clinical', 'models', `invented@${version}`, name)
}

function reportOf(version: string): Report {
  return JSON.parse(readFileSync(fileOf(version, 'report.json'), 'utf8')) as Report
}

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

function learn(...words: readonly string[]): void {
  execFileSync(process.execPath, [BIN, 'learn', ...words], { stdio: 'pipe' })
}
