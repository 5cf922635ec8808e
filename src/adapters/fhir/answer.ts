/** Assessed patients as a Bundle: a RiskAssessment for each that was scored, an OperationOutcome for each that has problems. */
import type { ExplainedTerm } from '../../engine/score/explain.ts'
import type { Assessed, Source } from './assess.ts'
import type { Json } from './json.ts'
import { stableUuid } from '../stable-uuid.ts'
import { addDays, isoDay } from './moment.ts'
import { type Issue, issueCodeOf, operationOutcome } from './outcome.ts'
import type { Entry, Submission } from './submission.ts'

const MODEL_SYSTEM = 'urn:patient-risk:models'
const FLAG_SYSTEM = 'urn:patient-risk:flag'
const MOST_EXPRESSIONS = 20

export function answerBundle(
  assessed: readonly Assessed[],
  { unassigned }: Pick<Submission, 'unassigned'>,
  source: Pick<Source, 'model' | 'output'>,
  today: number,
): Json {
  const { id, version } = source.model
  // Resources that are not stored have no address, and an entry of a collection needs one.
  const entryOf = (about: string, at: number, resource: Json): Json => ({
    fullUrl: `urn:uuid:${stableUuid(`${about} ${at} ${String(resource['resourceType'])} ${id} ${version} ${today}`)}`,
    // An OperationOutcome has no element for its patient, so the entry says whom it is about.
    ...(about === '' ? {} : { link: [{ relation: 'about', url: about }] }),
    resource,
  })
  const entry = assessed.flatMap((each, at) => {
    const { reference } = each.subject.patient
    const issues = issuesOf(each)
    return [
      ...(each.risk === undefined
        ? []
        : [entryOf(reference, at, riskAssessment(each, each.risk, source, today))]),
      ...(issues.length === 0 ? [] : [entryOf(reference, at, operationOutcome(issues))]),
    ]
  })
  if (unassigned.length > 0) {
    const text = `${unassigned.length} resources name no Patient of the body as their subject. They were not used.`
    const expression = unassigned.slice(0, MOST_EXPRESSIONS).map(({ path }) => `${path}.subject`)
    entry.push(
      entryOf('', -1, operationOutcome([{ severity: 'warning', code: 'not-found', text, expression }])),
    )
  }
  return { resourceType: 'Bundle', type: 'collection', ...(entry.length === 0 ? {} : { entry }) }
}

function issuesOf({ subject, problems, findings }: Assessed): readonly Issue[] {
  const { conflict, patient } = subject
  if (conflict !== undefined) {
    const text =
      'The same resource stands in the body twice with different content, so the patient is not scored.'
    return [{ severity: 'error', code: 'duplicate', text, expression: [conflict.path] }]
  }
  return problems.map((problem) => {
    const finding = findings.get(problem.field)
    const why = finding !== undefined && 'why' in finding ? finding.why : undefined
    const code =
      (finding !== undefined && 'code' in finding ? finding.code : undefined) ?? issueCodeOf(problem)
    return {
      severity: problem.blocking ? 'error' : 'warning',
      code,
      text: problem.message,
      ...(why === undefined ? {} : { diagnostics: why }),
      expression: [finding?.at ?? patient.path],
    }
  })
}

function riskAssessment(
  each: Assessed,
  risk: number,
  { model, output }: Pick<Source, 'model' | 'output'>,
  today: number,
): Json {
  const { subject, timeline, findings } = each
  const used = new Set([...findings.values()].flatMap((finding) => ('value' in finding ? finding.from : [])))
  const basis = [...used].filter(({ reference }) => reference !== '').map(referenceTo)
  const start = timeline.endDay ?? today
  const { card } = model
  return {
    resourceType: 'RiskAssessment',
    status: 'final',
    method: {
      coding: [{ system: MODEL_SYSTEM, version: model.version, code: model.id, display: model.title }],
      text: `${model.title} ${model.version}`,
    },
    subject:
      subject.patient.reference === '' ? { display: subject.patient.path } : referenceTo(subject.patient),
    ...(timeline.index === undefined || timeline.index.entry.reference === ''
      ? {}
      : { encounter: referenceTo(timeline.index.entry) }),
    occurrenceDateTime: isoDay(today),
    ...(basis.length === 0 ? {} : { basis }),
    prediction: [
      {
        outcome: { text: card.outcome },
        ...(output.kind === 'number'
          ? { probabilityDecimal: percent(risk) }
          : { qualitativeRisk: flag(risk, output.threshold) }),
        whenPeriod: { start: isoDay(start), end: isoDay(addDays(start, card.horizonDays)) },
        rationale: rationale(each, risk, output),
      },
    ],
    note: [{ text: sources(each) }],
  }
}

/** As the standard asks: a percentage, not a fraction. */
export function percent(risk: number): number {
  return Number((risk * 100).toFixed(2))
}

function flag(risk: number, threshold: number): Json {
  const code = risk >= threshold ? 'Yes' : 'No'
  const text = `${code}: the risk is ${code === 'Yes' ? 'at or above' : 'below'} ${percent(threshold)} %`
  return { coding: [{ system: FLAG_SYSTEM, code }], text }
}

function rationale({ explanation }: Assessed, risk: number, output: Source['output']): string {
  const head =
    output.kind === 'number'
      ? `${percent(risk).toFixed(2)} %.`
      : `${risk >= output.threshold ? 'Yes' : 'No'}.`
  if (explanation === undefined) return head
  const intercept = explanation.intercept === undefined ? [] : [`intercept ${explanation.intercept}`]
  const terms = explanation.terms.map(termText)
  return `${head} Sum of points ${explanation.score}: ${[...intercept, ...terms].join('; ')}.`
}

export function termText({ label, points, values }: ExplainedTerm): string {
  const given = values.map(
    ({ field, value, origin }) => `${field} ${String(value)}${origin === 'given' ? '' : ` (${origin})`}`,
  )
  return `${label} ${points} (${given.join(', ')})`
}

/** For each field the resource that gave it, or why none did. */
export function sources({ findings }: Pick<Assessed, 'findings'>): string {
  const lines = [...findings].map(([name, finding]) => {
    if ('why' in finding) return `${name}: not found. ${finding.why}`
    const from = finding.from.map(({ reference, path }) => (reference === '' ? path : reference))
    return `${name}: ${from.length === 0 ? 'none in the given history' : from.join(', ')}`
  })
  return lines.join('\n')
}

function referenceTo({ reference }: Entry): Json {
  return { reference }
}
