/** Answers a hook: the cards for one patient, or none when there is nothing to say; and reads the feedback on cards. */
import type { DeploymentHooks } from '@patient-risk/catalog/config'
import { AppError, invalid } from '@patient-risk/runtime'
import { MODEL_SYSTEM, stableUuid } from '../fhir/answer.ts'
import { type Assessed, type Source, assess } from '../fhir/assess.ts'
import { type Json, inside, isObject, listOf, textOf } from 'patient-risk-engine/read'
import { incomplete, readResults, resultsOf, searchesFor } from '../fhir/fetch/searches.ts'
import { addDays, parseMoment } from '../fhir/read/moment.ts'
import { alarmTexts, bandTexts, figureIn, percent, rangeText, reasonsOf } from '../fhir/reasons.ts'
import { type Tally, problemIn } from 'patient-risk-engine'
import { type Words, nameIn, phraseIn, sentenceIn } from 'patient-risk-engine/words'
import { CARD_TEXTS, FHIR_REASONS, REASON_TEXTS } from '@patient-risk/catalog'

/** The settings of the deployment, and where the model's card and the page are found. */
export type CardSettings = DeploymentHooks & {
  readonly modelUrl: string
  readonly pageUrl: string
  /** Whether more can be fetched if something is missing. */
  readonly mayFetch: boolean
  /** Whether all Encounters were fetched, not only those of the window. */
  readonly isWide: boolean
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const LONGEST_SUMMARY = 139
const MOST_FEEDBACK = 100
export const REASON_SYSTEM = 'urn:patient-risk:override-reasons'
/** Feedback may name one of these; anything else is recorded as `other`. */
export const OVERRIDE_REASONS: Readonly<Record<string, string>> = {
  'not-applicable': CARD_TEXTS.notApplicable,
  'already-planned': CARD_TEXTS.alreadyPlanned,
  'data-wrong': CARD_TEXTS.dataWrong,
}

export function answerHook(
  body: unknown,
  source: Source,
  settings: CardSettings,
  today: number,
): { readonly text: string; readonly tally: Tally } {
  const { hookInstance, patientId, encounterId, prefetch } = readRequest(body, settings.hooks)
  const searches = searchesFor(source.wanted, source.mapping, settings.isWide ? undefined : today)
  const budget = source.budget?.()
  const ask = (): void => budget?.step(0)
  const { submission: found, complete, isPartial } = readResults(prefetch, searches, source.timeZone, ask)
  const submission = resultsOf(patientId, found)
  const index = encounterId === undefined ? undefined : submission.resolve(`Encounter/${encounterId}`)
  if (encounterId !== undefined && index === undefined)
    throw incomplete('encounters', 'does not hold the Encounter of the context')
  const asOf = { day: today, precision: 'day' } as const
  const options = { named: new Set([index]), asOf, today, complete }
  const { assessed, tally } = assess(submission, source, options)
  const cards = assessed.flatMap((patient) => {
    const { risk, problems, refusal } = patient
    if (refusal !== undefined || isOver(patient, source, today) || hasNoStay(patient)) return []
    const lacking = problems.filter(({ kind }) => risk === undefined && kind === 'ValueMissing')
    const isShort = lacking.some(
      ({ field }) => patient.findings.get(field)?.why?.text === FHIR_REASONS.notFarBack,
    )
    if ((isPartial && lacking.length > 0) || (settings.mayFetch && isShort))
      throw new AppError('PREFETCH_INCOMPLETE')
    const card = risk === undefined ? missingCard(patient, source) : riskCard(patient, risk, source, settings)
    return card === undefined ? [] : wholeCard(card, hookInstance, source, settings)
  })
  return { text: JSON.stringify({ cards }), tally }
}

function wholeCard(card: Json, hookInstance: string, { model, words }: Source, settings: CardSettings): Json {
  const { title, version, id } = model
  return {
    // Feedback on a repeated call is about the same card.
    uuid: stableUuid(`${hookInstance.toLowerCase()} ${id}`),
    ...card,
    source: {
      label: `${title} ${version}`,
      url: settings.modelUrl,
      topic: { system: MODEL_SYSTEM, code: id, display: title },
    },
    links: [{ label: phraseIn(words, CARD_TEXTS.open), url: settings.pageUrl, type: 'absolute' }],
    overrideReasons: Object.entries(OVERRIDE_REASONS).map(([code, display]) => {
      return { system: REASON_SYSTEM, code, display: phraseIn(words, display) }
    }),
  }
}

/** The Encounter of the context is the index stay of a discharge only: a chart may be opened at any visit. */
function readRequest(
  body: unknown,
  hooks: DeploymentHooks['hooks'],
): { hookInstance: string; patientId: string; encounterId?: string; prefetch: Json } {
  if (!isObject(body)) throw invalid('The body must be a CDS Hooks request.')
  const { hook, hookInstance, context, prefetch, fhirServer, fhirAuthorization } = body
  if (!hooks.some((each) => each === hook)) throw invalid(`The hook must be ${hooks.join(' or ')}.`)
  if (isObject(fhirAuthorization) && typeof fhirServer !== 'string')
    throw invalid('fhirAuthorization is given without the fhirServer that it is for.')
  if (!isObject(prefetch)) throw new AppError('PREFETCH_INCOMPLETE')
  if (typeof hookInstance !== 'string' || !UUID.test(hookInstance))
    throw invalid('hookInstance must be a UUID.')
  if (!isObject(context)) throw invalid('The request has no context.')
  const { patientId, encounterId, userId } = context
  if (typeof patientId !== 'string' || typeof userId !== 'string')
    throw invalid('The context must have userId and patientId.')
  if (hook !== 'encounter-discharge') return { hookInstance, patientId, prefetch }
  if (typeof encounterId !== 'string') throw invalid('The context must have encounterId.')
  return { hookInstance, patientId, encounterId, prefetch }
}

function isOver({ timeline }: Assessed, { model }: Source, today: number): boolean {
  const end = timeline.index?.end?.day
  return end !== undefined && addDays(end, model.card.horizonDays) < today
}

/** Whether the model needs a stay and the patient has none, as an outpatient. Then there is no card. */
function hasNoStay({ timeline, problems, findings }: Assessed): boolean {
  const isNeeded = problems.some(
    ({ blocking, field }) => blocking && findings.get(field) === timeline.whyNoIndex,
  )
  return timeline.isWithoutStay && isNeeded
}

function riskCard(
  each: Assessed,
  risk: number,
  { model, output, alarm, words }: Source,
  settings: CardSettings,
): Json | undefined {
  const threshold = output.kind === 'yes-no' ? output.threshold : (model.threshold?.risk ?? Infinity)
  const { showFrom = 0, warnFrom = threshold, criticalFrom = Infinity } = settings
  // What an item asks for is shown whatever the risk.
  if (risk < showFrom && !asksForAction(each)) return undefined
  const shown =
    output.kind === 'number'
      ? `${figureIn(words, percent(risk))} %`
      : sentenceIn(words, {
          text: CARD_TEXTS.line,
          parts: {
            answer: { phrase: risk >= output.threshold ? REASON_TEXTS.yes : REASON_TEXTS.no },
            threshold: percent(output.threshold),
          },
        })
  const { head = '', rows = [] } = each.explanation === null ? {} : reasonsOf(each.explanation, words)
  const table = rows.map(({ label, points, from }) => `| ${label} | ${from} | ${figureIn(words, points)} |`)
  const lost = [...each.findings].flatMap(([name, { why }]) =>
    why === undefined ? [] : [`- ${nameIn(words, name)}: ${sentenceIn(words, why)}`],
  )
  const unused = [
    ...lost,
    ...each.problems.map(
      (problem) => `- ${words === undefined ? problem.message : problemIn(words, problem)}`,
    ),
  ]
  const detail = [
    `**${model.card.outcome}**`,
    ...alarmTexts(alarm, words).map((text) => `**${text}**`),
    `${head}:`,
    [
      `| | ${phraseIn(words, CARD_TEXTS.from)} | ${phraseIn(words, CARD_TEXTS.points)} |`,
      '|---|---|---|',
      ...table,
    ].join('\n'),
    ...noteworthy(each, words),
    ...(unused.length === 0 ? [] : [[phraseIn(words, CARD_TEXTS.notUsed), ...unused].join('\n')]),
    model.card.intendedUse,
  ]
  return {
    summary: shortened(`${model.title}: ${shown}`),
    indicator: indicatorOf(risk, asksForAction(each) ? 0 : warnFrom, criticalFrom),
    detail: detail.join('\n\n'),
  }
}

function indicatorOf(risk: number, warnFrom: number, criticalFrom: number): 'critical' | 'warning' | 'info' {
  if (risk >= criticalFrom) return 'critical'
  return risk >= warnFrom ? 'warning' : 'info'
}

/** A patient outside the model's population gets no card. If values are missing, the card lists them. */
function missingCard(each: Assessed, { model, words }: Source): Json | undefined {
  const { problems, findings } = each
  const blocking = problems.filter((problem) => problem.blocking)
  if (blocking.some(({ kind }) => kind !== 'ValueMissing')) return undefined
  const names = blocking.map(({ field }) => field)
  const lines = names.map((name) => {
    const why = findings.get(name)?.why
    const field = { field: name }
    if (why === undefined) return `- ${sentenceIn(words, { text: CARD_TEXTS.missing, parts: { field } })}`
    return `- ${nameIn(words, name)}: ${sentenceIn(words, why)}`
  })
  const fields = names.map((name) => nameIn(words, name)).join(', ')
  return {
    summary: shortened(sentenceIn(words, { text: CARD_TEXTS.noRisk, parts: { model: model.title, fields } })),
    indicator: asksForAction(each) ? 'warning' : 'info',
    detail: [lines.join('\n'), ...noteworthy(each, words)].join('\n\n'),
  }
}

function asksForAction({ notices }: Assessed): boolean {
  return notices.some(({ code }) => code === 'act-on-item')
}

/** What items ask for, bands, other notices and range as one Markdown list. It is empty if the answer has none of these. */
function noteworthy({ scales, notices, range }: Assessed, words: Words | undefined): readonly string[] {
  const urgent = notices.filter(({ code }) => code === 'act-on-item').map(({ text }) => `**${text}**`)
  const others = notices.filter(({ code }) => code !== 'act-on-item').map(({ text }) => text)
  const texts = [...new Set(urgent), ...bandTexts(scales, words), ...others]
  const all = range === null ? texts : [...texts, rangeText(range, words)]
  return all.length === 0 ? [] : [all.map((text) => `- ${text}`).join('\n')]
}

function shortened(text: string): string {
  return text.length <= LONGEST_SUMMARY ? text : `${text.slice(0, LONGEST_SUMMARY - 1)}…`
}

/**
 * What the audit records of feedback: the card, its outcome and a coded reason. It contains no text of the caller; comments are
 * ignored.
 */
export function readFeedback(body: unknown): string {
  const feedback = listOf(inside(body, 'feedback'))
  if (feedback.length === 0 || feedback.length > MOST_FEEDBACK)
    throw invalid(`The body must hold 1 to ${MOST_FEEDBACK} elements in feedback.`)
  return feedback.map(describe).join(', ')
}

function describe(element: unknown): string {
  if (!isObject(element)) throw invalid('An element of feedback is not an object.')
  const card = textOf(element['card'])?.toLowerCase() ?? ''
  const { outcome } = element
  if (!UUID.test(card)) throw invalid('The card of feedback must be the UUID of a card.')
  if (parseMoment(element['outcomeTimestamp'])?.instant === undefined)
    throw invalid('The outcomeTimestamp of feedback must be a date and time with its offset from UTC.')
  if (outcome === 'accepted') return `${card} accepted`
  if (outcome !== 'overridden') throw invalid('The outcome of feedback must be accepted or overridden.')
  const reason = inside(element, 'overrideReason', 'reason')
  const code = inside(reason, 'system') === REASON_SYSTEM ? textOf(inside(reason, 'code')) : undefined
  if (code === undefined) return `${card} overridden`
  return `${card} overridden ${Object.hasOwn(OVERRIDE_REASONS, code) ? code : 'other'}`
}
