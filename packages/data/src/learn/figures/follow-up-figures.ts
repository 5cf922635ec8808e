/** The figures of follow-ups: as the model's outcome reads a death before it, or both ways where its card does not say. */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import {
  DIED_FIRST,
  type DeathIs,
  type Followed,
  type FollowUp,
  type Horizon,
  type HorizonFigures,
  type HorizonGroup,
  type HorizonMeans,
  type HorizonMeasure,
  clusterCount,
  followedOf,
  horizonFigures,
  horizonGroups,
  horizonMeans,
  horizonMeasures,
  horizonOf,
  isFollowed,
  ranksOf,
  subset,
} from '@patient-risk/statistics'
import type { Grouping } from '../data/row-attributes.ts'
import { type Resampling, type Sampled, type Span, inSamples, spanOf } from './resampling.ts'

type Competing = NonNullable<ModelDefinition['card']['competing']>

export interface FollowUpReading extends HorizonFigures {
  /** What a death before the event counts as; `impossible` where death is the outcome. */
  readonly deathIs: DeathIs | 'impossible'
  readonly followed: Followed
  readonly groups: readonly HorizonGroup[]
  readonly parts: readonly FollowUpPart[]
  readonly intervals?: FollowUpIntervals
}

/** By samples of patients, with the weights against censoring estimated again in each. */
export type FollowUpIntervals = Sampled & Readonly<Record<HorizonMeasure, Span>>

export interface FollowUpPart extends Pick<Followed, 'events' | 'diedFirst'> {
  readonly by: string
  readonly level: string
  readonly rows: number
  /** Left out with fewer than ten events, and where too few are followed to the horizon. */
  readonly figures?: HorizonMeans
}

const FEWEST = 10

/** How the outcome of a card may read a death. Kaplan and Meier's share lies between the two of an unstated one. */
const READINGS: Readonly<Record<Competing, readonly FollowUpReading['deathIs'][]>> = {
  none: ['none'],
  event: ['event'],
  censored: ['censored'],
  impossible: ['impossible'],
  unstated: ['none', 'event'],
}

/** With death as the outcome, the file has no other kind of it. */
const statisticOf = (deathIs: FollowUpReading['deathIs']): DeathIs =>
  deathIs === 'impossible' ? 'event' : deathIs

/** What can be counted before any figure: whether anything can be said on that day. */
export function readingsOf(
  rows: FollowUp,
  day: number,
  competing: Competing = 'unstated',
): readonly (readonly [FollowUpReading['deathIs'], Horizon])[] {
  const ranks = ranksOf(rows.risks)
  // Where nobody dies first, both ways are the same.
  const isOneWay = !rows.ends.includes(DIED_FIRST)
  const readings = isOneWay ? READINGS[competing].slice(0, 1) : READINGS[competing]
  return readings.map((deathIs) => [deathIs, horizonOf(rows, day, statisticOf(deathIs), ranks)])
}

interface Asked {
  readonly rows: FollowUp
  readonly day: number
  readonly groupings: readonly Grouping[]
  readonly resampling: Resampling
}

export function followUpReading(
  deathIs: FollowUpReading['deathIs'],
  horizon: Horizon,
  { rows, day, groupings, resampling }: Asked,
): FollowUpReading {
  const statistic = statisticOf(deathIs)
  return {
    deathIs,
    followed: followedOf(horizon),
    ...horizonFigures(horizon),
    groups: horizonGroups(rows, day, statistic),
    parts: groupings.flatMap((grouping) => partsOf(rows, day, statistic, grouping)),
    ...(resampling.samples !== 0 && intervalsOf(horizon, resampling)),
  }
}

function partsOf(
  rows: FollowUp,
  day: number,
  deathIs: DeathIs,
  { by, levels, levelOf }: Grouping,
): readonly FollowUpPart[] {
  return levels.map((level, number) => {
    const own = subset(rows, (row) => levelOf[row] === number)
    const part = horizonOf(own, day, deathIs)
    const followed = followedOf(part)
    const { events, diedFirst } = followed
    const isEnough = events >= FEWEST && isFollowed(followed)
    const counts = { by, level, rows: own.risks.length, events, diedFirst }
    return { ...counts, ...(isEnough && { figures: horizonMeans(part) }) }
  })
}

/** Nothing where no sample gives the figures. */
function intervalsOf(horizon: Horizon, resampling: Resampling): Pick<FollowUpReading, 'intervals'> {
  const patients = clusterCount(horizon.rows.clusters)
  const { results, sampled } = inSamples(patients, resampling, (times) => horizonMeasures(horizon, times))
  const [first] = results
  if (first === undefined) return {}
  const names = Object.keys(first) as HorizonMeasure[]
  const spans = names.map((name) => [name, spanOf(results.map((each) => each[name]))])
  return { intervals: { ...sampled, ...(Object.fromEntries(spans) as Record<HorizonMeasure, Span>) } }
}
