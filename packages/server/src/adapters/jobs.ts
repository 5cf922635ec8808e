/** What the adapters let a worker do: read a body, score its patients, write the answer. */
import { hash } from 'node:crypto'
import {
  type PortableDeployments,
  modelIn,
  packDeployments,
  unpackScorers,
  type Mapping,
} from '@patient-risk/catalog'
import { decodeText, type Json, inside, listOf, parseText, parseBody } from 'patient-risk-engine/read'
import type { Observed } from '@patient-risk/monitor'
import { type FeedNotice, Tally, type WatchSample, WatchedBody } from 'patient-risk-engine'
import { AppError, appErrorOf } from '@patient-risk/runtime'
import { type Caller, RequestBudget } from '../http/scoring/request-budget.ts'
import { type BodyAnswer, unpackCollectors } from '../http/scoring/scoring-jobs.ts'
import type { Service } from '../http/service.ts'
import { type CardSettings, answerHook } from './cds-hooks/cards.ts'
import { answerBundle, entryOf } from './fhir/answer.ts'
import { type Source, assess, readOptions } from './fhir/assess.ts'
import {
  type Fetched,
  type FetchedPatient,
  MOST_REQUEST_BYTES,
  type NamedStay,
} from './fhir/fetch/fetcher.ts'
import { type IncompleteHook, needsOf, withFetched } from './fhir/fetch/hook-needs.ts'
import { type Results, readResults, resultsOf, searchesFor } from './fhir/fetch/searches.ts'
import { refusalOutcome } from './fhir/outcome.ts'
import type { Entry } from './fhir/read/body/entry.ts'
import { wantedBy } from './fhir/read/read-patient.ts'
import { type Parameters, readParameters, readSubmission } from './fhir/read/body/submission.ts'

interface BodyJob {
  readonly deployment: string
  readonly body: Uint8Array
  readonly today: number
  /** The tag of the language of what people read; English where absent. */
  readonly language?: string | undefined
  /** The month of the open alarm of calibration; absent where none is open. */
  readonly alarm?: string | undefined
  /** The open doubts about the caller's feed. */
  readonly feed?: readonly FeedNotice[] | undefined
  /** Which of the records are seen: all where absent. */
  readonly sample?: WatchSample | undefined
}

interface FhirJob extends BodyJob {
  readonly kind: 'bundle' | 'lines' | 'fetched'
  readonly query: Parameters
}

interface HookJob extends BodyJob {
  readonly kind: 'hook'
  readonly settings: CardSettings
  /** Results that were fetched for it, as JSON. */
  readonly fetched?: Uint8Array | undefined
}

export type AdapterJob = FhirJob | HookJob

export type JobAnswer = Required<Omit<BodyAnswer, 'returnedBuffer' | 'observed'>> & {
  readonly observed: Observed | undefined
  /** Where a hook lacks what may be fetched: then nothing is answered yet, and its body comes back. */
  readonly incomplete?: IncompleteHook | undefined
}
type Portable = PortableDeployments['deployments'][number]

export interface JobData {
  readonly deployments: PortableDeployments
  readonly mapping: Mapping
  readonly timeZone?: string | undefined
  readonly service?: string | undefined
}

/** Rejects with an AppError for a body that is refused as a whole. */
export type RunJob = (job: AdapterJob, caller?: Caller) => Promise<JobAnswer>

const NEWLINE = 0x0a

/** Runs jobs in the workers of the service. Without workers they run in this thread. */
export function jobsOf(
  { dispatcher, catalog, deployments }: Service,
  reading: Omit<JobData, 'deployments'>,
): RunJob {
  let here: ReturnType<typeof jobRunner> | undefined
  const runHere = (job: AdapterJob): JobAnswer => {
    here ??= jobRunner({ deployments: packDeployments(catalog, deployments), ...reading })
    return here(job)
  }
  return (job, caller) => dispatcher.run(job, () => runHere(job), caller)
}

export function jobRunner({
  deployments,
  ...reading
}: JobData): (job: AdapterJob, isAbandoned?: () => boolean) => JobAnswer {
  const { definitions } = deployments
  // The mapping gives units and codes of the catalogue, whatever the deployment takes in records.
  const inOwnUnits = deployments.deployments.map(({ options, ...each }) => {
    return { ...each, options: { ...options, conversions: {}, codes: {} } }
  })
  const scorerOf = unpackScorers({ definitions, deployments: inOwnUnits })
  const collectorOf = unpackCollectors(deployments)
  return (job, isAbandoned) => {
    const scorer = scorerOf(job.deployment)
    const { model, digest, options } = inOwnUnits.find(({ name }) => name === job.deployment) as Portable
    const budget = (): RequestBudget => new RequestBudget(isAbandoned)
    const wanted = wantedBy(model, definitions)
    const collector = collectorOf(job.deployment)
    const { alarm, feed, language } = job
    const words = language === undefined ? undefined : deployments.words[language]
    const watching = { watched: collector && new WatchedBody(collector, job.sample), feed }
    const parts = { scorer, digest, wanted, budget, alarm, words, ...reading }
    const inLanguage = words === undefined ? model : modelIn(words, model)
    const source = { ...options, ...watching, ...parts, model: inLanguage }
    const { text, tally, incomplete } = answerJob(job, source)
    const bytes = new TextEncoder().encode(text)
    const observed = collector?.taken()
    return { bytes, tally, risks: tally.risks, digest: hash('sha256', bytes, 'base64'), observed, incomplete }
  }
}

type Answered = ReturnType<typeof answerHook> & Pick<JobAnswer, 'incomplete'>

/** What is parsed, a body or a line, is parsed at once. So it is asked before it whether the caller still waits; then while it is read. */
function answerJob(job: AdapterJob, source: Source): Answered {
  const { body, today } = job
  const ask = askOf(source)
  ask()
  if (job.kind === 'hook') return hookAnswer(job, source)
  if (job.kind === 'bundle') return score(bundleIn(body), job.query, source, today)
  if (job.kind === 'fetched') return scoreFetched(body, job.query, source, today)
  const tally = new Tally()
  let text = ''
  for (let from = 0, end = 0; from < body.length; from = end + 1) {
    const at = body.indexOf(NEWLINE, from)
    end = at < 0 ? body.length : at
    const line = body.subarray(from, end)
    if (line.every((byte) => byte === 0x20 || byte === 0x0d)) continue
    ask()
    // A line that cannot be read gets a refusal in its place. Other lines are not affected.
    text += refusedOr(
      () => {
        const scored = score(parseBody(line), job.query, source, today)
        tally.merge(scored.tally)
        return `${scored.text}\n`
      },
      (refusal) => {
        tally.records++
        return `${JSON.stringify(refusalOutcome(refusal))}\n`
      },
    )
  }
  return { text, tally }
}

/** A body that holds its patients. Parameters that name a server have none; smaller ones never come here. */
function bundleIn(body: Uint8Array): unknown {
  const resource = parseBody(body)
  const isOfServer = listOf(inside(resource, 'parameter')).some(
    (each) => inside(each, 'name') === 'fhirServer',
  )
  if (isOfServer) throw new AppError('BODY_TOO_LARGE', SERVER_TOO_LARGE)
  return resource
}

/** The cards of a hook, or what is missing for them where it may be fetched. */
function hookAnswer({ body, fetched, settings, today }: HookJob, source: Source): Answered {
  const request = withFetched(parseBody(body), fetched === undefined ? undefined : parseBody(fetched))
  try {
    return answerHook(request, source, settings, today)
  } catch (error) {
    if (!settings.mayFetch || appErrorOf(error)?.code !== 'PREFETCH_INCOMPLETE') throw error
  }
  const { wanted, mapping } = source
  const searches = { inWindow: searchesFor(wanted, mapping, today), wide: searchesFor(wanted, mapping) }
  const needs = needsOf(request, searches)
  if (needs === undefined) return answerHook(request, source, { ...settings, mayFetch: false }, today)
  return { text: '', tally: new Tally(), incomplete: { needs, body } }
}

function score(body: unknown, query: Parameters, source: Source, today: number): Answered {
  const submission = readSubmission(body, source.timeZone, false, askOf(source))
  const options = readOptions(submission, query, today)
  const { assessed, tally } = assess(submission, source, options)
  const answer = answerBundle(assessed, submission, source, options)
  return { text: JSON.stringify(answer), tally }
}

/** Throws where the caller has left. */
function askOf({ budget: startBudget }: Source): () => void {
  const budget = startBudget?.()
  return () => budget?.step(0)
}

/** A patient whose results were read, or the reason why they were not. */
interface ReadPatient {
  readonly patient: FetchedPatient
  readonly results?: Pick<Results, 'submission' | 'complete'>
  /** The stays of the call that are the patient's. */
  readonly named: ReadonlySet<Entry>
  readonly refusal?: AppError
}

/** A result for each patient: a failure costs the others nothing. */
function scoreFetched(body: Uint8Array, query: Parameters, source: Source, today: number): Answered {
  const { patients, parameter, stays } = parseText(decodeText(body)) as Fetched
  const found = new Set<NamedStay>()
  const read = patients.map((patient) => readFetched(patient, stays, found, source))
  const unfound = stays.filter((stay) => !found.has(stay))
  const tally = new Tally()
  const entry = read.flatMap(({ patient, results, named, refusal }, at) => {
    const refuse = (error: AppError, expression: readonly string[]): readonly Json[] => {
      tally.records++
      return [entryOf(patient.reference, source, today, refusalOutcome(error, expression), at)]
    }
    if (results === undefined) return refuse(refusal ?? new AppError('BUNDLE_INCOMPLETE'), [patient.at])
    if (named.size === 0 && unfound.length > 0)
      return refuse(
        new AppError('REQUEST_INVALID', STAY_OF_NOBODY),
        unfound.map((stay) => stay.at ?? patient.at),
      )
    return refusedOr(
      () => {
        const { submission, complete } = results
        const given = { ...submission, parameters: readParameters(parameter) }
        const options = { ...readOptions(given, { ...query, encounter: undefined }, today), complete, named }
        const scored = assess(submission, source, options)
        tally.merge(scored.tally)
        return answerBundle(scored.assessed, submission, source, options, at, patient.at).entry
      },
      (error) => refuse(error, [patient.at]),
    )
  })
  return { text: JSON.stringify({ resourceType: 'Bundle', type: 'collection', entry }), tally }
}

const SERVER_TOO_LARGE = `Parameters that name a fhirServer may have ${MOST_REQUEST_BYTES / 1024} KiB. Name fewer patients in a call.`

const STAY_OF_NOBODY =
  'The parameter encounter names an Encounter that none of the patients has. It may be meant for this one.'

function readFetched(
  patient: FetchedPatient,
  stays: readonly NamedStay[],
  found: Set<NamedStay>,
  source: Source,
): ReadPatient {
  const { wanted, mapping, timeZone } = source
  const { id, results, failed } = patient
  const none = new Set<Entry>()
  if (results === undefined)
    return { patient, named: none, refusal: new AppError('BUNDLE_INCOMPLETE', failed) }
  return refusedOr<ReadPatient>(
    () => {
      const searches = searchesFor(wanted, mapping)
      const { submission: all, complete } = readResults(results, searches, timeZone, askOf(source))
      const submission = resultsOf(id, all)
      const named = stays.flatMap((stay) => {
        const entry = submission.resolve(stay.reference)
        if (entry?.type !== 'Encounter') return []
        found.add(stay)
        return [entry]
      })
      return { patient, results: { submission, complete }, named: new Set(named) }
    },
    (refusal) => ({ patient, named: none, refusal }),
  )
}

function refusedOr<T>(work: () => T, refused: (error: AppError) => T): T {
  try {
    return work()
  } catch (error) {
    const refusal = appErrorOf(error)
    if (refusal === undefined) throw error
    return refused(refusal)
  }
}
