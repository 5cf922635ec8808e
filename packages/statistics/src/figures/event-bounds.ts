/** What can be said of everybody who was scored when not all outcomes are known: bounds, and what the alarm can still notice. */
import { expit, logOdds } from '../numbers/predictions.ts'
import { countsOfBins } from './alarm-finding.ts'
import type { BoundedBin } from './bounded-bins.ts'

/** The lowest and the highest value that a completion of the outcomes gives; null where it is not finite. */
export interface Bounds {
  readonly from: number | null
  readonly to: number | null
}

/** Whether a change of this size can be noticed: only while at most this share of the outcomes is not known. */
export interface Reach {
  /** The events are this multiple of what the risks give. */
  readonly times: number
  readonly unknownAtMost: number
  readonly canNotice: boolean
}

export interface EventBounds {
  readonly scored: number
  readonly expected: number
  readonly least: number
  readonly most: number
  /** The share of those scored whose outcome is not known. */
  readonly unknown: number
  /** Observed over expected events. */
  readonly ratio: Bounds
  readonly inTheLarge: Bounds
  readonly tooLow: Reach
  readonly tooHigh: Reach
}

const MORE = 1.3
const FEWER = 0.7
const STEPS = 60
/** Log odds beyond which nothing lies. */
const FARTHEST = 30

export function eventBounds(bins: readonly BoundedBin[]): EventBounds {
  const counts = countsOfBins(bins)
  const { scored, expected, least, most } = counts
  const unknown = (most - least) / scored
  const reach = (times: number, unknownAtMost: number): Reach => {
    return { times, unknownAtMost, canNotice: unknown < unknownAtMost }
  }
  const mean = expected / scored
  return {
    ...counts,
    unknown,
    ratio: { from: least / expected, to: most / expected },
    inTheLarge: { from: largeAt(bins, least), to: largeAt(bins, most) },
    // Outcomes that are missing at random: counted as no event, they must still be more than expected, and as events fewer.
    tooLow: reach(MORE, 1 - 1 / MORE),
    tooHigh: reach(FEWER, (mean * (1 - FEWER)) / (1 - mean * FEWER)),
  }
}

/** The shift of the log odds of all risks that gives so many events; null where no finite one does. */
function largeAt(bins: readonly BoundedBin[], events: number): number | null {
  const scored = bins.reduce((sum, bin) => sum + bin.scored, 0)
  if (events <= 0 || events >= scored) return null
  const eventsAt = (shift: number): number =>
    bins.reduce((sum, bin) => sum + bin.scored * expit(logOdds(bin.risk) + shift), 0)
  let low = -FARTHEST
  let high = FARTHEST
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2
    if (eventsAt(middle) < events) low = middle
    else high = middle
  }
  return (low + high) / 2
}
