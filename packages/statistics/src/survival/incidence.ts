/**
 * The share that has the event by the horizon: Aalen and Johansen's estimate, which is one minus Kaplan and Meier's where nobody dies
 * first.
 */
import { type Estimate, estimateWith, varianceByPatient } from '../numbers/predictions.ts'
import { EVENT, type DayCounts, type FollowUp, type Timeline, CENSORED } from './follow-up.ts'

/** After each day: the share with the event, and the share that was free of event and death before that day. */
interface Incidence {
  readonly share: Float64Array
  readonly freeBefore: Float64Array
}

/** Up to the horizon. */
function incidenceBy({ events, deaths, censored, later }: DayCounts, { within }: Timeline): Incidence {
  const share = new Float64Array(within)
  const freeBefore = new Float64Array(within)
  let free = 1
  let sum = 0
  for (let place = 0; place < within; place++) {
    const event = events[place] as number
    const rest = (censored[place] as number) + (later[place] as number)
    const atRisk = event + (deaths[place] as number) + rest
    freeBefore[place] = free
    // A day on which no row counts, in a sample of patients.
    if (atRisk > 0) {
      sum += (free * event) / atRisk
      free *= rest / atRisk
    }
    share[place] = sum
  }
  return { share, freeBefore }
}

export function eventShare(counts: DayCounts, timeline: Timeline): number {
  return incidenceBy(counts, timeline).share.at(-1) ?? 0
}

/**
 * The same with its standard error: the infinitesimal jackknife, added up by patient. With one row a patient it equals the error by the
 * delta method (Greenwood's, where nobody dies first).
 */
export function eventShareEstimate(
  rows: FollowUp,
  timeline: Timeline,
  weights: Float64Array,
  counts: DayCounts,
): Estimate {
  const { within, placeOf } = timeline
  const { share, freeBefore } = incidenceBy(counts, timeline)
  const value = share.at(-1) ?? 0
  // What a row loses by having been at risk up to a day, and what it changes by its own end on that day.
  const exposed = new Float64Array(within)
  const byEvent = new Float64Array(within)
  const byLeaving = new Float64Array(within)
  let sum = 0
  for (let place = 0; place < within; place++) {
    const event = counts.events[place] as number
    const gone = event + (counts.deaths[place] as number)
    const rest = (counts.censored[place] as number) + (counts.later[place] as number)
    const atRisk = gone + rest
    if (atRisk > 0) {
      const free = freeBefore[place] as number
      byEvent[place] = free / atRisk
      sum -= (free * event) / atRisk ** 2
      // Where nobody remains nothing comes later that a change of the free share could move.
      if (rest > 0) {
        const ahead = value - (share[place] as number)
        byLeaving[place] = -ahead / rest
        sum += (gone / (atRisk * rest)) * ahead
      }
    }
    exposed[place] = sum
  }
  const partOf = (row: number): number => {
    const place = placeOf[row] as number
    const isWithin = place < within
    let part = exposed[Math.min(place, within - 1)] ?? 0
    const end = rows.ends[row]
    if (isWithin && end !== CENSORED) part += byLeaving[place] as number
    if (isWithin && end === EVENT) part += byEvent[place] as number
    return part * (weights[row] as number)
  }
  return estimateWith(value, Math.sqrt(varianceByPatient(rows, partOf)))
}
