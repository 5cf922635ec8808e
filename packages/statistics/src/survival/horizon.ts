/** Follow-ups read at a fixed day: who had the event by then, and how much each row stands for. */
import { type Times, weightOf } from '../numbers/predictions.ts'
import { type Remaining, remainingBy, weightsAtHorizon } from './censoring.ts'
import { type Ranks, ranksOf } from './concordance.ts'
import {
  type DayCounts,
  type DeathIs,
  EVENT,
  type FollowUp,
  type Timeline,
  countByDay,
  timelineOf,
  withDeathAs,
} from './follow-up.ts'

/** What does not depend on how often each row counts, so that samples of patients share it. */
export interface Horizon {
  /** With their ends as the outcome reads them. */
  readonly rows: FollowUp
  readonly deathIs: DeathIs
  readonly timeline: Timeline
  readonly ranks: Ranks
  /** 1 for an event by the horizon. Rows that were censored by then have no weight, so what they are does not matter. */
  readonly outcomes: Uint8Array
}

export function horizonOf(
  given: FollowUp,
  day: number,
  deathIs: DeathIs,
  ranks: Ranks = ranksOf(given.risks),
): Horizon {
  const rows = withDeathAs(given, deathIs)
  const timeline = timelineOf(rows, day)
  const { placeOf, within } = timeline
  const outcomes = rows.ends.map((end, row) => (end === EVENT && (placeOf[row] as number) < within ? 1 : 0))
  return { rows, deathIs, timeline, ranks, outcomes }
}

export interface HorizonWeights {
  /** Each row's own weight, times how often its patient counts. */
  readonly own: Float64Array
  readonly counts: DayCounts
  readonly remaining: Remaining
  /** Zero where a row was censored by the horizon. They add up to the own weights. */
  readonly atHorizon: Float64Array
}

export function weighHorizon({ rows, timeline }: Horizon, times?: Times): HorizonWeights {
  const own = Float64Array.from(rows.risks, (_risk, row) => weightOf(rows, row, times))
  const counts = countByDay(rows, timeline, own)
  const remaining = remainingBy(counts, timeline)
  return { own, counts, remaining, atHorizon: weightsAtHorizon(rows, timeline, own, remaining) }
}

export interface Followed {
  readonly events: number
  readonly diedFirst: number
  /** Until the horizon, those on the last day included. */
  readonly censored: number
  /** Beyond the horizon. */
  readonly followed: number
  /** The estimated share that is not censored by the horizon. */
  readonly remaining: number
}

/** How the rows ended by the horizon: numbers of rows, whatever their weights. */
export function followedOf(horizon: Horizon): Followed {
  const { rows, timeline } = horizon
  const ended = [0, 0, 0]
  let followed = 0
  rows.ends.forEach((end, row) => {
    if ((timeline.placeOf[row] as number) >= timeline.within) followed++
    else ended[end] = (ended[end] as number) + 1
  })
  const [censored = 0, events = 0, diedFirst = 0] = ended
  return { events, diedFirst, censored, followed, remaining: weighHorizon(horizon).remaining.atHorizon }
}

/** With a smaller share still followed, a few rows stand for nearly everybody. */
export const LEAST_REMAINING = 0.1

/** Whether figures at the horizon can be estimated at all. */
export function isFollowed({ followed, remaining }: Followed): boolean {
  return followed > 0 && remaining >= LEAST_REMAINING
}
