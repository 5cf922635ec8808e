/** The report as a file: it needs nothing else, says what the JSON says, and shows nothing that it was not given. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { type FollowUpReport, type MonitorReport, fitModel, type Report } from '@patient-risk/data/learn'
import { loadRenderer } from 'patient-risk/cli'
import type { FollowUpReport as ShownFollowUp } from '../src/shapes/follow-up.ts'
import type { Monitoring } from '../src/shapes/monitoring.ts'
import type { Report as ShownReport } from '../src/shapes/report.ts'
import { SPECIFICATION, csvOf, fileWith, fitInput, inventRows } from '../../../test/support/learning.ts'

const renderer = await loadRenderer()
const { renderReport: reportPage, renderMonitoring: monitorPage, renderFollowUp: followUpPage } = renderer

// The compiler holds the two shapes together: the page takes whatever the command writes.
const shown = (report: Report): ShownReport => report
const shownTimes = (report: FollowUpReport): ShownFollowUp => report
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

test('a report on times of follow-up shows each reading of a death with its verdict, and dashes for what is not defined', () => {
  const estimate = { value: 0.93, error: 0.1, from: 0.75, to: 1.16 }
  const none = { value: Number.NaN, error: Number.NaN, from: Number.NaN, to: Number.NaN }
  const means = {
    meanRisk: 0.24,
    observed: { ...estimate, value: 0.226, from: 0.18, to: 0.28 },
    ratio: estimate,
  }
  const followed = { events: 62, diedFirst: 30, censored: 53, followed: 155, remaining: 0.77 }
  const reading = {
    ...means,
    followed,
    brier: { value: 0.1596, constant: 0.1751, scaled: 0.0885 },
    inTheLarge: estimate,
    intercept: estimate,
    slope: none,
    area: { value: 0.6874, eventFree: 0.7012 },
    concordance: { harrell: 0.61, uno: 0.62, wolbers: 0.663 },
    groups: [{ ...means, ...followed, rows: 300, lowest: 0.05, highest: 0.5 }],
    parts: [
      { by: 'sex', level: 'F', rows: 200, events: 50, diedFirst: 20, figures: means },
      { by: 'ward', level: '<b>', rows: 100, events: 9, diedFirst: 10 },
    ],
    meanRiskIs: 'fits' as const,
  }
  const report = shownTimes({
    kind: 'follow-up',
    made: '2026-01-01',
    model: { id: 'a', version: '1.0.0', title: 'A', horizonDays: 365, competing: 'unstated' },
    data: {
      file: 'a.csv',
      noun: 'rows',
      outcome: 'An event.',
      read: 300,
      used: 300,
      leftOut: [],
      missing: [],
    },
    patients: 290,
    readings: [
      { ...reading, deathIs: 'none', meaning: 'It is no event', verdict: 'It fits.' },
      { ...reading, deathIs: 'event', meaning: 'It is the event', verdict: 'Too low.', meanRiskIs: 'tooLow' },
    ],
    assumption: 'Nobody is lost for a reason.',
    warnings: ['Too <few>.'],
  })
  const text = followUpPage(report)
  assert.deepEqual(
    [...text.matchAll(/<h2 id="([\w-]+)-title">/g)].map(([, id]) => id),
    ['death-none', 'death-event', 'data'],
  )
  for (const part of [
    'It is no event',
    'It fits.',
    'Too low.',
    'Too &lt;few>.',
    'Nobody is lost',
    'ward: &lt;b>',
  ])
    assert.ok(text.includes(part), part)
  assert.match(text, /Calibration slope<\/th><td class="figure">–</)
  // Wolbers for a death that is no event, Uno and Harrell else.
  assert.deepEqual(
    [...text.matchAll(/\((Wolbers|Uno|Harrell)\)/g)].map(([, name]) => name),
    ['Wolbers', 'Uno', 'Harrell'],
  )
  assert.equal(text.split('>too few<').length - 1, 2)
  assert.doesNotMatch(text, /NaN|null|undefined/)
})
