/** The report as a file: it needs nothing else, says what the JSON says, and shows nothing that it was not given. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { type MonitorReport, fitModel, type Report } from '@patient-risk/data/learn'
import { loadRenderer } from 'patient-risk/cli'
import type { Monitoring } from '../src/shapes/monitoring.ts'
import type { Report as ShownReport } from '../src/shapes/report.ts'
import { SPECIFICATION, csvOf, fileWith, fitInput, inventRows } from '../../../test/support/learning.ts'

const { renderReport: reportPage, renderMonitoring: monitorPage } = await loadRenderer()

// The compiler holds the two shapes together: the page takes whatever the command writes.
const shown = (report: Report): ShownReport => report
const shownMonths = (report: MonitorReport): Monitoring => report

const [header = '', ...lines] = csvOf(inventRows(800, 3)).trimEnd().split('\n')
const sites = lines.map((line, index) => `${line},${index % 2 === 0 ? 'North & <b>South</b>' : 'West'}`)
const path = fileWith('rows.csv', `${[`${header},site`, ...sites].join('\n')}\n`)
const data = { ...SPECIFICATION.data, groups: ['site'], splitBy: 'site' }
const { report } = await fitModel(fitInput(path, { data, fit: { bootstrap: 5 } }))
const page = reportPage(report)

test('a report needs no script, no address and no other file', () => {
  assert.match(page, /^<!doctype html>\n<html lang="en">/)
  assert.doesNotMatch(page, /<script|<link|https?:|url\(|@import|onclick/)
})

test('words of the data are shown as text', () => {
  assert.ok(page.includes('North &amp; &lt;b>South&lt;/b>'))
  assert.ok(!page.includes('<b>South'))
})

test('every part of the report has its section', () => {
  const parts = shown(report)
  assert.ok(parts.split !== undefined && parts.optimism !== undefined && parts.fit !== undefined)
  assert.deepEqual(
    [...page.matchAll(/<h2 id="(\w+)-title">/g)].map(([, id]) => id),
    ['data', 'calibration', 'thresholds', 'subgroups', 'split', 'resampling', 'fit'],
  )
  for (const { name } of parts.fit.coefficients)
    assert.ok(page.includes(`<th scope="row">${name}</th>`), name)
})

test('warnings come before the first section', () => {
  const warned = reportPage({ ...report, warnings: ['Too few <events>.'] })
  const at = warned.indexOf('Too few &lt;events>.')
  assert.ok(at > 0 && at < warned.indexOf('<h2'))
})

test('a figure that cannot be worked out is a dash', () => {
  const { figures } = report
  const slope = { value: Number.NaN, error: Number.NaN, from: Number.NaN, to: Number.NaN }
  const changed = { ...report, figures: { ...figures, calibration: { ...figures.calibration, slope } } }
  assert.match(reportPage(changed), /<dt>Calibration slope<\/dt><dd>–<\/dd>/)
  assert.doesNotMatch(reportPage(changed), /NaN|null|undefined/)
})

test('the language and region of the machine change nothing', () => {
  const script = `import { renderReport } from './packages/workbench/built/report/render-report.js'
    process.stdout.write(renderReport(JSON.parse(process.env.REPORT)))`
  const env = { ...process.env, LC_ALL: 'es_ES.UTF-8', REPORT: JSON.stringify(report) }
  const words = ['--input-type=module', '--eval', script]
  assert.equal(execFileSync(process.execPath, words, { encoding: 'utf8', env }), page)
})

test('a monitoring report draws both charts, and marks the months outside the limits', () => {
  const month = (name: string, isOut: boolean): MonitorReport['months'][number] => ({
    month: name,
    rows: 1200,
    events: 100,
    meanPredicted: 0.1,
    observed: 0.0833,
    inTheLarge: { value: isOut ? -0.9 : 0.1, low: -0.3, high: 0.3, isOut },
    evidence: 12.34,
  })
  const few = { month: '2026-03', rows: 9, events: 0, meanPredicted: 0.1, observed: 0, evidence: 1 }
  const months = [month('2026-01', false), month('2026-02', true), few]
  const monitored = shownMonths({
    expectedC: 0.7,
    limit: 2_400,
    eta: 1,
    months,
    alarms: ['2026-02: <it> is low'],
  })
  const text = monitorPage(monitored)
  assert.equal([...text.matchAll(/<svg class="chart" /g)].length, 2)
  assert.match(text, /Calibration in the large by month: 1 of 3 outside the limits\./)
  assert.match(text, /2026-02: &lt;it> is low/)
  assert.match(text, /<td class="figure">−0\.900 \*<\/td>/)
  assert.match(text, /<td class="figure">12\.3<\/td>/)
  assert.match(text, /2026-03.*too few/)
})
