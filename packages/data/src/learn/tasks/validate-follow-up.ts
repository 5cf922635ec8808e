/** `learn validate --time` without files: evaluates a model at its horizon on rows that were followed for different times. */
import {
  type FollowUp,
  type Followed,
  LEAST_REMAINING,
  followedOf,
  isFollowed,
} from '@patient-risk/statistics'
import { given } from '@patient-risk/catalog'
import { DataError } from '../../tables/data-error.ts'
import { followUpColumns, followedRows } from '../data/follow-up-rows.ts'
import { stageOf } from '../data/gather.ts'
import { followUpReading, readingsOf } from '../figures/follow-up-figures.ts'
import type { Resampling } from '../figures/resampling.ts'
import {
  type FollowUpInput,
  type FollowUpReport,
  buildFollowUpReport,
  censoredOn,
} from '../report/follow-up-report.ts'
import { integer, percent } from '../report/texts.ts'

export interface ValidateFollowUpInput extends FollowUpInput, Omit<Resampling, 'onStep'> {}

export async function validateFollowUp(input: ValidateFollowUpInput): Promise<FollowUpReport> {
  const { model, samples, seed, data } = input
  // An outcome, and another event beside it, are what the status says.
  const others = given({ ...data, competing: undefined })
  const source = { ...input, data: { ...others, outcome: { column: null } } }
  const followed = await followedRows(source, model, followUpColumns(data.followUp ?? {}))
  const { rows, attributes } = followed
  const { horizonDays: day, competing } = model.card
  const horizons = readingsOf(rows, day, competing)
  for (const [, horizon] of horizons) refuseUnfollowed(input, rows, followedOf(horizon))
  const split = attributes.split()
  const groupings = [...attributes.groupings(), ...(split === undefined ? [] : [split])]
  const readings = horizons.map(([deathIs, horizon], index) => {
    const stage = horizons.length === 1 ? 'resampling patients' : `resampling patients, ${index + 1} of 2`
    const resampling = { samples, seed, onStep: stageOf(input, stage) }
    return followUpReading(deathIs, horizon, { rows, day, groupings, resampling })
  })
  return buildFollowUpReport(source, followed, readings)
}

function refuseUnfollowed({ path, model }: FollowUpInput, rows: FollowUp, followed: Followed): void {
  const day = model.card.horizonDays
  const until = `day ${day}, the horizon of ${model.id}`
  if (followed.followed === 0) {
    const onLastDay = censoredOn(rows, day)
    const why =
      onLastDay > 0
        ? `${integer(onLastDay)} are censored on day ${day} itself: who was watched for the whole of that day needs a later one, such as ${day + 1}`
        : `the longest follow-up is ${longest(rows)} days`
    throw new DataError([`${path}: no row is followed beyond ${until}; ${why}`])
  }
  if (!isFollowed(followed))
    throw new DataError([
      `${path}: only ${percent(followed.remaining, 1)} would not be lost by ${until}, and at least ${percent(LEAST_REMAINING, 0)} must remain: the few who are left would stand for nearly everybody. Use patients who were scored long enough ago`,
    ])
  if (followed.events > 0) return
  throw new DataError([
    `${path}: no row has the event by ${until}, so nothing can be estimated; see that the codes of the status are right`,
  ])
}

function longest({ days }: FollowUp): number {
  return days.reduce((most, day) => Math.max(most, day), 0)
}
