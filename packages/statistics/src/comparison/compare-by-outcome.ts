/**
 * Two models on the same patients whose outcome is known: whom the second flags more or less than the first, by outcome, and what that is
 * worth at a threshold. There is no sum of the two reclassification indices: it hides which side pays, and rises for useless models.
 */
import { NORMAL_95 } from '../numbers/chi-square.ts'
import { type Interval, type PairedCounts, pairedDifference } from './paired-shares.ts'

/** Counts of patients with a known outcome; `up` are flagged by the second model only, `down` by the first only. */
export interface OutcomeMoves {
  readonly events: PairedCounts
  readonly others: PairedCounts
}

/** Patients whose outcome is not known: how many, and how many of them the models flag differently. */
export interface Unsent extends PairedCounts {
  /** Others, of whom nothing came: not even whom the models flag. 0 where it is absent. */
  readonly notSent?: number
}

export interface Reclassification {
  /** Among events: flagged more often, as a share. Above 0 the second finds more of them. */
  readonly events: Interval
  /** Among others: flagged less often, as a share. Above 0 the second spares more of them. */
  readonly others: Interval
}

/** With an exponent below 1, for patients who come back, intervals are as wide as with that share of the outcomes. */
export function reclassification({ events, others }: OutcomeMoves, eta = 1): Reclassification {
  return {
    events: widenedShare(pairedDifference(events), eta),
    others: widenedShare(pairedDifference({ of: others.of, up: others.down, down: others.up }), eta),
  }
}

/**
 * The net benefit of the second model less that of the first, for each patient, with Wald's interval. `threshold` is the risk at which a
 * flag is worth its cost, also where each model has a threshold of its own. NaN where there is nobody.
 */
export function netBenefitDifference(moves: OutcomeMoves, threshold: number, eta = 1): Interval {
  const { events, others } = moves
  const cost = costAt(threshold)
  const total = events.of + others.of
  const value = gainOf(moves, cost) / total
  const counts = [events.up, events.down, others.up, others.down]
  // A count of 0 would have no variance. Half a patient more in each only widens the interval.
  const more = counts.includes(0) ? 1 : 0
  const squares = events.up + events.down + more + cost * cost * (others.up + others.down + more)
  const error = Math.sqrt(Math.max(0, squares - total * value * value)) / total
  return widened({ value, from: value - NORMAL_95 * error, to: value + NORMAL_95 * error }, eta)
}

/** The difference of net benefit at the two worst completions: all outcomes that were not sent speak against the second, or for it. */
export interface NetBenefitBounds {
  readonly least: Interval
  readonly most: Interval
}

export function netBenefitBounds(
  { events, others }: OutcomeMoves,
  unsent: Unsent,
  threshold: number,
  eta = 1,
): NetBenefitBounds {
  const same = unsent.of - unsent.up - unsent.down
  const { notSent = 0 } = unsent
  // At worst these weigh most: an event is worth more than a needless flag below a threshold of one half.
  const asEvents = costAt(threshold) <= 1 ? notSent : 0
  const asOthers = notSent - asEvents
  const againstEvents = unsent.down + asEvents
  const againstOthers = unsent.up + asOthers
  const forEvents = unsent.up + asEvents
  const forOthers = unsent.down + asOthers
  // Whom both models flag alike changes no gain, so it does not matter where they count.
  const against = {
    events: { ...events, of: events.of + againstEvents, down: events.down + againstEvents },
    others: { ...others, of: others.of + againstOthers + same, up: others.up + againstOthers },
  }
  const inFavour = {
    events: { ...events, of: events.of + forEvents, up: events.up + forEvents },
    others: { ...others, of: others.of + forOthers + same, down: others.down + forOthers },
  }
  return {
    least: netBenefitDifference(against, threshold, eta),
    most: netBenefitDifference(inFavour, threshold, eta),
  }
}

/**
 * What can be said of the second model. `better` and `worse` hold whatever the outcomes that were not sent are; `betterIfAlike` and
 * `worseIfAlike` hold if they are like those that were sent; `open`: the interval includes no difference.
 */
export type ComparisonVerdict = 'better' | 'betterIfAlike' | 'open' | 'worseIfAlike' | 'worse'

export interface Comparison extends Reclassification {
  readonly netBenefit: Interval
  readonly bounds: NetBenefitBounds
  readonly verdict: ComparisonVerdict
}

export function compareByOutcome(
  moves: OutcomeMoves,
  unsent: Unsent,
  threshold: number,
  eta = 1,
): Comparison {
  const netBenefit = netBenefitDifference(moves, threshold, eta)
  const bounds = netBenefitBounds(moves, unsent, threshold, eta)
  return { ...reclassification(moves, eta), netBenefit, bounds, verdict: verdictOn(netBenefit, bounds) }
}

function verdictOn(sent: Interval, { least, most }: NetBenefitBounds): ComparisonVerdict {
  if (sent.from > 0) return least.from > 0 ? 'better' : 'betterIfAlike'
  if (sent.to < 0) return most.to < 0 ? 'worse' : 'worseIfAlike'
  return 'open'
}

/** How many events are worth one needless flag, at the threshold. */
function costAt(threshold: number): number {
  return threshold / (1 - threshold)
}

function gainOf({ events, others }: OutcomeMoves, cost: number): number {
  return events.up - events.down - cost * (others.up - others.down)
}

function widened({ value, from, to }: Interval, eta: number): Interval {
  const times = 1 / Math.sqrt(eta)
  return { value, from: value - (value - from) * times, to: value + (to - value) * times }
}

/** The difference of two shares stays between −1 and 1. */
function widenedShare(interval: Interval, eta: number): Interval {
  const { value, from, to } = widened(interval, eta)
  return { value, from: Math.max(-1, from), to: Math.min(1, to) }
}
