/** The figures of parts of the data: groups and how far they differ, sites or years, and other assumptions. */
import type { Estimate } from '../figures/predictions.ts'
import type { Difference, Subgroup } from '../figures/subgroups.ts'
import { escapeText, figure, interval, share, table, whole } from './parts.ts'
import { forestBar } from './plots.ts'
import type { Report } from './report.ts'

export function subgroupSection({ subgroups, differences = [], sensitivity = [], model }: Report): string {
  const groups =
    subgroups.length === 0
      ? ''
      : `<h2>Does it hold for everybody?</h2>
<p>A part of the data with fewer than ten events, or fewer than ten without, gets no figures: they would mislead.</p>
${partTable('', subgroups, model.threshold)}
${differenceTable(differences)}`
  const others =
    sensitivity.length === 0
      ? ''
      : `<h2>What if other assumptions were made?</h2>\n${partTable('', sensitivity, model.threshold)}`
  return `${groups}\n${others}`
}

export function splitSection({ split, model }: Report): string {
  if (split === undefined) return ''
  const { by, how, parts, pooled } = split
  const about =
    pooled === undefined
      ? ''
      : `Pooled over the parts: c-statistic ${figure(pooled.cStatistic.value, 3)} (${interval(pooled.cStatistic, 3)}), slope ${figure(pooled.slope.value, 3)} (${interval(pooled.slope, 3)}); between parts the slope varies by ± ${figure(pooled.slope.between, 3)}.`
  return `<h2>Does it hold elsewhere, and later?</h2>
<p>Each value of ${escapeText(by)} on its own, ${how}. ${about}</p>
${partTable('', parts, model.threshold)}`
}

/** A forest of the c-statistic and of calibration in the large, with the other figures beside them. */
function partTable(caption: string, parts: readonly Subgroup[], threshold: number | undefined): string {
  const known = parts.flatMap(({ figures }) => (figures === undefined ? [] : [figures]))
  const cAxis = axisOf(
    known.map(({ cStatistic }) => cStatistic),
    0.5,
    0.8,
  )
  const largeAxis = axisOf(
    known.map(({ inTheLarge }) => inTheLarge),
    -0.2,
    0.2,
  )
  const rows: string[][] = []
  const heads = new Set<number>()
  let by = ''
  for (const part of parts) {
    if (part.by !== by) {
      by = part.by
      heads.add(rows.length)
      rows.push([escapeText(by), ...Array.from({ length: 9 }, () => '')])
    }
    rows.push(partRow(part, cAxis, largeAxis))
  }
  const flagged = threshold === undefined ? 'Flagged' : `Flagged at ${share(threshold)}`
  const span = ([low, high]: Axis): string => `${figure(low, 2)} to ${figure(high, 2)}`
  const head = [
    '',
    'Rows',
    'Events',
    'c-statistic',
    span(cAxis),
    'In the large',
    span(largeAxis),
    'Slope',
    flagged,
    'Sensitivity',
  ]
  return table(caption, head, rows, (row) => (heads.has(row) ? 'head' : ''))
}

type Axis = readonly [number, number]

function axisOf(spans: readonly Estimate[], low: number, high: number): Axis {
  return [Math.min(low, ...spans.map(({ from }) => from)), Math.max(high, ...spans.map(({ to }) => to))]
}

function partRow({ level, rows, events, figures }: Subgroup, cAxis: Axis, largeAxis: Axis): string[] {
  const head = [escapeText(level), whole(rows), whole(events)]
  if (figures === undefined) return [...head, 'too few', '', '', '', '', '', '']
  const { cStatistic, inTheLarge, slope, atThreshold, sensitivity } = figures
  return [
    ...head,
    withInterval(cStatistic, 3),
    forestBar(cStatistic, cAxis, 0.5),
    withInterval(inTheLarge, 2),
    forestBar(inTheLarge, largeAxis, 0),
    withInterval(slope, 2),
    atThreshold === undefined ? '–' : share(atThreshold.flagged),
    sensitivity === undefined
      ? '–'
      : `${share(sensitivity.value)} (${figure(100 * sensitivity.from, 0)} to ${figure(100 * sensitivity.to, 0)})`,
  ]
}

function differenceTable(differences: readonly Difference[]): string {
  if (differences.length === 0) return ''
  const points = (estimate: Estimate | undefined): string =>
    estimate === undefined
      ? '–'
      : `${figure(100 * estimate.value, 1)} (${figure(100 * estimate.from, 1)} to ${figure(100 * estimate.to, 1)})`
  return table(
    'How far groups differ: sensitivity and specificity in percentage points, calibration in log odds, with 95 % intervals by patient',
    ['', 'Compared with', 'Sensitivity', 'Specificity', 'Calibration in the large'],
    differences.map(({ by, level, reference, sensitivity, specificity, inTheLarge }) => [
      `${escapeText(by)}: ${escapeText(level)}`,
      escapeText(reference),
      points(sensitivity),
      points(specificity),
      withInterval(inTheLarge, 2),
    ]),
  )
}

function withInterval(estimate: Estimate, decimals: number): string {
  return `${figure(estimate.value, decimals)} (${interval(estimate, decimals)})`
}
