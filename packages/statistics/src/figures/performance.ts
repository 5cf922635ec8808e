/**
 * How risks did in service, from counts by bin of risk. Bins count with their mean risk, so the figures equal those of `learn validate`
 * up to what a bin of 0.001 hides.
 */
import {
  type Estimate,
  type Predictions,
  eventsOf,
  expit,
  logOdds,
  orderOf,
  rowsOf,
  subset,
  wilson,
} from '../numbers/predictions.ts'
import { estimateAt, fitCalibration } from '../fit/fit-calibration.ts'
import { ifEstimable } from '../fit/logistic.ts'
import { type RiskBin, binsOf } from './bounded-bins.ts'
import { brierScore, meansOf } from './calibration.ts'
import { cStatistic } from './discrimination.ts'
import { type BinCell, type DeathAs, OUTCOME, knownOutcomes } from './outcome-kinds.ts'
import { type RiskGroup, riskGroup, riskGroups } from './risk-groups.ts'
import { type Counts, isEnough } from '../suppression.ts'

export interface PerformanceOptions {
  readonly output: 'number' | 'yes-no'
  readonly threshold: number | null
  /** Where patients come back, intervals are as wide as with this share of the outcomes. */
  readonly eta: number
  /** What a death before the event counts as; left out where it is absent. */
  readonly death?: DeathAs
}

/** A share or another figure with its 95 % interval. */
type Ranged = Omit<Estimate, 'error'>

/** All figures of a part. Those of risks are null for answers of Yes and No; single ones where they cannot be estimated. */
export interface Performance {
  readonly outcomes: number
  readonly events: number
  readonly observed: Ranged
  readonly atThreshold: ReturnType<typeof tableOf> | null
  readonly risks: ReturnType<typeof risksOf> | null
}

/** Events and others; what is not known is in neither. */
export function countsOf(cells: Iterable<BinCell>, death?: DeathAs): Counts {
  const counts = { events: 0, others: 0 }
  for (const { outcome, number } of knownOutcomes(cells, death))
    counts[outcome === OUTCOME.event ? 'events' : 'others'] += number
  return counts
}

export function performanceOf(
  cells: readonly BinCell[],
  options: PerformanceOptions,
  isWhole = false,
): Performance {
  const { output, threshold, eta, death } = options
  const bins = binsOf(cells, death)
  const { events, others } = countsOf(cells, death)
  return {
    outcomes: events + others,
    events,
    observed: shareOf(events, others, eta),
    atThreshold: threshold === null ? null : tableOf(bins, threshold, eta),
    risks: output === 'number' ? risksOf(rowsIn(bins), bins, eta, isWhole) : null,
  }
}

function risksOf(rows: Predictions, bins: readonly RiskBin[], eta: number, isWhole: boolean) {
  // Where all risks are equal there is no slope, and still a mean error.
  const large = ifEstimable(() => estimateAt(fitCalibration(rows, 'intercept'), 0))
  const slope = ifEstimable(() => estimateAt(fitCalibration(rows, 'slope'), 1))
  const { meanPredicted, ratio } = meansOf(rows)
  const events = eventsOf(rows)
  const all = rowsOf(rows)
  // Two rows of one bin count as a tie, whichever had the higher risk.
  const tied = bins.reduce((sum, bin) => sum + bin.events * bin.others, 0) / (events * (all - events))
  const wide = (estimate: Estimate | undefined) => (estimate === undefined ? null : widened(estimate, eta))
  return {
    meanPredicted,
    ratio,
    inTheLarge: wide(large),
    slope: wide(slope),
    brier: brierScore(rows).value,
    cStatistic: { ...widened(cStatistic(rows), eta), bound: tied / 2 },
    ...(isWhole && { groups: shownGroups(rows, eta) }),
  }
}

/** Groups of rising risk as in a report, joined with the next one where a group is too small to be shown. */
function shownGroups(rows: Predictions, eta: number): readonly RiskGroup[] {
  const groups = riskGroups(rows, orderOf(rows.risks))
  /** Where each joined group ends. */
  const ends: number[] = []
  let counts = { events: 0, others: 0 }
  groups.forEach(({ rows: size, events }, index) => {
    counts = { events: counts.events + events, others: counts.others + size - events }
    if (!isEnough(counts)) return
    ends.push(index)
    counts = { events: 0, others: 0 }
  })
  // What is left at the end belongs to the last one.
  ends.splice(-1, 1, groups.length - 1)
  return ends.map((end, at) => {
    const lowest = groups[at === 0 ? 0 : (ends[at - 1] as number) + 1]?.lowest ?? 0
    const highest = groups[end]?.highest ?? 1
    const isIn = (row: number): boolean =>
      (rows.risks[row] as number) >= lowest && (rows.risks[row] as number) <= highest
    const group = riskGroup(subset(rows, isIn), lowest, highest)
    return { ...group, ...wilson(group.observed, group.rows * eta) }
  })
}

/** What a threshold flagged, found and missed. */
function tableOf(bins: readonly (RiskBin & { readonly flagged: number })[], threshold: number, eta: number) {
  const sum = (flagged: number, kind: 'events' | 'others'): number =>
    bins.reduce((total, bin) => total + (bin.flagged === flagged ? bin[kind] : 0), 0)
  const found = sum(1, 'events')
  const missed = sum(0, 'events')
  const falseAlarms = sum(1, 'others')
  const spared = sum(0, 'others')
  const share = (yes: number, no: number) => (yes + no === 0 ? null : shareOf(yes, no, eta))
  return {
    threshold,
    found,
    missed,
    falseAlarms,
    spared,
    sensitivity: share(found, missed),
    specificity: share(spared, falseAlarms),
    positiveValue: share(found, falseAlarms),
    negativeValue: share(spared, missed),
  }
}

/** A row for the events of each bin, and one for its others. */
function rowsIn(bins: readonly RiskBin[]): Predictions {
  const rows = bins.flatMap(({ risk, events, others }) => [
    ...(events > 0 ? [[risk, 1, events] as const] : []),
    ...(others > 0 ? [[risk, 0, others] as const] : []),
  ])
  const counts = Float64Array.from(rows, ([, , count]) => count)
  return {
    risks: Float64Array.from(rows, ([risk]) => (risk > 0 ? expit(logOdds(risk)) : 0)),
    outcomes: Uint8Array.from(rows, ([, outcome]) => outcome),
    clusters: Int32Array.from(rows.keys()),
    weights: counts,
    counts,
  }
}

function shareOf(yes: number, no: number, eta: number): Ranged {
  const value = yes / (yes + no)
  return { value, ...wilson(value, (yes + no) * eta) }
}

function widened({ value, error, from, to }: Estimate, eta: number): Ranged {
  const times = 1 / Math.sqrt(eta)
  return Number.isNaN(error)
    ? { value, from, to }
    : { value, from: value - (value - from) * times, to: value + (to - value) * times }
}
