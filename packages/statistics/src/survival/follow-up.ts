/** Follow-up of patients after a prediction: how long each was watched, and what ended it. */
import type { Labels } from '../numbers/predictions.ts'

/** What ended the follow-up. */
export const CENSORED = 0
export const EVENT = 1
export const DIED_FIRST = 2

export interface FollowUp extends Pick<Labels, 'clusters' | 'weights'> {
  /** Before rounding. */
  readonly risks: Float64Array
  /** From the prediction to the end of the follow-up. */
  readonly days: Float64Array
  /** `CENSORED`, `EVENT` or `DIED_FIRST`. */
  readonly ends: Uint8Array
}

/**
 * What a model's outcome does with a death before the event. `none`: it counts as no event. `censored`: the risk is that of a patient who
 * does not die, so a death only ends the follow-up. `event`: the outcome is either of them.
 */
export type DeathIs = 'none' | 'censored' | 'event'

/** The same rows with their ends as an outcome reads them. */
export function withDeathAs<T extends FollowUp>(rows: T, deathIs: DeathIs): T {
  if (deathIs === 'none') return rows
  const instead = deathIs === 'event' ? EVENT : CENSORED
  return { ...rows, ends: rows.ends.map((end) => (end === DIED_FIRST ? instead : end)) }
}

/** The different days of some rows, in order. It does not depend on how often each row counts. */
export interface Timeline {
  /** The place of each row's day among the days. */
  readonly placeOf: Uint32Array
  /** The rows in the order of their days, and where the rows of each day begin in it; one place more than there are days. */
  readonly order: Uint32Array
  readonly starts: Uint32Array
  /** How many of the days are not after the horizon. */
  readonly within: number
}

export function timelineOf({ days }: Pick<FollowUp, 'days'>, horizon: number): Timeline {
  const order = new Uint32Array(days.keys()).sort((a, b) => (days[a] as number) - (days[b] as number))
  const placeOf = new Uint32Array(days.length)
  const starts: number[] = []
  let within = 0
  let last = Number.NaN
  for (const [at, row] of order.entries()) {
    const day = days[row] as number
    if (day !== last) {
      starts.push(at)
      if (day <= horizon) within++
    }
    last = day
    placeOf[row] = starts.length - 1
  }
  return { placeOf, order, starts: Uint32Array.from([...starts, order.length]), within }
}

/** The rows of a day. */
export function rowsOn({ order, starts }: Timeline, place: number): Uint32Array {
  return order.subarray(starts[place], starts[place + 1])
}

/** The weights of all rows by day and end, and of those whose follow-up goes beyond the day. */
export interface DayCounts {
  readonly events: Float64Array
  readonly deaths: Float64Array
  readonly censored: Float64Array
  readonly later: Float64Array
}

export function countByDay(
  { ends }: Pick<FollowUp, 'ends'>,
  { starts, placeOf }: Timeline,
  weights: Float64Array,
): DayCounts {
  const size = starts.length - 1
  const counts = [new Float64Array(size), new Float64Array(size), new Float64Array(size)] as const
  for (let row = 0; row < ends.length; row++) {
    const own = counts[ends[row] as 0 | 1 | 2]
    const place = placeOf[row] as number
    own[place] = (own[place] as number) + (weights[row] as number)
  }
  const [censored, events, deaths] = counts
  // Added up from the last day on, so that it is 0 exactly where nobody is left, whatever the weights.
  const later = new Float64Array(size)
  for (let place = size - 2; place >= 0; place--) {
    const next = place + 1
    const gone = (events[next] as number) + (deaths[next] as number) + (censored[next] as number)
    later[place] = (later[next] as number) + gone
  }
  return { events, deaths, censored, later }
}
