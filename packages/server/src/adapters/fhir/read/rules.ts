/**
 * The rules by which a Bundle gives a number or a doubt, in the order in which they are applied. A doubt falls on the patients whom it
 * may concern, and on nobody else. Rules that need more than a resource are in files of their own, named here in their place:
 *
 * 1. The body: which Bundles and entries are read. `narrowed-results.ts` for results that hold a part only, by their own address, and
 *    `remote/search-pages.ts` by their links and their total. What a body deletes, or writes as another type, and searches that failed are
 *    in `submission.ts`. An element outside of its list is a list of one (`remote/elements.ts`).
 * 2. Modifiers: which resources are not read. Contained ones are not either (`submission.ts`).
 * 3. Whose a resource is: `references.ts`, `identities.ts`, and `persons.ts` for links, identifiers, Persons and resources of nobody.
 * 4. Statuses: what counts, what does not, and what leaves it open.
 * 5. The moment: `isAfter` of `moment.ts`; what may lie after it is doubt. `timeline.ts` chooses it, and refuses periods that are over.
 * 6. Ends of Conditions.
 * 7. Stays: `choose-index.ts` for the index stay, `doubled-visits.ts` for visits that are recorded twice, `visit.ts` for parts of stays.
 *    `timeline.ts` for stays that were not sent, and that others name.
 * 8. Readings: `reading-set.ts` for those that belong together; the evaluator rounds to the step of a field.
 * 9. Codes of diagnoses: `diagnosis-codes.ts` for ICD-10 and the maps of the site.
 * 10. Fetched patients: `remote/search-pages.ts` for whole results; `fetch/fetcher.ts` for named stays and addresses.
 */
import { FHIR_REASONS, systemName } from '@patient-risk/catalog'
import { type Json, inside, isObject, textOf } from 'patient-risk-engine/read'
import { allOf } from '../../../remote/elements.ts'
import type { Moment } from './moment.ts'

/**
 * Rule 1. The kinds of Bundles that say what is so. A history holds old and deleted versions, a message asks for an action, and what a
 * Bundle without a type means is not known.
 */
export const BUNDLE_TYPES = ['collection', 'searchset', 'transaction', 'batch', 'batch-response', 'document']

/** Why a Bundle cannot be read; undefined where it can. */
export function whyNotABundle(bundle: Json): string | undefined {
  const { type, entry } = bundle
  if (hasImplicitRules(bundle)) return FHIR_REASONS.implicitRules
  if (isPart(bundle)) return FHIR_REASONS.partsLeftOut
  if (hasModifier({ ...bundle, entry: undefined })) return FHIR_REASONS.modifier
  if (Object.keys(bundle).some(isMiswritten)) return MISWRITTEN
  if (type === 'document' && !allOf(entry).every(isUsableInDocument)) return NOT_FINAL
  if (BUNDLE_TYPES.includes(String(type))) return undefined
  return `The type of the Bundle must be one of ${BUNDLE_TYPES.join(', ')}. Others may hold old or deleted versions.`
}

const MISWRITTEN =
  'An element of the Bundle is not written as FHIR writes it (entry, link, total, type), so that what it says would not be seen.'

const ELEMENTS = ['entry', 'entries', 'link', 'links', 'total', 'type']

function isMiswritten(key: string): boolean {
  const plain = key.trim().toLowerCase()
  return plain !== key ? ELEMENTS.includes(plain) : ['entries', 'links'].includes(key)
}

const NOT_FINAL =
  'The Composition of the document is preliminary, entered in error, or has no status, so that it does not say what is so.'

/** What a document holds counts by its Composition. */
function isUsableInDocument(entry: unknown): boolean {
  const resource = inside(entry, 'resource')
  return (
    inside(resource, 'resourceType') !== 'Composition' ||
    ['final', 'amended'].includes(textOf(inside(resource, 'status')) ?? '')
  )
}

/** With an underscore: there are some, and which is not said. */
function hasImplicitRules(resource: Json): boolean {
  return resource['implicitRules'] !== undefined || resource['_implicitRules'] !== undefined
}

/**
 * Rule 2. What FHIR calls a modifier changes the meaning of the element that holds it, or even negates it. A resource with one that is
 * not known is not read: it is doubt for its patient.
 */
export function whyUnreadable(resource: Json): string | undefined {
  if (hasImplicitRules(resource)) return FHIR_REASONS.implicitRules
  if (isPart(resource)) return FHIR_REASONS.partsLeftOut
  return hasModifier(resource) ? FHIR_REASONS.modifier : undefined
}

/** Labels of a resource that was not sent as a whole: what it does not say may be so all the same. */
const PARTIAL_LABELS = ['SUBSETTED', 'REDACTED', 'MASKED']
const LABEL_SYSTEMS = [
  'http://terminology.hl7.org/CodeSystem/v3-ObservationValue',
  'http://hl7.org/fhir/v3/ObservationValue',
]

function isPart({ meta }: Json): boolean {
  const labels = [...allOf(inside(meta, 'tag')), ...allOf(inside(meta, 'security'))]
  return labels.some(
    (label) =>
      LABEL_SYSTEMS.includes(systemName(textOf(inside(label, 'system')) ?? '')) &&
      PARTIAL_LABELS.includes(String(inside(label, 'code'))),
  )
}

/** Anywhere in the resource, but not in those that it contains, which are not read. */
function hasModifier(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(hasModifier)
  if (!isObject(node)) return false
  return Object.keys(node).some(
    (key) => key === 'modifierExtension' || (key !== 'contained' && hasModifier(node[key])),
  )
}

/** Requests that carry the whole resource, or ask for one. */
const WHOLE_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']

/** Rule 2, for entries: why one cannot be read. A deletion is skipped where the Bundle asks for changes; elsewhere it is not clear. */
export function whyNotAnEntry(entry: unknown, bundleType: unknown): string | undefined {
  if (isObject(entry) && hasModifier({ ...entry, resource: undefined }))
    return 'An entry has a modifierExtension.'
  const method = inside(entry, 'request', 'method')
  if (method === 'DELETE' && !isChange(bundleType)) return 'An entry is a deletion outside of a transaction.'
  if (method === 'PATCH') return 'An entry changes a resource that is not in the body.'
  const isKnown = method === undefined || WHOLE_METHODS.includes(textOf(method) ?? '')
  return isKnown ? undefined : 'The request of an entry has a method that FHIR does not have.'
}

export function isDeletion(entry: unknown, bundleType: unknown): boolean {
  return inside(entry, 'request', 'method') === 'DELETE' && isChange(bundleType)
}

function isChange(bundleType: unknown): boolean {
  return bundleType === 'transaction' || bundleType === 'batch'
}

/** The code systems of the statuses of a Condition. A code of another system is not compared: it may mean something else. */
const STATUS_SYSTEMS = {
  clinical: [
    'http://terminology.hl7.org/CodeSystem/condition-clinical',
    'http://hl7.org/fhir/condition-clinical',
  ],
  verification: [
    'http://terminology.hl7.org/CodeSystem/condition-ver-status',
    'http://hl7.org/fhir/condition-ver-status',
  ],
}
const PRESENT = ['active', 'recurrence', 'relapse']
const OVER = ['inactive', 'remission', 'resolved']
const CONFIRMED = ['confirmed']
const NOT_CONFIRMED = ['unconfirmed', 'provisional', 'differential', 'refuted', 'entered-in-error']

/** Rule 4. The codes of a status by system and code: empty without a status, undefined where it cannot be read or contradicts itself. */
export function statusCodes(
  status: unknown,
  kind: keyof typeof STATUS_SYSTEMS,
): readonly string[] | undefined {
  if (status === undefined) return []
  const codes = allOf(inside(status, 'coding')).flatMap((coding) => {
    const isOfSystem = STATUS_SYSTEMS[kind].includes(systemName(textOf(inside(coding, 'system')) ?? ''))
    return isOfSystem ? [String(inside(coding, 'code')).trim()] : []
  })
  const sides = kind === 'clinical' ? [PRESENT, OVER] : [CONFIRMED, NOT_CONFIRMED]
  const isOneSided = sides.some((side) => codes.every((code) => side.includes(code)))
  return codes.length > 0 && isOneSided ? codes : undefined
}

/** How certain a diagnosis of ICD-10-GM is, in an extension of its coding: excluded (A), suspected (V), past (Z) or confirmed (G). */
const CERTAINTY = 'http://fhir.de/StructureDefinition/icd-10-gm-diagnosesicherheit'

/** Rule 4, for codes that say themselves how certain the diagnosis is: whether such a code leaves it open. */
export function isUncertain(code: unknown, clinical: readonly string[]): boolean {
  const certainties = allOf(inside(code, 'coding')).flatMap((coding) =>
    allOf(inside(coding, 'extension'))
      .filter((each) => inside(each, 'url') === CERTAINTY)
      .map((each) => textOf(inside(each, 'valueCoding', 'code')) ?? ''),
  )
  const isPast = clinical.some((each) => OVER.includes(each))
  return !certainties.every((each) => each === 'G' || (each === 'Z' && isPast))
}

/** Rule 4, for statuses that are codes: those that count, and those that do not. Another status, or none, leaves it open. */
const STATUSES = {
  Observation: {
    counts: ['final', 'amended', 'corrected'],
    not: ['registered', 'preliminary', 'cancelled', 'entered-in-error'],
  },
  QuestionnaireResponse: {
    counts: ['completed', 'amended'],
    not: ['in-progress', 'stopped', 'entered-in-error'],
  },
  Procedure: {
    counts: ['completed'],
    not: ['preparation', 'in-progress', 'not-done', 'on-hold', 'stopped', 'entered-in-error'],
  },
}

/** Reasons for the absence of a value that say that none was found out. After the others there is one, which was not sent. */
const NOT_FOUND_OUT = ['not-performed', 'not-asked', 'asked-declined', 'not-applicable']
const ABSENT_SYSTEMS = [
  'http://terminology.hl7.org/CodeSystem/data-absent-reason',
  'http://hl7.org/fhir/data-absent-reason',
]

/** Rule 4, without a value: whether the reason given says that nothing was measured. Then an older value counts. */
export function isNotFoundOut({ dataAbsentReason }: Json): boolean {
  const codes = allOf(inside(dataAbsentReason, 'coding')).flatMap((coding) =>
    ABSENT_SYSTEMS.includes(systemName(textOf(inside(coding, 'system')) ?? ''))
      ? [String(inside(coding, 'code'))]
      : [],
  )
  return codes.length > 0 && codes.every((code) => NOT_FOUND_OUT.includes(code))
}

/** `counting` replaces the statuses that count, where the mapping states them. */
export function isCounted(
  type: keyof typeof STATUSES,
  status: unknown,
  counting: readonly string[] = STATUSES[type].counts,
): boolean | undefined {
  const code = textOf(status) ?? ''
  if (counting.includes(code)) return true
  return STATUSES[type].not.includes(code) ? false : undefined
}

/** Rule 6. Whether a Condition had ended by the moment, by its abatement; `open` where that leaves it open. */
export function abatementOf(
  resource: Json,
  momentOf: (text: unknown) => Moment | undefined,
  isAfterMoment: (given: Moment | undefined) => boolean | undefined,
): 'none' | 'over' | 'later' | 'open' {
  // With an underscore: it has ended, and the end itself is not known.
  const given = Object.keys(resource).filter((key) => /^_?abatement/.test(key) && resource[key] !== false)
  if (given.length === 0) return 'none'
  const { abatementDateTime, abatementPeriod } = resource
  const start = momentOf(inside(abatementPeriod, 'start'))
  if (start !== undefined && isAfterMoment(start) === true) return 'later'
  const end = momentOf(abatementDateTime ?? inside(abatementPeriod, 'end'))
  // An age, a range or a text says that it is over, and not since when.
  const isLater = isAfterMoment(end)
  if (isLater === undefined) return 'open'
  return isLater ? 'later' : 'over'
}
