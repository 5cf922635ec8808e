/** The figures of a report in a few lines for the terminal. */
import type { Drift } from '@patient-risk/monitor'
import type { Estimate } from '@patient-risk/statistics'
import {
  integer,
  percent,
  signed,
  type Subgroup,
  type Limited,
  type MonitorReport,
  type Power,
  type Report,
} from '@patient-risk/data/learn'
import { textTable } from '../command.ts'
import type { LearnContext } from './learn-command.ts'

export type Line = readonly [name: string, text: string]

function summary(report: Report): string {
  const { figures, data, model, split, sensitivity = [], optimism, intervals, recalibration } = report
  const { calibration, brier } = figures
  const missing = data.missing.filter(({ share }) => share > 0)
  const patients = `${integer(figures.patients)} patients, ${integer(figures.events)} events (${percent(figures.events / figures.rows, 2)})`
  const rows: Line[] = [
    ['model', `${model.id}@${model.version}`],
    ['data', `${integer(data.used)} of ${integer(data.read)} ${data.noun} used, ${patients}`],
    ...data.leftOut.map(({ reason, rows: count }): Line => ['left out', `${integer(count)}: ${reason}`]),
    ...(data.assumed ?? []).map((each): Line => ['assumed', `${integer(each.rows)}: ${each.input} missing`]),
    ['c-statistic', interval(figures.cStatistic, 4)],
    ['Brier', `${brier.value.toFixed(5)}, scaled ${brier.scaled.toFixed(4)}`],
    [
      'mean risk',
      `${calibration.meanPredicted.toFixed(4)} predicted, ${calibration.observed.toFixed(4)} observed`,
    ],
    ['in the large', interval(calibration.inTheLarge, 3)],
    ['slope', interval(calibration.slope, 3)],
    ...missing.map(({ input, share }): Line => ['missing', `${percent(share, 1)}: ${input}`]),
    ...sensitivity.map((part) => partLine({ ...part, level: `${part.by}, ${part.level}` }, 'if')),
  ]
  if (split !== undefined) {
    const { by, how, parts, pooled } = split
    rows.push(['split', `by ${by}, ${how}`], ...parts.map((part) => partLine(part, '')))
    if (pooled !== undefined) {
      const estimates = `c ${interval(pooled.cStatistic, 3)}, slope ${interval(pooled.slope, 2)}`
      rows.push(['pooled', `${estimates}, between parts ± ${pooled.slope.between.toFixed(2)}`])
    }
  }
  if (optimism !== undefined) {
    const { cStatistic, brier: score, scaledBrier, slope, samples, seed } = optimism
    const what = optimism.of === 'recalibration' ? 'recalibrated' : 'fitted'
    const found = `c-statistic ${cStatistic.optimism.toFixed(4)}, Brier ${score.optimism.toFixed(5)}, slope ${slope.optimism.toFixed(3)}`
    const corrected = `c-statistic ${cStatistic.corrected.toFixed(4)}, Brier ${score.corrected.toFixed(5)}, scaled ${scaledBrier.corrected.toFixed(4)}, slope ${slope.corrected.toFixed(3)}`
    rows.push(['optimism', `${found}: ${what} again in ${samples} samples of patients, seed ${seed}`])
    rows.push(['corrected', corrected])
    if (optimism.ownData === false) rows.push(['', OTHER_DATA])
  }
  for (const reason of report.uncorrected ?? []) rows.push(['uncorrected', reason])
  if (intervals !== undefined) {
    const { cStatistic, slope, samples, seed } = intervals
    const spans = `c-statistic ${span(cStatistic, 4)}, slope ${span(slope, 3)}`
    rows.push(['by patient', `${spans} (${samples} samples, seed ${seed})`])
  }
  if (recalibration !== undefined) {
    const { before, method, chosenBy, test, power = [] } = recalibration
    const steps = test.comparisons.map(
      ({ against, statistic, degrees, pValue }) =>
        `${against} χ² ${statistic.toFixed(1)} on ${degrees}, p ${pValue < 0.0001 ? '< 0.0001' : pValue.toFixed(4)}`,
    )
    const tested = chosenBy === 'user' ? '' : ` (against ${test.full}: ${steps.join('; ')})`
    const slope = `slope ${before.calibration.slope.value.toFixed(3)}, Brier ${before.brier.value.toFixed(5)}`
    rows.push(['method', `${method}, by ${chosenBy}${tested}`])
    rows.push(...power.map((each, k): Line => [k === 0 ? 'power' : '', powerText(each, figures.events)]))
    rows.push(['before', `mean risk ${before.calibration.meanPredicted.toFixed(4)}, ${slope}`])
  }
  return linesText(rows)
}

export function linesText(rows: readonly Line[]): string {
  return rows.map(([name, text]) => `  ${name.padEnd(13)}${text}\n`).join('')
}

function powerText({ change, by, power, events }: Power, has: number): string {
  const what = change === 'slope' ? `a slope of ${by}` : `odds × ${by}`
  const needed = events === undefined ? 'no number of events would' : `80 % needs ${integer(events)} events`
  return `${what} is found with ${percent(power, 0)}; ${needed} (here ${integer(has)})`
}

const OTHER_DATA =
  'of a refit to these data; this model was made from others, so its own figures need no correction'

/** The summary, or the report as JSON. Warnings go to standard error, so that they show where the output is redirected. */
export function printReport({ print }: Pick<LearnContext, 'print'>, report: Report, isJson = false): void {
  print(summary(report), isJson && report)
  printWarnings(report.warnings)
}

export function printWarnings(warnings: readonly string[] = []): void {
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`)
}

function partLine({ level, rows, events, figures }: Subgroup, name: string): Line {
  if (figures === undefined)
    return [name, `${level}: ${integer(rows)} rows, ${integer(events)} events, too few for figures`]
  const { cStatistic, inTheLarge, slope } = figures
  const text = `c ${interval(cStatistic, 3)}, in the large ${interval(inTheLarge, 2)}, slope ${interval(slope, 2)}`
  return [name, `${level}: ${text}`]
}

export function driftTable(drift: Drift): string {
  const word = (index: number, moved: boolean): string => {
    if (moved) return 'moved'
    return Number.isNaN(index) ? 'no value' : 'steady'
  }
  const rows = drift.inputs.map(({ name, index, moved, missing, expectedMissing }) => {
    return [name, index.toFixed(4), word(index, moved), percent(missing, 1), percent(expectedMissing, 1)]
  })
  rows.push(['risk', drift.risk.toFixed(4), word(drift.risk, drift.riskMoved), '', ''])
  const flagged = Number.isNaN(drift.expectedFlagged)
    ? ''
    : `Flagged: ${percent(drift.flagged, 1)} now, ${percent(drift.expectedFlagged, 1)} in development.\n`
  const table = textTable(['INPUT', 'INDEX', 'READING', 'MISSING', 'THEN'], rows)
  return `${table}${flagged}${integer(drift.scored)} of ${integer(drift.records)} records scored.\n`
}

const HEAD = [
  'MONTH',
  'ROWS',
  'EVENTS',
  'PREDICTED',
  'OBSERVED',
  'IN THE LARGE',
  'LIMITS',
  'C',
  'LIMITS',
  'EVIDENCE',
]

export function monitorTable({ months, alarms }: MonitorReport): string {
  const cells = (limited: Limited | undefined): readonly string[] => {
    if (limited === undefined) return ['too few', '']
    const { value, low, high, isOut } = limited
    return [`${figure(value, 3)}${isOut ? ' *' : ''}`, `${figure(low, 3)} to ${figure(high, 3)}`]
  }
  const rows = months.map((each) => [
    each.month,
    String(each.rows),
    String(each.events),
    figure(each.meanPredicted, 4),
    figure(each.observed, 4),
    ...cells(each.inTheLarge),
    ...cells(each.cStatistic),
    each.evidence.toFixed(1),
  ])
  const verdict = alarms.length === 0 ? 'In control.' : `Out of control:\n  ${alarms.join('\n  ')}`
  return `${textTable(HEAD, rows)}${verdict}\n`
}

function figure(value: number, decimals: number): string {
  return Number.isFinite(value) ? signed(value, decimals).replace('-', '−') : '–'
}

export function interval({ value, from, to }: Estimate, decimals: number): string {
  if (Number.isNaN(value)) return 'not defined'
  return `${signed(value, decimals)} (95 % ${span([from, to], decimals)})`
}

export function span([from, to]: readonly [number, number], decimals: number): string {
  return `${from.toFixed(decimals)} to ${to.toFixed(decimals)}`
}
