/** What the adapters let a worker do: read a body, score its patients, write the answer. */
import { hash } from 'node:crypto'
import type { PortableDeployments } from '../catalog/portable.ts'
import { createScorer } from '../engine/scorer.ts'
import { Tally, type TallyCounts } from '../engine/tally.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { type CardSettings, answerHook } from './cds-hooks/cards.ts'
import { answerBundle } from './fhir/answer.ts'
import { type Source, assess, readOptions } from './fhir/assess.ts'
import { type Evaluator, openEvaluator } from './fhir/evaluator.ts'
import type { Json } from './fhir/json.ts'
import type { Mapping } from './fhir/mapping.ts'
import { refusalOutcome } from './fhir/outcome.ts'
import { wantedBy } from './fhir/read-patient.ts'
import { type Parameters, parseBody, readSubmission } from './fhir/submission.ts'

interface Common {
  readonly deployment: string
  readonly body: Uint8Array
  readonly today: number
}
export type AdapterJob = Common &
  (
    | { readonly kind: 'bundle' | 'lines'; readonly query: Parameters }
    | { readonly kind: 'hook'; readonly settings: CardSettings }
  )

/** An answer; or the refusal of a request as a whole. Digests are those of the audit. */
export type JobAnswer =
  | {
      readonly bytes: Uint8Array
      readonly tally: TallyCounts
      readonly digests: { readonly body: string; readonly answer: string }
    }
  | { readonly refused: ErrorCode; readonly detail: string }

export interface JobData {
  readonly deployments: PortableDeployments
  readonly mapping: Mapping
}

const encoder = new TextEncoder()
const NEWLINE = 0x0a

export function jobRunner({ deployments, mapping }: JobData): (job: AdapterJob) => Promise<JobAnswer> {
  const scales = new Map(deployments.knowledge.scales.map((scale) => [scale.id, scale]))
  const sources = new Map<string, Source>()
  let opened: Promise<Evaluator> | undefined
  const sourceOf = (name: string, evaluator: Evaluator): Source => {
    const known = sources.get(name)
    if (known !== undefined) return known
    const entry = deployments.deployments.find((each) => each.name === name)
    if (entry === undefined) throw new Error('a worker was asked for a deployment that it was not given')
    const { model, options } = entry
    const { output, maxRecords } = options
    const wanted = wantedBy(model, { scales })
    // The mapping gives the units of the catalogue, whatever units the deployment takes in records.
    const scorer = createScorer(deployments.knowledge, model, { ...options, conversions: {} })
    const source = { scorer, model, output, maxRecords, wanted, mapping, evaluator }
    sources.set(name, source)
    return source
  }
  return async (job) => {
    opened ??= openEvaluator()
    const source = sourceOf(job.deployment, await opened)
    try {
      const { bytes, tally } = answerJob(job, source)
      return { bytes, tally, digests: { body: digestOf(job.body), answer: digestOf(bytes) } }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { refused: error.code, detail: error.detail }
    }
  }
}

function answerJob(job: AdapterJob, source: Source): { bytes: Uint8Array; tally: Tally } {
  if (job.kind === 'hook') {
    const { answer, tally } = answerHook(parseBody(job.body), source, job.settings, job.today)
    return { bytes: encoder.encode(JSON.stringify(answer)), tally }
  }
  if (job.kind === 'bundle') {
    const { answer, tally } = score(job.body, job.query, source, job.today)
    return { bytes: encoder.encode(JSON.stringify(answer)), tally }
  }
  const tally = new Tally()
  const lines: string[] = []
  for (let from = 0; from < job.body.length;) {
    const end = job.body.indexOf(NEWLINE, from)
    const line = job.body.subarray(from, end < 0 ? job.body.length : end)
    from = end < 0 ? job.body.length : end + 1
    if (line.every((byte) => byte === 0x20 || byte === 0x0d)) continue
    lines.push(scoreLine(line, job, source, tally))
  }
  return { bytes: encoder.encode(lines.join('')), tally }
}

/** A line that cannot be read is answered in its place, and costs no other line its answer. */
function scoreLine(
  line: Uint8Array,
  { query, today }: { readonly query: Parameters; readonly today: number },
  source: Source,
  tally: Tally,
): string {
  try {
    const scored = score(line, query, source, today)
    tally.merge(scored.tally)
    return `${JSON.stringify(scored.answer)}\n`
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    tally.records++
    return `${JSON.stringify(refusalOutcome(error))}\n`
  }
}

function score(
  body: Uint8Array,
  query: Parameters,
  source: Source,
  today: number,
): { answer: Json; tally: Tally } {
  const submission = readSubmission(parseBody(body))
  const { history, asOf, encounters } = submission.parameters
  const given = {
    history: query.history ?? history,
    asOf: query.asOf ?? asOf,
    encounters: [...query.encounters, ...encounters],
  }
  const options = readOptions(submission, given, today)
  const { assessed, tally } = assess(submission, source, options)
  return { answer: answerBundle(assessed, submission, source, options.asOf ?? today), tally }
}

function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64')
}
