/** Answers a hook: the cards for one patient, or none when there is nothing to say. */
import { AppError } from '../../errors.ts'
import { percent } from '../fhir/answer.ts'
import { type Assessed, type Source, assess } from '../fhir/assess.ts'
import { type Json, isObject, textOf } from '../fhir/json.ts'
import { addDays } from '../fhir/moment.ts'
import type { Tally } from '../../engine/tally.ts'
import { stableUuid } from '../stable-uuid.ts'
import { incomplete, readPrefetch } from './prefetch.ts'

export const HOOKS = ['patient-view', 'encounter-discharge'] as const
export type Hook = (typeof HOOKS)[number]

export interface CardSettings {
  readonly hooks: readonly Hook[]
  readonly templates: Readonly<Record<string, string>>
  /** Risks from which a card is shown, is a warning, and is critical. */
  readonly showFrom: number
  readonly warnFrom: number | undefined
  readonly criticalFrom: number | undefined
  /** Where the model's card and the page are found. */
  readonly modelUrl: string
  readonly pageUrl: string
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const LONGEST_SUMMARY = 139
export const REASON_SYSTEM = 'urn:patient-risk:override-reasons'
/** Feedback may name one of these; anything else is recorded as `other`. */
export const OVERRIDE_REASONS: Readonly<Record<string, string>> = {
  'not-applicable': 'Does not apply to this patient',
  'already-planned': 'Follow-up is planned already',
  'data-wrong': 'The data is wrong or out of date',
}

export function answerHook(
  body: unknown,
  source: Source,
  settings: CardSettings,
  today: number,
): { readonly answer: Json; readonly tally: Tally } {
  const { hook, hookInstance, patientId, encounterId, prefetch } = readRequest(body, settings.hooks)
  const { submission, complete, isPartial } = readPrefetch(prefetch, settings.templates)
  const subjects = submission.subjects.filter(({ patient }) => patient.resource['id'] === patientId)
  if (subjects.length !== 1) throw incomplete('patient', 'is not the patient of the context')
  const index = submission.resolve(`Encounter/${encounterId ?? ''}`)
  const isDischarge = hook === 'encounter-discharge'
  if (isDischarge && index === undefined)
    throw incomplete('encounters', 'does not hold the Encounter of the context')
  const named = isDischarge && index !== undefined ? [index] : []
  const { assessed, tally } = assess({ ...submission, subjects }, source, {
    named,
    asOf: today,
    today,
    complete,
  })
  const [patient] = assessed
  if (patient === undefined || isOver(patient, source, today)) return { answer: { cards: [] }, tally }
  const isMissing = patient.risk === undefined && patient.problems.some(({ kind }) => kind === 'ValueMissing')
  if (isMissing && isPartial) throw new AppError('PREFETCH_INCOMPLETE')
  const card =
    patient.risk === undefined
      ? missingCard(patient, source)
      : riskCard(patient, patient.risk, source, settings)
  if (card === undefined) return { answer: { cards: [] }, tally }
  const { modelUrl, pageUrl } = settings
  const { title, version, id } = source.model
  const cards = [
    {
      // Feedback on a repeated call is about the same card.
      uuid: stableUuid(`${hookInstance.toLowerCase()} ${id}`),
      ...card,
      source: {
        label: `${title} ${version}`,
        url: modelUrl,
        topic: { system: 'urn:patient-risk:models', code: id, display: title },
      },
      links: [{ label: 'Open the scoring page', url: pageUrl, type: 'absolute' }],
      overrideReasons: Object.entries(OVERRIDE_REASONS).map(([code, display]) => ({
        system: REASON_SYSTEM,
        code,
        display,
      })),
    },
  ]
  return { answer: { cards }, tally }
}

function readRequest(
  body: unknown,
  hooks: readonly Hook[],
): {
  readonly hook: Hook
  readonly hookInstance: string
  readonly patientId: string
  readonly encounterId: string | undefined
  readonly prefetch: unknown
} {
  if (!isObject(body)) throw invalid('The body must be a CDS Hooks request.')
  const { hookInstance, context, prefetch } = body
  const hook = hooks.find((each) => each === body['hook'])
  if (hook === undefined) throw invalid(`The hook must be ${hooks.join(' or ')}.`)
  if (!isObject(prefetch)) throw new AppError('PREFETCH_INCOMPLETE')
  if (typeof hookInstance !== 'string' || !UUID.test(hookInstance))
    throw invalid('hookInstance must be a UUID.')
  if (!isObject(context)) throw invalid('The request has no context.')
  const patientId = textOf(context['patientId'])
  const encounterId = textOf(context['encounterId'])
  if (patientId === undefined || textOf(context['userId']) === undefined)
    throw invalid('The context must have userId and patientId.')
  if (hook === 'encounter-discharge' && encounterId === undefined)
    throw invalid('The context must have encounterId.')
  return { hook, hookInstance, patientId, encounterId, prefetch }
}

/** Whether the time that the model looks ahead has passed since the stay ended. */
function isOver({ timeline }: Assessed, { model }: Source, today: number): boolean {
  const end = timeline.index?.end?.day
  return end !== undefined && addDays(end, model.card.horizonDays) < today
}

function riskCard(
  each: Assessed,
  risk: number,
  { model, output }: Source,
  settings: CardSettings,
): Json | undefined {
  if (risk < settings.showFrom) return undefined
  const { warnFrom = model.threshold?.risk ?? Infinity, criticalFrom = Infinity } = settings
  const shown =
    output.kind === 'number'
      ? `${percent(risk)} %`
      : `${risk >= output.threshold ? 'Yes' : 'No'} (line at ${percent(output.threshold)} %)`
  const terms = each.explanation?.terms ?? []
  const rows = terms.map(({ label, points, values }) => {
    const used = values.map(
      ({ field, value, origin }) => `${field} ${String(value)}${origin === 'given' ? '' : ` (${origin})`}`,
    )
    return `| ${label} | ${used.join(', ')} | ${points} |`
  })
  const missing = [...each.findings].flatMap(([name, finding]) =>
    'why' in finding ? [`- ${name}: ${finding.why}`] : [],
  )
  const problems = each.problems.map(({ message }) => `- ${message}`)
  const detail = [
    `**${model.card.outcome}**`,
    ['| | from | points |', '|---|---|---|', ...rows].join('\n'),
    ...(missing.length + problems.length === 0 ? [] : [['Not used:', ...missing, ...problems].join('\n')]),
    model.card.intendedUse,
  ]
  return {
    summary: shortened(`${model.title}: ${shown}`),
    indicator: risk >= criticalFrom ? 'critical' : risk >= warnFrom ? 'warning' : 'info',
    detail: detail.join('\n\n'),
  }
}

/** A patient outside the model's population gets no card; one of whom something is missing gets the list of it. */
function missingCard({ problems, findings, subject }: Assessed, { model }: Source): Json | undefined {
  const blocking = problems.filter((problem) => problem.blocking)
  if (subject.conflict !== undefined || blocking.some(({ kind }) => kind !== 'ValueMissing')) return undefined
  const lines = blocking.map(({ field }) => {
    const finding = findings.get(field)
    return `- ${field}: ${finding !== undefined && 'why' in finding ? finding.why : 'missing'}`
  })
  const names = blocking.map(({ field }) => field).join(', ')
  return {
    summary: shortened(`${model.title}: no risk, because ${names} is missing`),
    indicator: 'info',
    detail: lines.join('\n'),
  }
}

function shortened(text: string): string {
  return text.length <= LONGEST_SUMMARY ? text : `${text.slice(0, LONGEST_SUMMARY - 1)}…`
}

function invalid(detail: string): AppError {
  return new AppError('REQUEST_INVALID', detail)
}
