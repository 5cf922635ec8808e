/**
 * The rules by which resources of FHIR give a number, from top to bottom in the order in which they are applied. Each rule looks at one
 * thing, and the first line that applies decides: it counts, it does not count, or it is doubt. A doubt makes a value missing, with the
 * reason that stands in its line (`WHY`); it falls on the patients whom it may concern, and on nobody else. What may count and what may
 * have been left out is doubt too: `undefined` is "not known" everywhere.
 *
 *  1. The body              2. Entries               3. Resources that are not read    4. Whose a resource is
 *  5. The patient           6. Statuses              7. The moment                     8. One Encounter
 *  9. The index stay       10. Visits twice         11. Visits that led to the stay   12. Earlier visits
 * 13. Primary care         14. Windows              15. Conditions                    16. Codes of diagnoses
 * 17. Observations         18. Readings of a scale
 *
 * Codes, units and windows of fields are data: `clinical/fhir`. What the lines below ask is found out in files of one idea: `body/` for
 * addresses, identities and persons, `stays/` for visits, `moment.ts` for dates and times. Results that say by their links or their total
 * that they are a part are refused (`remote/search-pages.ts`); one whose own address asks for less says "none" of nothing else
 * (`body/narrowed-results.ts`). An element outside of its list is a list of one (`remote/elements.ts`).
 */
import { FHIR_REASONS as WHY, type Mapping, isFhirType } from '@patient-risk/catalog'
import { type Json, inside, isObject, textOf } from 'patient-risk-engine/read'
import { allOf } from '../../../remote/elements.ts'
import {
  ANYBODY,
  A_URN,
  SOMEBODY_ELSE,
  identifiedBy,
  namedOrIdentified,
  ofEncounterOf,
} from './body/concern.ts'
import type { Entry, Linked, Resolve } from './body/entry.ts'
import { isFailedSearch, isFailure } from './body/failed-search.ts'
import { hasImplicitRules, hasModifier, isPart } from './body/modifiers.ts'
import { type Link, subjectIdentifiers } from './body/persons.ts'
import { isR5 } from './body/r5.ts'
import { addressIn, shortIn, urnIn } from './body/references.ts'
import { isMiswrittenElement } from './body/spelling.ts'
import type { Subject } from './body/subject.ts'
import { type Finding, type Reason, type ReasonText, entryOf, missing } from './finding.ts'
import {
  type Moment,
  addDays,
  daysBetween,
  isAfter,
  isBefore,
  isWithinHours,
  isoDay,
  lastDay,
  latestIn,
} from './moment.ts'
import { inTwoKinds, overlapping, sharingNumbers } from './stays/alike-visits.ts'
import { type Visit, hasBegun } from './stays/visit.ts'
import { certaintiesIn, statusCodesIn } from './status-codes.ts'

// ---- 1. The body. A fault refuses the whole call. ----

/** A history holds old and deleted versions, a message asks for an action, and what a Bundle without a type means is not known. */
export const BUNDLE_TYPES = ['collection', 'searchset', 'transaction', 'batch', 'batch-response', 'document']

/** Why a Bundle cannot be read; undefined where it can. */
export function whyNotABundle(bundle: Json): string | undefined {
  const { type, entry } = bundle
  if (hasImplicitRules(bundle)) return WHY.implicitRules
  if (isPart(bundle)) return WHY.partsLeftOut
  if (hasModifier({ ...bundle, entry: undefined })) return WHY.modifier
  if (Object.keys(bundle).some(isMiswrittenElement)) return MISWRITTEN
  if (type === 'document' && !allOf(entry).every(isUsableInDocument)) return NOT_FINAL
  if (BUNDLE_TYPES.includes(String(type))) return undefined
  return `The type of the Bundle must be one of ${BUNDLE_TYPES.join(', ')}. Others may hold old or deleted versions.`
}

const MISWRITTEN =
  'An element of the Bundle is not written as FHIR writes it (entry, link, total, type), so that what it says would not be seen.'
const NOT_FINAL =
  'The Composition of the document is preliminary, entered in error, or has no status, so that it does not say what is so.'

/** What a document holds counts by its Composition. */
function isUsableInDocument(entry: unknown): boolean {
  const resource = inside(entry, 'resource')
  if (inside(resource, 'resourceType') !== 'Composition') return true
  return ['final', 'amended'].includes(textOf(inside(resource, 'status')) ?? '')
}

// ---- 2. Entries. A fault is an error of the whole body: what was not read may belong to any patient of the Bundle. ----

export interface BodyFault {
  /** From the value set issue-type of R4. */
  readonly code: 'not-supported' | 'structure' | 'incomplete'
  readonly text: string
}

/** Requests that carry the whole resource, or ask for one. */
const WHOLE_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']

/** Where a Bundle asks for changes, a deletion is skipped, and what it deletes is not read (rule 3). Elsewhere it is not clear. */
export function isDeletion(entry: unknown, bundleType: unknown): boolean {
  const isChange = bundleType === 'transaction' || bundleType === 'batch'
  return inside(entry, 'request', 'method') === 'DELETE' && isChange
}

export function faultOfEntry(entry: unknown): BodyFault | undefined {
  const method = inside(entry, 'request', 'method')
  const isKnown = method === undefined || WHOLE_METHODS.includes(textOf(method) ?? '')
  if (isObject(entry) && hasModifier({ ...entry, resource: undefined }))
    return unread('An entry has a modifierExtension.')
  if (method === 'DELETE') return unread('An entry is a deletion outside of a transaction.')
  if (method === 'PATCH') return unread('An entry changes a resource that is not in the body.')
  if (!isKnown) return unread('The request of an entry has a method that FHIR does not have.')
  if (!isObject(inside(entry, 'resource'))) return { code: 'structure', text: 'An entry has no resource.' }
  return isFailedSearch(entry) ? { code: 'incomplete', text: FAILED } : undefined
}

/** The same for a resource. One of a type that FHIR does not have may be a stay or a value under another name. */
export function faultOfResource(resource: Json): BodyFault | undefined {
  const type = textOf(resource['resourceType'])
  if (type === undefined) return { code: 'structure', text: 'A resource has no type.' }
  if (type === 'Bundle' || type === 'Parameters') return unread(WITHIN)
  if (!isFhirType(type)) return { code: 'structure', text: OTHER_TYPE }
  return isFailure(resource) ? { code: 'incomplete', text: FAILED } : undefined
}

function unread(text: string): BodyFault {
  return { code: 'not-supported', text }
}

const FAILED =
  'A search has failed, as an OperationOutcome or its status says, so the Bundle is not complete.'
const WITHIN = 'A Bundle or Parameters within a Bundle was not read. Send its resources in one Bundle.'
const OTHER_TYPE = 'The type of a resource is not one of FHIR, written as FHIR writes it.'

// ---- 3. Resources that are not read. Each is doubt for its patient, wherever it could change a value. ----

/** What FHIR calls a modifier changes the meaning of the element that holds it, or even negates it. */
export function whyUnreadable(
  resource: Json,
  found: { readonly isContained?: boolean; readonly isDeleted?: boolean } = {},
): string | undefined {
  if (found.isDeleted === true) return WHY.deleted
  if (found.isContained === true)
    return 'It is contained in another resource, where this service does not read it.'
  if (hasImplicitRules(resource)) return WHY.implicitRules
  if (isPart(resource)) return WHY.partsLeftOut
  return hasModifier(resource) ? WHY.modifier : undefined
}

// ---- 4. Whose a resource is: that of the Patient of the body whom its subject names, if its identifier does not contradict. ----

/** Whom a resource may concern otherwise. It is doubt for them. "Somebody else" needs proof. */
export function whomItConcerns(entry: Entry, linked: Linked): string {
  const reference = inside(entry.resource, 'subject', 'reference')
  const address = addressIn(reference)
  const identifiers = subjectIdentifiers(entry)
  if (urnIn(reference) !== undefined) return A_URN
  // An old id, after two records were merged, beside the number that the patient still has.
  if (address?.type === 'Patient' && identifiers.length > 0)
    return namedOrIdentified(shortIn(address), identifiers)
  // The same id on another server, or in another case: hospitals have several names for one server.
  if (address?.type === 'Patient') return shortIn(address)
  if (address?.type === 'Device' || address?.type === 'Location') return SOMEBODY_ELSE
  const visit = linked(entry, entry.type === 'Encounter' ? 'partOf' : 'encounter')
  const patient = visit === undefined ? undefined : linked(visit, 'subject')
  if (patient?.type === 'Patient') return ofEncounterOf(patient)
  return identifiers.length === 0 ? ANYBODY : identifiedBy(identifiers)
}

/** Whom or what an Observation is about (`focus`): its subject, certainly somebody else, or something that is not known, which is doubt. */
export function focusOf(
  entry: Entry,
  patient: Entry,
  resolve: Resolve,
): 'patient' | 'somebody else' | 'unclear' {
  const { type, resource } = entry
  const focus = type === 'Observation' ? allOf(resource['focus']) : []
  const judged = focus.map((each) => {
    const reference = inside(each, 'reference')
    const found = resolve(reference, entry)
    if (found === patient) return 'patient'
    const address = addressIn(reference)
    if (found?.type === 'Patient' || address?.type === 'RelatedPerson') return 'somebody else'
    const isOther =
      address?.type === 'Patient' && shortIn(address).toLowerCase() !== patient.short.toLowerCase()
    return isOther ? 'somebody else' : 'unclear'
  })
  if (judged.every((each) => each === 'patient')) return 'patient'
  return judged.every((each) => each === 'somebody else') ? 'somebody else' : 'unclear'
}

// ---- 5. The patient. ----

/** Whether a record was merged into another one, by its own links or by those of a record that is connected with it. */
export function isMerged(patient: Entry, links: readonly Link[], linksOfOthers: readonly Link[]): boolean {
  if (links.some(({ type }) => type === 'replaced-by')) return true
  return linksOfOthers.some(({ type, other }) => type === 'replaces' && other === patient)
}

/** Whether more of the patient is kept in another record. Then its history is not complete; so it is with resources of a linked record. */
export function isKeptElsewhere(links: readonly Link[], isConnectedElsewhere: boolean): boolean {
  return isConnectedElsewhere || links.some(({ type }) => type !== 'replaced-by' && type !== 'replaces')
}

export interface Death {
  readonly at: string
  /** Whether it came after the moment; undefined where it has no date. */
  readonly isLater: boolean | undefined
}

/** Why there is no risk at all, whatever the values are. */
export function whyNoRisk(subject: Subject, deaths: readonly Death[]): Finding | undefined {
  const { conflict, patient, twin, isReplaced } = subject
  const { path, unreadable } = patient
  if (conflict !== undefined) return missing(WHY.twiceDifferent, conflict.path, 'duplicate')
  if (unreadable !== undefined)
    return missing(
      { text: WHY.patientUnreadable, parts: { why: { phrase: unreadable } } },
      path,
      'not-supported',
    )
  if ((patient.resource['active'] ?? true) !== true)
    return missing(WHY.notInUse, `${path}.active`, 'business-rule')
  if (twin !== undefined)
    return missing(
      { text: WHY.sameIdentifier, parts: { place: entryOf(twin.path) } },
      `${path}.identifier`,
      'duplicate',
    )
  if (isReplaced) return missing(WHY.merged, `${path}.link`, 'business-rule')
  // Without a date it is not known whether the patient was alive at a moment in the past.
  const death = deaths.find(({ isLater }) => isLater !== true)
  if (death === undefined) return undefined
  return missing(death.isLater === false ? WHY.hadDied : WHY.mayHaveDied, death.at, 'business-rule')
}

// ---- 6. Statuses: those that count, and those that do not. Another status, or none, is doubt. ----

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

export const DID_NOT_HAPPEN = ['planned', 'cancelled', 'entered-in-error']

/** The mapping says which statuses of an Encounter are finished, current and waiting. */
export function statusOf(
  status: string,
  { finished, current, waiting }: Mapping['encounters'],
): Visit['status'] {
  if (finished.includes(status)) return 'finished'
  if (current.includes(status)) return 'current'
  if (waiting.includes(status)) return 'waiting'
  return DID_NOT_HAPPEN.includes(status) ? 'ignored' : 'unknown'
}

const CONDITION_STATUSES = {
  clinical: [
    ['active', 'recurrence', 'relapse'],
    ['inactive', 'remission', 'resolved'],
  ],
  verification: [
    ['confirmed'],
    ['unconfirmed', 'provisional', 'differential', 'refuted', 'entered-in-error'],
  ],
} as const satisfies Readonly<Record<string, readonly (readonly string[])[]>>
export const OVER: readonly string[] = CONDITION_STATUSES.clinical[1]

/** The codes of a status of a Condition: none without a status, undefined where it cannot be read or contradicts itself. */
export function conditionStatus(
  status: unknown,
  kind: keyof typeof CONDITION_STATUSES,
): readonly string[] | undefined {
  if (status === undefined) return []
  const codes = statusCodesIn(status, kind)
  const sides: readonly (readonly string[])[] = CONDITION_STATUSES[kind]
  const isOneSided = sides.some((side) => codes.every((code) => side.includes(code)))
  return codes.length > 0 && isOneSided ? codes : undefined
}

// ---- 7. The moment. What certainly lies after it does not count, and what may lie after it is doubt. ----

/**
 * The moment that everything is judged at: asOf, an instant or the end of a day; without it the end of an index stay that was over
 * before today; else now. A clock elsewhere may be a day ahead of ours, so that now, or today without a time, reaches to the end of
 * tomorrow.
 */
export function momentOfAssessment(
  asOf: Moment | undefined,
  endOfStay: Moment | undefined,
  today: number,
): Moment {
  const now = { day: addDays(today, 1), precision: 'day' } as const
  if (asOf === undefined) return endOfStay !== undefined && endOfStay.day < today ? endOfStay : now
  return asOf.instant === undefined && asOf.day === today ? now : asOf
}

/** The time of an Observation or a QuestionnaireResponse; what was issued after the moment was not known then, whenever it was taken. */
export function timeOfValue({
  effectiveDateTime,
  effectiveInstant,
  effectivePeriod,
  authored,
}: Json): unknown {
  const inPeriod = inside(effectivePeriod, 'end') ?? inside(effectivePeriod, 'start')
  return effectiveDateTime ?? effectiveInstant ?? inPeriod ?? authored
}

export function timeOfProcedure({ performedDateTime, performedPeriod }: Json): unknown {
  return performedDateTime ?? inside(performedPeriod, 'start')
}

/** The time of a Condition. What was recorded later was not known, whenever it began. */
export function timeOfCondition<T>(recorded: T | undefined, onset: T | undefined): T | undefined {
  return recorded ?? onset
}

/** Why there is no risk where the caller names no moment: its period is over, or may be. It would read like one for the future. */
export function whyPeriodOver(
  index: Visit,
  isEndUnknown: boolean,
  days: number,
  today: number,
): Finding | undefined {
  const at = `${index.entry.path}.period`
  if (isEndUnknown) return missing(WHY.periodMayBeOver, at, 'required')
  const end = index.end && addDays(index.end.day, days)
  if (end === undefined || end >= today) return undefined
  return missing({ text: WHY.periodOver, parts: { day: isoDay(end) } }, at, 'business-rule')
}

// ---- 8. One Encounter: what its period says, and what it is a part of. An unknown class, or two, is doubt (rules 9 and 12). ----

/** Ten years. A start that is longer ago than that is a date that stands for none, such as 1 January 1900. */
const LONGEST_STAY_DAYS = 3_653

export interface WrittenPeriod {
  /** Where it is a date, or a date and time. */
  readonly start: Moment | undefined
  readonly end: Moment | undefined
  /** Also where it is not a date, or an element with an underscore says why it is not told. */
  readonly isEndGiven: boolean
  /** Whether its time is written in another offset than that of the hospital, which has another day then. */
  readonly isEndElsewhere: boolean
}

/** What of a period can be used. A stay without a usable start may be of any time; one without an end may go on. */
export function usablePeriod(
  { start, end, isEndGiven, isEndElsewhere }: WrittenPeriod,
  { kind, status }: Pick<Visit, 'kind' | 'status'>,
  tomorrow: number,
): Pick<Visit, 'start' | 'end' | 'endFault'> {
  const isReversed = start !== undefined && end !== undefined && isBefore(end, start)
  const isEndWrong = isEndGiven && (end === undefined || isReversed)
  // Not on one day: clocks of wards differ, and the day is certain.
  const isBackwards = isReversed && end.day < start.day
  const isEndless =
    start !== undefined && end !== undefined && daysBetween(start.day, end.day) > LONGEST_STAY_DAYS
  const isStartOpen = isBackwards || (isEndless && kind !== 'other')
  const isEndAhead = end !== undefined && end.day > tomorrow
  // The end of an unfinished stay may be a plan.
  const ahead = isEndAhead && status !== 'current' ? WHY.endAhead : undefined
  return {
    start: isStartOpen ? undefined : start,
    end: isEndWrong || isEndAhead ? undefined : end,
    endFault: isEndElsewhere ? WHY.endElsewhere : isEndWrong ? WHY.endWrong : ahead,
  }
}

export interface Whole {
  readonly isNamed: boolean
  /** What `partOf` refers to, where the body holds it. */
  readonly sent: Entry | undefined
  /** A newborn's Encounter is part of its mother's: only a parent of the same patient makes a part. */
  readonly isOfPatient: boolean
  readonly isCircular: boolean
  /** Whether it was at another time. */
  readonly isApart: boolean
  readonly isOfKind: boolean
}

/** A part of a stay is no stay of its own. `isTyped`: its type says that it is a part, whether or not it names the whole. */
export function partOf(whole: Whole, isTyped: boolean): Pick<Visit, 'parent' | 'isPart' | 'partFault'> {
  const { isNamed, sent, isOfPatient, isCircular, isApart, isOfKind } = whole
  const apart = { parent: undefined, isPart: isTyped }
  if (isNamed && sent === undefined) return { ...apart, partFault: WHY.partOfUnsent }
  if (!isOfPatient) return { ...apart, partFault: undefined }
  if (isCircular || isApart) return { ...apart, partFault: WHY.partOfOther }
  return { parent: sent, isPart: isTyped || isOfKind, partFault: undefined }
}

// ---- 9. The index stay: the one that the caller names, or the latest. No earlier stay takes the place of one that may be the latest. ----

/** Whether an Encounter may be the latest stay. */
export function mayBeStay(visit: Visit, by: Moment): boolean {
  const { kind, status, isPart, entry } = visit
  if (hasBegun(visit, by) === false) return false
  if (isR5(entry.resource)) return true
  if (isPart || status === 'ignored' || status === 'waiting') return false
  return kind === 'inpatient' || kind === 'unknown'
}

/** The named stay, or why it cannot be the index stay. */
export function namedStay(visit: Visit, by: Moment): Visit | Finding {
  const { kind, status, entry, isPart, partFault, start } = visit
  if (kind === 'emergency' || kind === 'other')
    return missing(WHY.notInpatient, `${entry.path}.class`, 'business-rule')
  if (isPart || (partFault !== undefined && partFault !== WHY.partOfUnsent)) {
    const part = { phrase: partFault ?? WHY.partOfUnclear }
    return missing({ text: WHY.namedIsPart, parts: { part } }, `${entry.path}.partOf`, 'incomplete')
  }
  if (status !== 'finished' && status !== 'current') return missing(WHY.notTakenPlace)
  if (start !== undefined && hasBegun(visit, by) === undefined)
    return missing(WHY.namedMayBegin, `${entry.path}.period`)
  return hasBegun(visit, by) === false ? missing(WHY.namedNotBegun, `${entry.path}.period`) : visit
}

export interface LatestStays {
  /** Those that none of the others certainly follows. */
  readonly latest: readonly Visit[]
  /** Stays that may be the patient's (rule 4). */
  readonly rivals: readonly Visit[]
  readonly by: Moment
  readonly doubled: ReadonlyMap<Entry, ReasonText>
  /** Another stay that ended where this one began: at the moment, or on its day. */
  readonly endedThen: (stay: Visit) => Visit | undefined
}

/** The latest stay, or undefined if the patient has no stay. */
export function latestStay({
  latest,
  rivals,
  by,
  doubled,
  endedThen,
}: LatestStays): Visit | Finding | undefined {
  const rival = latest.find((visit) => rivals.includes(visit))
  if (rival !== undefined) {
    const why = { text: WHY.latestNotUsable, parts: { place: entryOf(rival.entry.path) } }
    return unclearStay(why, rival, 'subject', 'incomplete')
  }
  if (latest.some(({ start }) => start === undefined)) return unclearStay(WHY.latestNoStart)
  const late = latest.find((visit) => hasBegun(visit, by) === undefined)
  if (late !== undefined) return unclearStay(WHY.latestMayBegin, late, 'period', 'value')
  const unknown = latest.find(({ kind, entry }) => kind === 'unknown' && !isR5(entry.resource))
  if (unknown !== undefined) return unclearStay(WHY.latestClass, unknown, 'class')
  if (latest.length > 1) return unclearStay(WHY.severalLatest)
  const [newest] = latest
  if (newest === undefined) return undefined
  if (newest.partFault !== undefined) {
    const why = { text: WHY.latestIsPart, parts: { part: { phrase: newest.partFault } } }
    return unclearStay(why, newest, 'partOf', 'incomplete')
  }
  if (newest.status === 'unknown') return unclearStay(WHY.latestStatus, newest, 'status')
  const twice = doubled.get(newest.entry)
  if (twice !== undefined) return unclearStay(twice, newest, 'period', 'duplicate')
  const ended = endedThen(newest)
  if (ended !== undefined) return unclearStay(WHY.endedAndBegan, ended, 'period', 'value')
  return newest
}

/** Any of them may be the latest, so the caller has to name one. */
function unclearStay(why: ReasonText | Reason, visit?: Visit, element = '', code = 'code-invalid'): Finding {
  const sentence = typeof why === 'string' ? { text: why } : why
  const asked = { text: WHY.nameTheStay, parts: { why: { sentence } } }
  return missing(asked, visit && `${visit.entry.path}.${element}`, visit && code)
}

// ---- 10. Visits that may be one visit recorded twice: nobody is in two beds at a time. Doubt for the index stay and for counts. ----

/** The visits with the reason for the doubt. A part of a stay is no visit of its own. */
export function doubledIn(visits: readonly Visit[]): ReadonlyMap<Entry, ReasonText> {
  const doubled = new Map<Entry, ReasonText>()
  const own = visits.filter(({ status, isPart: isOfStay }) => status !== 'ignored' && !isOfStay)
  for (const kind of ['inpatient', 'emergency'] as const) {
    const ofKind = own.filter((visit) => visit.kind === kind)
    for (const entry of sharingNumbers(ofKind)) doubled.set(entry, WHY.sameNumber)
    for (const entry of overlapping(ofKind)) doubled.set(entry, OVERLAP[kind])
  }
  for (const entry of inTwoKinds(own)) doubled.set(entry, OVERLAP.inpatient)
  return doubled
}

const OVERLAP = { inpatient: WHY.staysOverlap, emergency: WHY.visitsOverlap }

// ---- 11. Emergency visits that led to the index stay. They do not count as earlier ones, and their readings are of the stay. ----

const LONGEST_EMERGENCY_DAYS = 3

/** `admittedFrom`: what the index stay says that it is a part of. `hours`: as the mapping states them. */
export function hasLedTo(
  index: Visit | undefined,
  visit: Visit,
  admittedFrom: Entry | undefined,
  hours: number,
): boolean | undefined {
  if (index === undefined || visit === index) return false
  if (visit.kind !== 'emergency' || visit.status === 'ignored') return false
  if (visit.parent === index.entry || admittedFrom === visit.entry) return true
  const { start, end } = visit
  const admitted = index.start
  if (start === undefined || admitted === undefined) return false
  if (isBefore(admitted, start)) return false
  if (end !== undefined) return isWithinHours(end, admitted, hours)
  if (isWithinHours(start, admitted, hours) === true) return true
  // It may have lasted until the admission, but an emergency visit does not last for weeks.
  return daysBetween(start.day, admitted.day) > LONGEST_EMERGENCY_DAYS ? false : undefined
}

// ---- 12. Earlier visits: admissions and emergency visits in the months before the index stay. ----

/** Where something lies: before the window, in it, or after its end, which is the admission or the moment. */
export type Place = 'before' | 'within' | 'after' | 'unknown'

export interface EarlierVisit {
  readonly visit: Visit
  /** By its start; that of a stay which began in the emergency department by its arrival there. */
  readonly place: Place
  /** Whether it is the index stay, a part of it, or a visit that led to it. */
  readonly isOfIndex: boolean
  readonly mayHaveLed: boolean
  /** Whether it had not ended by the moment. */
  readonly isOpen: boolean
  /** Why it may be recorded twice. */
  readonly twice: ReasonText | undefined
}

/** Whether a visit counts as one of the wanted kind, or why that is not known. One doubt makes the whole count missing. */
export function countsAsEarlier(
  { visit, place, isOfIndex, mayHaveLed, isOpen, twice }: EarlierVisit,
  wanted: 'inpatient' | 'emergency',
): boolean | Finding {
  const { entry, kind, status, arrival, isPart: isOfStay, partFault } = visit
  const doubt = (why: ReasonText | Reason, element: string, code = 'code-invalid'): Finding =>
    missing(why, `${entry.path}.${element}`, code)
  // A stay that began in the emergency department was a visit there too.
  const isArrival = wanted === 'emergency' && kind === 'inpatient'
  if (isOfIndex || status === 'ignored') return false
  if (place === 'before' || place === 'after') return false
  if (isArrival && arrival === undefined) return false
  if (isR5(entry.resource)) return doubt(WHY.formOfR5, 'class', 'not-supported')
  if (kind === 'unknown') return doubt(WHY.classInWindow, 'class')
  if ((kind !== wanted && !isArrival) || isOfStay) return false
  if (status === 'unknown') return doubt(WHY.statusInWindow, 'status')
  if (mayHaveLed) return doubt(WHY.mayHaveLed, 'period', 'value')
  if (twice !== undefined) return doubt(twice, 'period', 'duplicate')
  if (isOpen) return doubt(WHY.earlierOpen, 'status', 'incomplete')
  if (partFault !== undefined && (wanted === 'inpatient' || partFault !== WHY.partOfUnsent))
    return doubt({ text: WHY.isPartInWindow, parts: { part: { phrase: partFault } } }, 'partOf', 'incomplete')
  if (place === 'unknown') return doubt(WHY.noStartInWindow, 'period', 'value')
  return true
}

/**
 * Whether a visit shows that earlier ones were sent, where the call does not say so. One from before the window shows that the history
 * reaches that far back. Inside the window a stay or an emergency visit does; an outpatient visit shows nothing.
 */
export function showsHistory({ visit, place, isOfIndex, isOpen }: EarlierVisit): boolean {
  if (isOfIndex || visit.status === 'ignored' || isOpen) return false
  return place === 'before' || (place === 'within' && visit.kind !== 'other')
}

/** Whether a visit that may be the patient's (rules 3 and 4) could change the count. Then the count is missing. */
export function mayAddTo(visit: Visit, wanted: Visit['kind'], place: Place): boolean {
  const { entry, kind, status, arrival } = visit
  if (isR5(entry.resource)) return true
  if (status === 'ignored' || place === 'before' || place === 'after') return false
  return kind === wanted || kind === 'unknown' || (wanted === 'emergency' && arrival !== undefined)
}

/**
 * Whether an Encounter that was not sent, and that something names, may be one of the window. A value, a diagnosis or a procedure is of
 * the same time; a resource of another type, such as a Claim or a List, is from its time or later.
 */
export function mayBeUnsent(
  named: Moment | undefined,
  from: number,
  admission: number,
  isLater: boolean | undefined,
): boolean {
  if (named === undefined) return true
  if (lastDay(named) < from || named.day >= admission) return false
  return isLater !== true
}

// ---- 13. Visits to primary care in the months before the end of the stay. ----

export function countsAsPrimaryCare(visit: Visit, place: Place): boolean | Finding {
  const { entry, status, isPrimaryCare } = visit
  if (status === 'ignored' || isPrimaryCare === false) return false
  if (place === 'before' || place === 'after') return false
  if (isPrimaryCare === undefined) return missing(WHY.maybePrimaryCare, `${entry.path}.serviceType`)
  if (status !== 'finished' || place === 'unknown')
    return missing(WHY.primaryCareOpen, `${entry.path}.period`)
  return true
}

/** Only one from before the window shows that they were sent at all. */
export function showsPrimaryCare({ status, isPrimaryCare }: Visit, place: Place): boolean {
  return status !== 'ignored' && isPrimaryCare === true && place === 'before'
}

// ---- 14. Windows: whether an Observation or a Procedure lies in the stay, or in the months before it. ----

const MOST_DAYS_BEFORE = 31

export interface InWindow {
  readonly given: Moment | undefined
  readonly isOfStay: boolean
  /** The index stay, where there is one. */
  readonly index: Visit | undefined
  /** What the Encounter is to it, that the resource names. */
  readonly encounter: 'led' | 'may have led' | 'index' | 'another stay' | 'another visit' | 'none'
  /** Whether it came after the moment (rule 7). */
  readonly isLater: boolean | undefined
  /** The day of admission. */
  readonly anchor: number
  /** Whether its Encounter had ended by the moment. */
  readonly hadEnded: boolean
  /** The first day of the index stay, or of a visit that led to it. */
  readonly firstDay: number
  /** Whether the day lies in the window, by its own time or else by that of its Encounter. */
  readonly isInside: boolean | undefined
  /** The same for a window that begins with a visit which may have led to the stay. */
  readonly isInsideIfLed: boolean | undefined
  /** Whether the stay is over, and nothing says since when. */
  readonly isEndUnknown: boolean
}

export function liesInWindow(facts: InWindow): boolean | undefined {
  const { given, isOfStay, index, encounter, isLater, hadEnded, firstDay, isInside, isInsideIfLed } = facts
  if (isLater === true) return false
  if (isOfStay && index === undefined) return false
  if (encounter === 'led') return true
  if (encounter === 'may have led') return undefined
  if (encounter === 'index') {
    // Tests before an admission may be recorded in it, but not long before.
    const isLongBefore = given !== undefined && lastDay(given) < addDays(firstDay, -MOST_DAYS_BEFORE)
    // What belongs to a stay that had ended came before its end.
    return (isLater === false || hadEnded) && !isLongBefore ? true : undefined
  }
  if (isOfStay && encounter === 'another stay') return false
  // What names no Encounter, and came in the evening after a discharge, is of another visit.
  if (given !== undefined && index?.end !== undefined && isAfter(given, index.end) === true) return false
  if (isInside === true) {
    const isAfterStart = given !== undefined && given.day > facts.anchor
    return (facts.isEndUnknown && isAfterStart) || isLater === undefined ? undefined : true
  }
  return isInside === false && isInsideIfLed !== false ? undefined : isInside
}

// ---- 15. Conditions as diagnoses. ----

/** Whether a Condition says nothing: it is not confirmed (`permitted` is of the mapping), or was recorded after the moment. */
export function isNoDiagnosis(
  verified: readonly string[] | undefined,
  permitted: readonly string[],
  isLater: boolean | undefined,
): boolean {
  if (verified !== undefined && verified.length > 0 && !verified.some((each) => permitted.includes(each)))
    return true
  return isLater === true
}

export interface ConditionFacts {
  readonly entry: Entry
  readonly clinical: readonly string[] | undefined
  readonly verified: readonly string[] | undefined
  /** Whether its codes are of the group (rule 16). */
  readonly isOfGroup: () => boolean | undefined
  readonly whyNoGroup: Reason
  readonly isLater: boolean | undefined
  /** Whether it has no date, and its Encounter had ended by the moment: it was recorded there. */
  readonly isOfEarlier: boolean
  readonly byStatus: () => boolean | Reason
}

/** Whether a Condition counts for a group of diagnoses, or why that is not known. */
export function countsForGroup(facts: ConditionFacts): boolean | Finding {
  const { entry, clinical, verified, isLater, isOfEarlier } = facts
  const doubt = ({ text, parts }: Reason, element: string, issue = 'code-invalid'): Finding =>
    missing({ text, parts: { ...parts, place: entryOf(entry.path) } }, `${entry.path}.${element}`, issue)
  if (clinical === undefined || verified === undefined)
    return doubt({ text: WHY.statusNoCode }, 'clinicalStatus')
  const isOfGroup = facts.isOfGroup()
  if (isOfGroup === undefined) return doubt(facts.whyNoGroup, 'code')
  if (!isOfGroup) return false
  if (isUncertain(entry.resource['code'], clinical)) return doubt({ text: WHY.uncertain }, 'code')
  if (isLater === undefined && !isOfEarlier)
    return doubt({ text: WHY.maybeKnown }, 'recordedDate', 'required')
  const counts = facts.byStatus()
  return typeof counts === 'boolean' ? counts : doubt(counts, 'clinicalStatus', 'incomplete')
}

/** Whether a code itself leaves the diagnosis open: only a confirmed one (G), or a past one (Z) that is said to be over, does not. */
function isUncertain(code: unknown, clinical: readonly string[]): boolean {
  const isPast = clinical.some((each) => OVER.includes(each))
  return !certaintiesIn(code).every((each) => each === 'G' || (each === 'Z' && isPast))
}

/** Whether a Condition had ended by the moment, by its abatement; `open` where that is not known. */
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
  // An age, a range or a text says that it is over, and not since when.
  const isLater = isAfterMoment(momentOf(abatementDateTime ?? inside(abatementPeriod, 'end')))
  if (isLater === undefined) return 'open'
  return isLater ? 'later' : 'over'
}

export interface StatusFacts {
  /** The codes of `clinicalStatus`. */
  readonly clinical: readonly string[]
  readonly ended: ReturnType<typeof abatementOf>
  /** The statuses that say that the disease is there. */
  readonly present: readonly string[]
  /** What the mapping says of a disease that is over: it counts, is unclear, or counts for some years; undefined: it does not count. */
  readonly history: Mapping['diagnoses']['history'][string] | undefined
  /** Whether the moment is now, so that the present status is the one at the moment. */
  readonly isNow: boolean
  readonly hasBegunWithin: (years: number) => boolean | undefined
}

/** Whether a diagnosis counts by its status and its end. */
export function countsByStatus(facts: StatusFacts): boolean | Reason {
  const { clinical, ended, present, history, isNow } = facts
  // Without a status, an end that has come says that it is over.
  const statuses = clinical.length === 0 && ended === 'over' ? [RESOLVED] : clinical
  const hasOne = (permitted: readonly string[] = []): boolean =>
    statuses.some((each) => permitted.includes(each))
  const isOver = hasOne(history?.statuses)
  const isPresent = statuses.length === 0 || hasOne(present)
  // What ended after the moment was present then.
  if (ended === 'later') return true
  if (isPresent && ended === 'over' && statuses.length > 0 && history?.counts !== 'yes')
    return { text: WHY.presentAndEnded }
  if (isPresent && ended !== 'none' && history?.counts !== 'yes') return { text: WHY.maybeEnded }
  if (isPresent && !isOver) return true
  const wasOver = ended === 'over' || (ended === 'none' && isNow)
  if (history === undefined || !isOver) return wasOver ? false : { text: WHY.overNow }
  if (history.counts === 'yes') return true
  if (history.counts === 'unclear') return { text: WHY.overThatStays }
  const isRecent = facts.hasBegunWithin(history.counts.forYears)
  if (isRecent === false && !wasOver) return { text: WHY.overNow }
  return isRecent ?? { text: WHY.overSince, parts: { years: history.counts.forYears } }
}

const RESOLVED = 'resolved'

// ---- 16. Codes of diagnoses. "No" needs a code in full: what was cut short, is a block or a text may be any diagnosis of its kind. ----

export interface GroupFacts {
  /** Whether the mapping lists one of the codings for the group. */
  readonly isListed: boolean
  /** Whether there is a coding of ICD-10, or one that the mapping lists for a group. Then no map is asked. */
  readonly hasCodes: boolean
  /** What each code of ICD-10 says. */
  readonly icd: readonly (boolean | undefined)[]
  /** Whether everything under the name of ICD-10 is a code of it. */
  readonly isWhole: boolean
  /** What the maps of the site say of the other codes. */
  readonly mapped: () => readonly (boolean | undefined)[]
}

/** Whether the codes of a Condition are of a group. */
export function codesAreOfGroup({
  isListed,
  hasCodes,
  icd,
  isWhole,
  mapped,
}: GroupFacts): boolean | undefined {
  if (isListed || icd.includes(true)) return true
  if (hasCodes) return isWhole && !icd.includes(undefined) ? false : undefined
  const verdicts = mapped()
  return verdicts.includes(true) ? true : verdicts.includes(false) ? false : undefined
}

export interface IcdFacts {
  /** Whether it begins like a code of the group, and like none of its exceptions. */
  readonly isWithin: boolean
  /** Whether a code of the group, or an exception, begins with it. */
  readonly isPartly: boolean
  /** Whether its classification does not divide it further. */
  readonly isUndivided: boolean
  /** Whether the group is too old or too foreign for it (`unclear` of the mapping). */
  readonly isUnclear: boolean
}

export function icdIsOfGroup({ isWithin, isPartly, isUndivided, isUnclear }: IcdFacts): boolean | undefined {
  if (isPartly && !isUndivided) return undefined
  if (isWithin) return true
  return isUnclear ? undefined : false
}

/** What a ConceptMap and a ValueSet say of a code. Where they contradict each other, neither is believed. */
export function mapsSay(translated: boolean | undefined, listed: boolean | undefined): boolean | undefined {
  if (translated !== undefined && listed !== undefined && translated !== listed) return undefined
  return translated ?? listed
}

// ---- 17. Observations: the latest value of the window. No older one takes the place of one that may be later. ----

/** Reasons for the absence of a value that say that none was found out. After the others there is one, which was not sent. */
const NOT_FOUND_OUT = ['not-performed', 'not-asked', 'asked-declined', 'not-applicable']

/** Whether an Observation, or a component of it, gives a value; undefined where it may, or has one that was not sent. */
export function givesValue(status: unknown, part: Json): boolean | undefined {
  const counts = isCounted('Observation', status)
  if (counts === false) return false
  if (hasValue(part)) return counts
  const reasons = statusCodesIn(part['dataAbsentReason'], 'absence')
  const isNotFoundOut = reasons.length > 0 && reasons.every((each) => NOT_FOUND_OUT.includes(each))
  return isNotFoundOut ? false : undefined
}

function hasValue(part: Json): boolean {
  if (part['dataAbsentReason'] !== undefined) return false
  if (Object.keys(part).some((key) => key.startsWith('value'))) return true
  return ['component', 'hasMember', 'derivedFrom'].some((name) => allOf(part[name]).length > 0)
}

interface Timed {
  readonly moment: Moment | undefined
}

/** The latest of those that count. Undefined where the times leave it open, and the values differ. */
export function latestOf<T extends Timed>(all: readonly T[], valueOf: (each: T) => unknown): T | undefined {
  if (all.length <= 1) return all[0]
  if (all.some(({ moment }) => moment === undefined)) return undefined
  const last = latestIn(all, ({ moment }) => moment as Moment)
  return new Set(last.map((each) => JSON.stringify(valueOf(each)))).size === 1 ? last[0] : undefined
}

/** What may count and may be later than the one that was chosen, with another value. */
export function rivalOf<T extends Timed>(
  chosen: T,
  doubtful: readonly T[],
  valueOf: (each: T) => unknown,
): T | undefined {
  const value = JSON.stringify(valueOf(chosen))
  return doubtful.find((each) => mayBeLater(each, chosen) && JSON.stringify(valueOf(each)) !== value)
}

export function mayBeLater({ moment }: Timed, than: Timed): boolean {
  return moment === undefined || than.moment === undefined || !isBefore(moment, than.moment)
}

/** Whether a Procedure counts; undefined where its status or its time leaves it open. */
export function procedureCounts(
  isDone: boolean | undefined,
  isWithin: boolean | undefined,
): boolean | undefined {
  if (isWithin === false || isDone === false) return false
  return isDone === true ? isWithin : undefined
}

// ---- 18. Readings of a scale: those of one set, taken in one Encounter and within the hours that the mapping states for the scale. ----

const HOUR_MS = 3_600_000

export interface SetOfReadings {
  /** The instant of its last reading. */
  readonly last: number
  readonly hours: number
  /** The Encounter of its last reading. */
  readonly visit: Entry | undefined
}

/** Whether a reading belongs to the latest set. One of another hour or Encounter does not count. */
export function isOfSet({ moment }: Timed, visit: Entry | undefined, set: SetOfReadings): boolean {
  const isOfVisit = set.visit === undefined || visit === undefined || visit === set.visit
  return isOfVisit && (moment?.instant ?? -Infinity) >= set.last - set.hours * HOUR_MS
}

/** Whether a reading without a time of day, or one that may not count, may belong to the set. Then the scale is not known. */
export function mayBeOfSet({ moment }: Timed, newest: Moment | undefined, hours: number): boolean {
  if (moment === undefined || newest?.instant === undefined) return true
  // The set may begin the day before.
  const first: Moment = {
    ...newest,
    day: addDays(newest.day, -Math.ceil(hours / 24)),
    instant: newest.instant - hours * HOUR_MS,
  }
  return !isBefore(moment, first)
}
