/** The report of a validation by times of follow-up. Counts and estimates only, no record. */
import type { CardDefinition, ModelDefinition } from 'patient-risk-engine/definition'
import { CENSORED, DIED_FIRST, type FollowUp, patientsOf } from '@patient-risk/statistics'
import type { FollowedRows } from '../data/follow-up-rows.ts'
import type { GatherInput } from '../data/gather.ts'
import type { FollowUpReading } from '../figures/follow-up-figures.ts'
import { type DataReport, dataReport, dayText, warnOfData } from './data-report.ts'
import { VALIDATION_EVENTS } from './report.ts'
import texts from './texts.json' with { type: 'json' }
import { type Texts, fillIn, integer, percent } from './texts.ts'
import { warnInto } from './warn.ts'

export interface FollowUpReport {
  readonly kind: 'follow-up'
  /** The day on which it was made, YYYY-MM-DD. */
  readonly made: string
  readonly model: Pick<ModelDefinition, 'id' | 'version' | 'title'> &
    Required<Pick<CardDefinition, 'horizonDays' | 'competing'>>
  readonly data: DataReport
  readonly patients: number
  /** One for each way in which the outcome may read a death before it. */
  readonly readings: readonly ReportedReading[]
  /** What the figures assume of those who were lost. */
  readonly assumption: string
  readonly warnings: readonly string[]
}

/** The figures with what they say, in sentences. */
export interface ReportedReading extends FollowUpReading {
  readonly meaning: string
  readonly meanRiskIs: 'fits' | 'tooLow' | 'tooHigh'
  readonly verdict: string
}

export interface FollowUpInput extends GatherInput {
  readonly model: ModelDefinition
}

export function buildFollowUpReport(
  input: FollowUpInput,
  followed: FollowedRows,
  readings: readonly FollowUpReading[],
): FollowUpReport {
  const { id, version, title, card } = input.model
  const { horizonDays: day, competing = 'unstated' } = card
  const data = dataReport(input, followed, followed.rows.risks.length)
  const remaining = readings.map((reading) => percent(reading.followed.remaining, 1))
  return {
    kind: 'follow-up',
    made: dayText(input.today),
    model: { id, version, title, horizonDays: day, competing },
    data,
    patients: patientsOf(followed.rows),
    readings: readings.map((reading) => ({
      ...reading,
      meaning: texts.followUp[reading.deathIs],
      ...verdictOn(reading, day),
    })),
    assumption: fillIn(texts.followUp.assumption, { remaining: remaining[0], day }, String),
    warnings: warningsOn(followed.rows, day, competing, readings, data),
  }
}

type Range = readonly [from: number, to: number]

/** By samples of patients where there are some. */
function verdictOn(reading: FollowUpReading, day: number): Pick<ReportedReading, 'meanRiskIs' | 'verdict'> {
  const { ratio, slope, observed, meanRisk, intervals } = reading
  const [from, to] = intervals?.ratio ?? [ratio.from, ratio.to]
  const meanRiskIs = from > 1 ? 'tooLow' : to < 1 ? 'tooHigh' : 'fits'
  const range = ([low, high]: Range): Texts => ({ from: low.toFixed(2), to: high.toFixed(2) })
  const shares = { observed: percent(observed.value, 1), predicted: percent(meanRisk, 1) }
  const words = { ...shares, day, ratio: ratio.value.toFixed(2), ...range([from, to]) }
  const sentences = [fillIn(texts.followUp[meanRiskIs], words, String)]
  const spread = intervals?.slope ?? ([slope.from, slope.to] as const)
  const ofSlope = { slope: slope.value.toFixed(2), ...range(spread) }
  if (spread[1] < 1) sentences.push(fillIn(texts.followUp.tooExtreme, ofSlope, String))
  if (spread[0] > 1) sentences.push(fillIn(texts.followUp.tooNarrow, ofSlope, String))
  return { meanRiskIs, verdict: sentences.join(' ') }
}

function warningsOn(
  rows: FollowUp,
  day: number,
  competing: FollowUpReport['model']['competing'],
  readings: readonly FollowUpReading[],
  data: DataReport,
): readonly string[] {
  const warnings: string[] = []
  const warn = warnInto(warnings)
  const events = readings[0]?.followed.events ?? 0
  const few = { events: integer(events), day, least: VALIDATION_EVENTS }
  warn(events < VALIDATION_EVENTS, 'fewEventsByDay', few)
  for (const { intervals } of readings) {
    const { failed, samples } = intervals ?? { failed: 0, samples: 0 }
    warn(failed > 0, 'failed', { failed: integer(failed), samples: integer(samples) })
  }
  warn(readings.length > 1, 'bothWays')
  warn(competing !== 'impossible' && !rows.ends.includes(DIED_FIRST), 'noDeaths')
  const onLastDay = censoredOn(rows, day)
  warn(onLastDay > 0, 'onLastDay', { rows: integer(onLastDay), day, next: day + 1 })
  warnOfData(data, warn)
  return warnings
}

export function censoredOn({ days, ends }: FollowUp, day: number): number {
  return days.filter((own, row) => own === day && ends[row] === CENSORED).length
}
