/** Resources to risks: reads each patient of a submission and scores it. A bad patient does not affect the answers of others. */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import type { Mapping } from '@patient-risk/catalog'
import {
  type FeedNotice,
  type Problem,
  type Output,
  type Scorer,
  Tally,
  type WatchedBody,
  type WorkBudget,
} from 'patient-risk-engine'
import type { RestsOn } from 'patient-risk-engine/explain'
import type { Words } from 'patient-risk-engine/words'
import { AppError, invalid } from '@patient-risk/runtime'
import { type PatientRecord, type Wanted, readPatient } from './read/read-patient.ts'
import { type Parameters, type Submission } from './read/body/submission.ts'
import { isInFuture, isoDay } from './read/moment.ts'
import type { TimelineOptions } from './read/stays/timeline.ts'

/** What answers: a model with its scorer, and the mapping that its records are read by. */
export interface Source {
  readonly scorer: Scorer
  readonly model: ModelDefinition
  /** Of the deployment: SHA-256, base64. */
  readonly digest: string
  readonly output: Output
  readonly maxRecords: number
  readonly wanted: Wanted
  readonly mapping: Mapping
  /** The version of the service that answers, where it is not this one. */
  readonly service?: string | undefined
  /** On which day times in UTC fall; the machine's where absent. */
  readonly timeZone?: string | undefined
  /** The month of the open alarm of calibration; absent where none is open. */
  readonly alarm?: string | undefined
  /** The language of what people read; English where absent. */
  readonly words?: Words | undefined
  /** What a Bundle may cost. Each Bundle, and each patient that is fetched, has its own. */
  readonly budget?: (() => WorkBudget) | undefined
  /** Who watches the values that were found, and what is doubted of the caller's feed. */
  readonly watched?: WatchedBody | undefined
  readonly feed?: readonly FeedNotice[] | undefined
}

/** The parameters of a call, and the moment of the assessment as FHIR writes it. */
export type CallOptions = TimelineOptions & { readonly occurrence: string }

export interface Assessed extends PatientRecord, RestsOn {
  /** The rounded risk; undefined where a problem keeps the patient from being scored. */
  readonly risk: number | undefined
  readonly problems: readonly Problem[]
}

/** Risks are counted in ten-thousandths. */
const RISK_UNITS = 10_000
const NOTHING: RestsOn = { explanation: null, scales: [], notices: [], range: null }

export function assess(
  submission: Submission,
  { scorer, model, mapping, wanted, maxRecords, watched, feed, budget: startBudget, words }: Source,
  options: TimelineOptions,
): { readonly assessed: readonly Assessed[]; readonly tally: Tally } {
  if (submission.subjects.length > maxRecords) throw new AppError('TOO_MANY_RECORDS')
  const tally = new Tally()
  const budget = startBudget?.()
  const assessed = submission.subjects.map((subject, idx) => {
    // Reading a field takes far longer than this question: whether the caller still waits.
    const ask = (): void => budget?.step(0)
    const read = readPatient(subject, submission, mapping, wanted, options, ask)
    const refusal = read.refusal ?? read.timeline.periodOver(model.card.horizonDays)
    if (refusal !== undefined) {
      tally.records++
      return { ...read, refusal, risk: undefined, problems: [], ...NOTHING }
    }
    const result = scorer.assess({ idx, ...read.record }, options.today)
    tally.add(result)
    watched?.judged(scorer.slots, result)
    const { risk, problems, blocked } = result
    if (!blocked) tally.risks.push(Math.round(risk * RISK_UNITS))
    const restsOn = scorer.restsOn(result, options.today, undefined, budget, feed, words)
    return { ...read, risk: blocked ? undefined : risk, problems: [...problems], ...restsOn }
  })
  return { assessed, tally }
}

const NAMES = ['history', 'asOf', 'encounter']

function isAlike(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** The parameters of a call. Throws for one that cannot be used. */
export function readOptions(
  { resolve, parameters, momentOf, narrowed }: Submission,
  query: Parameters,
  today: number,
): CallOptions {
  // A parameter that is given twice becomes an empty text, which is refused below.
  const single = (name: string): string | undefined => {
    const values = [query[name] ?? parameters[name] ?? []].flat()
    return values.length > 1 ? '' : values[0]
  }
  const other = Object.keys(query).find((name) => NAMES.some((each) => each !== name && isAlike(each, name)))
  if (other !== undefined) throw invalid(`The parameters are ${NAMES.join(', ')}, and case counts.`)
  const history = single('history')
  const asOf = single('asOf')
  const encounters = [query['encounter'] ?? [], parameters['encounter'] ?? []].flat()
  if (history !== undefined && history !== 'complete' && history !== 'partial')
    throw invalid('The parameter history must be complete or partial.')
  // A plus sign in a query is a space once it is decoded.
  const written = asOf?.replace(' ', '+')
  const given = momentOf(written)
  // A caller who names an instant in another offset means that instant, on whatever day it falls here.
  const isElsewhere = given?.precision === 'days' && given.instant !== undefined
  const moment = isElsewhere ? momentOf(new Date(given.instant).toISOString()) : given
  if (asOf !== undefined && moment?.precision !== 'day')
    throw invalid('The parameter asOf must be a date or a date and time.')
  if (moment !== undefined && isInFuture(moment, today))
    throw invalid('The parameter asOf must not lie in the future.')
  const named = new Set(encounters.map((reference) => resolve(reference)))
  if ([...named].some((entry) => entry?.type !== 'Encounter'))
    throw invalid(
      'The parameter encounter names no Encounter of the body. Write it as Encounter/<id>, or as its fullUrl.',
    )
  const types = history === 'complete' ? ['Encounter', 'Procedure', 'Condition'] : []
  const complete = new Map(types.map((type) => [type, narrowed.get(type)?.from ?? 0]))
  // FHIR wants seconds and an offset with a time.
  const isTimed = written !== undefined && moment?.instant !== undefined
  const occurrence = isTimed ? written.replace(/T\d\d:\d\d(?!:)/, '$&:00') : isoDay(moment?.day ?? today)
  return { named, asOf: moment, today, complete, occurrence }
}
