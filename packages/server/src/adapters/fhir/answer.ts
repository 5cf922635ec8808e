/** Assessed patients as a Bundle: a RiskAssessment for each that was scored, an OperationOutcome for each with problems or notices. */
import { hash } from 'node:crypto'
import { FHIR_TEXTS, REASON_TEXTS } from '@patient-risk/catalog'
import { type Sentence, type Words, nameIn, phraseIn, sentenceIn } from 'patient-risk-engine/words'
import { packageVersion } from '@patient-risk/runtime'
import type { Assessed, CallOptions, Source } from './assess.ts'
import type { Json } from 'patient-risk-engine/read'
import { addDays, isoDay } from './read/moment.ts'
import { type Issue, issueCodeOf, operationOutcome } from './outcome.ts'
import type { Entry } from './read/body/entry.ts'
import { alarmTexts, bandTexts, figureIn, narrative, percent, rangeText, reasonsOf } from './reasons.ts'
import { type Submission } from './read/body/submission.ts'

export const MODEL_SYSTEM = 'urn:patient-risk:models'
export const FLAG_SYSTEM = 'urn:patient-risk:flag'
/** Names what gave an answer; a digest is no code. */
const DIGEST_SYSTEM = 'urn:patient-risk:deployment-digest'
const SERVICE_VERSION = packageVersion()
const DEVICE_ID = 'device'
const SOFTWARE = {
  coding: [{ system: 'http://snomed.info/sct', code: '706689003', display: 'Application program software' }],
}

/**
 * JSON leaves out elements that are undefined. `first` is the place of the first patient in the whole answer. `place` is where the body
 * names a patient whose resources it does not hold: every issue points there.
 */
export function answerBundle(
  assessed: readonly Assessed[],
  submission: Submission,
  source: Source,
  options: CallOptions,
  first = 0,
  place?: string,
): Json & { readonly entry: readonly Json[] } {
  const today = options.asOf?.day ?? options.today
  const entry = assessed.flatMap((each, at) => {
    const { reference } = each.subject.patient
    const issues = pointingTo(place, issuesOf(each, source))
    const resources: Json[] = []
    if (each.risk !== undefined) resources.push(riskAssessment(each, each.risk, source, options))
    if (issues.length > 0) resources.push(operationOutcome(issues))
    return resources.map((resource) => entryOf(reference, source, today, resource, first + at))
  })
  const issues = pointingTo(place, submission.issues)
  if (issues.length > 0) entry.push(entryOf('', source, today, operationOutcome(issues), -1))
  return { resourceType: 'Bundle', type: 'collection', entry }
}

function reasonIn(words: Words | undefined, why: Sentence | undefined): string | undefined {
  return why && sentenceIn(words, why)
}

function pointingTo(place: string | undefined, issues: readonly Issue[]): readonly Issue[] {
  return place === undefined ? issues : issues.map((issue) => ({ ...issue, expression: [place] }))
}

/** Resources that are not stored have no address, and an entry of a collection needs one. */
export function entryOf(about: string, { model }: Source, today: number, resource: Json, at = 0): Json {
  const { id, version } = model
  const name = `${about} ${at} ${String(resource['resourceType'])} ${id} ${version} ${today}`
  return {
    fullUrl: `urn:uuid:${stableUuid(name)}`,
    // An OperationOutcome has no element for its patient, so the entry says whom it is about.
    link: about === '' ? undefined : [{ relation: 'about', url: about }],
    resource,
  }
}

function issuesOf(
  { subject: { patient }, refusal, risk, problems, findings, notices, range }: Assessed,
  { alarm, words }: Source,
): readonly Issue[] {
  if (refusal !== undefined) {
    const { why, code = 'processing', at = patient.path } = refusal
    return [{ severity: 'error', code, text: reasonIn(words, why) ?? '', expression: [at] }]
  }
  const found = problems.map((problem): Issue => {
    const { why, code = issueCodeOf(problem), at = patient.path } = findings.get(problem.field) ?? {}
    const severity = problem.blocking ? 'error' : 'warning'
    return { severity, code, text: problem.message, diagnostics: reasonIn(words, why), expression: [at] }
  })
  const told = { severity: 'information', code: 'informational' } as const
  const said = notices.map(({ code, field, text }): Issue => {
    const { at = patient.path } = findings.get(field) ?? {}
    const severity = code === 'act-on-item' ? 'warning' : told.severity
    return { ...told, severity, text, diagnostics: `${code}:${field}`, expression: [at] }
  })
  const diagnostics = range === null ? '' : `range:${range.inputs.join(',')}`
  const ends = range === null ? [] : [{ ...told, text: rangeText(range, words), diagnostics }]
  // The alarm is about risks, so it stands beside a risk only.
  const doubted = (risk === undefined ? [] : alarmTexts(alarm, words)).map((text): Issue => {
    return {
      ...told,
      severity: 'warning',
      text,
      diagnostics: `calibration-alarm:${alarm ?? ''}`,
      expression: [patient.path],
    }
  })
  return [...doubted, ...found, ...said, ...ends]
}

function riskAssessment(each: Assessed, risk: number, source: Source, options: CallOptions): Json {
  const { model, output, mapping, words } = source
  const { subject, timeline, findings } = each
  const occurrence = options.asOf === undefined ? isoDay(timeline.assessedOn) : options.occurrence
  const index = timeline.index?.entry
  // Windows and ages are counted from the index stay, also where no field comes from it.
  const used = new Set([...findings.values()].flatMap((finding) => finding.from).concat(index ?? []))
  const basis = [...used].flatMap((entry) => referenceTo(entry) ?? [])
  const start = timeline.endDay ?? timeline.assessedOn
  const { card, title, version, id } = model
  const coding = mapping.outcomes[id]?.map(({ system, code, display }) => ({ system, code, display }))
  const whenPeriod = { start: isoDay(start), end: isoDay(addDays(start, card.horizonDays)) }
  const why = rationale(each, risk, output, words)
  const [origins = '', ...remarks] = notes(each, source)
  const period = { outcome: card.outcome, ...whenPeriod, day: occurrence }
  const about = sentenceIn(words, { text: FHIR_TEXTS.about, parts: period })
  return {
    resourceType: 'RiskAssessment',
    text: narrative(`${title} ${version}: ${why}`, about, ...remarks),
    contained: [device(source)],
    status: 'final',
    method: {
      coding: [{ system: MODEL_SYSTEM, version, code: id, display: title }],
      text: `${title} ${version}`,
    },
    subject: referenceTo(subject.patient) ?? { display: subject.patient.path },
    encounter: referenceTo(index),
    occurrenceDateTime: occurrence,
    performer: { reference: `#${DEVICE_ID}` },
    basis: basis.length === 0 ? undefined : basis,
    prediction: [
      {
        outcome: { coding, text: card.outcome },
        ...(output.kind === 'number'
          ? { probabilityDecimal: percent(risk) }
          : { qualitativeRisk: flag(risk, output.threshold, words) }),
        whenPeriod,
        rationale: why,
      },
    ],
    note: [origins, ...remarks].map((text) => ({ text })),
  }
}

/** What performed the assessment. A caller need not store a second resource for it. */
function device({ model, digest, service = SERVICE_VERSION }: Source): Json {
  return {
    resourceType: 'Device',
    id: DEVICE_ID,
    identifier: [{ system: DIGEST_SYSTEM, value: `sha-256=:${digest}:` }],
    deviceName: [
      { name: model.title, type: 'user-friendly-name' },
      { name: model.id, type: 'model-name' },
    ],
    type: SOFTWARE,
    version: [
      { type: { text: 'model' }, value: model.version },
      { type: { text: 'service patient-risk' }, value: service },
    ],
  }
}

function flag(risk: number, threshold: number, words: Words | undefined): Json {
  const code = risk >= threshold ? 'Yes' : 'No'
  const parts = { threshold: percent(threshold) }
  const text = sentenceIn(words, {
    text: code === 'Yes' ? FHIR_TEXTS.atOrAbove : FHIR_TEXTS.under,
    parts,
  })
  return { coding: [{ system: FLAG_SYSTEM, code }], text }
}

function rationale(
  { explanation }: Assessed,
  risk: number,
  output: Source['output'],
  words: Words | undefined,
): string {
  const head =
    output.kind === 'number'
      ? `${figureIn(words, percent(risk).toFixed(2))} %.`
      : `${phraseIn(words, risk >= output.threshold ? REASON_TEXTS.yes : REASON_TEXTS.no)}.`
  if (explanation === null) return head
  const { head: about, rows } = reasonsOf(explanation, words)
  const reasons = rows.map(
    ({ label, points, from }) => `${label} ${figureIn(words, points)}${from === '' ? '' : ` (${from})`}`,
  )
  return `${head} ${about}: ${reasons.join('; ')}.`
}

/** Where the values come from, and what a reader of the risk should know. */
function notes(each: Assessed, { alarm, words }: Source): readonly string[] {
  const range = each.range === null ? [] : [rangeText(each.range, words)]
  return [
    sources(each, words),
    ...alarmTexts(alarm, words),
    ...bandTexts(each.scales, words),
    ...each.notices.map(({ text }) => text),
    ...range,
  ]
}

/** For each field the resource that gave it, or why none did. */
function sources({ findings }: Assessed, words: Words | undefined): string {
  const lines = [...findings].map(([name, { why, from }]) => {
    const field = { field: name }
    if (why !== undefined)
      return sentenceIn(words, { text: FHIR_TEXTS.notFound, parts: { field, why: { sentence: why } } })
    if (from.length === 0) return sentenceIn(words, { text: FHIR_TEXTS.noneGiven, parts: { field } })
    const places = from.map(({ reference, path }) => (reference === '' ? path : reference))
    return `${nameIn(words, name)}: ${places.join(', ')}`
  })
  return lines.join('\n')
}

function referenceTo(entry: Entry | undefined): Json | undefined {
  return entry === undefined || entry.reference === '' ? undefined : { reference: entry.reference }
}

/** A UUID that follows from a text (version 8 of RFC 9562): the same request gets the same answer. */
export function stableUuid(text: string): string {
  const digest = hash('sha256', text)
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`
}
