/** An Encounter as a visit: its class, status and period, and what it is a part of. */
import { type Json, inside, textOf } from 'patient-risk-engine/read'
import { allOf } from '../../../remote/elements.ts'
import { codingsOf, isIn } from '../codings.ts'
import { FHIR_REASONS, type Mapping } from '@patient-risk/catalog'
import { type Moment, addDays, daysBetween, isBefore } from './moment.ts'
import type { Entry } from './entry.ts'
import type { ReasonText } from './finding.ts'
import { type Submission } from './submission.ts'

/** The most levels of Encounters within Encounters. */
export const DEEPEST = 8
/** Ten years. A start that is longer ago than that is a date that stands for none, such as 1 January 1900. */
const LONGEST_VISIT_DAYS = 3_653
const MOST_DAYS_APART = { stay: { before: 3, after: 0 }, visit: { before: 31, after: 31 } }

export type Rules = Mapping['encounters']

export interface Visit {
  readonly entry: Entry
  readonly kind: 'inpatient' | 'emergency' | 'other' | 'unknown'
  readonly status: 'finished' | 'current' | 'waiting' | 'ignored' | 'unknown'
  readonly start: Moment | undefined
  readonly end: Moment | undefined
  /** Why it has no end, although one is given. */
  readonly endFault: ReasonText | undefined
  /** Where a stay began in the emergency department: its arrival there. */
  readonly arrival: Moment | undefined
  /** Undefined where an outpatient visit does not say to which service it was. */
  readonly isPrimaryCare: boolean | undefined
  readonly parent: Entry | undefined
  readonly isPart: boolean
  /** Why it is not known what it is a part of, although it says so. */
  readonly partFault: ReasonText | undefined
}

export function readVisit(
  entry: Entry,
  encounters: ReadonlySet<Entry>,
  { linked, momentOf }: Submission,
  rules: Rules,
  tomorrow: number,
): Visit {
  const { resource } = entry
  const dayIn = (node: unknown, limit: 'start' | 'end'): Moment | undefined => {
    const moment = momentOf(inside(node, 'period', limit))
    return moment?.precision === 'day' ? moment : undefined
  }
  const kind = kindOf(resource['class'], rules)
  const status = statusOf(textOf(resource['status']) ?? '', rules)
  const whole = linked(entry, 'partOf')
  // A newborn's Encounter is part of its mother's: only a parent of the same patient makes a part.
  const sent = whole !== undefined && whole !== entry && encounters.has(whole) ? whole : undefined
  const phases = kind === 'inpatient' ? allOf(resource['classHistory']) : []
  const phaseOf = (wanted: Visit['kind']): unknown =>
    phases.find((each) => kindOf(inside(each, 'class'), rules) === wanted)
  const emergency = phaseOf('emergency')
  const begin = dayIn(resource, 'start')
  const start = dayIn(phaseOf('inpatient'), 'start') ?? begin
  const end = dayIn(resource, 'end')
  // An element with an underscore says why the end itself is not told.
  const isEndGiven =
    inside(resource, 'period', 'end') !== undefined || inside(resource, 'period', '_end') !== undefined
  const isReversed = start !== undefined && end !== undefined && isBefore(end, start)
  const isEndWrong = isEndGiven && (end === undefined || isReversed)
  // Not on one day: clocks of wards differ, and the day is certain.
  const isBackwards = isReversed && end.day < start.day
  const isEndless =
    start !== undefined && end !== undefined && daysBetween(start.day, end.day) > LONGEST_VISIT_DAYS
  const isStartOpen = isBackwards || (isEndless && kind !== 'other')
  const isEndAhead = end !== undefined && end.day > tomorrow
  // The end of an unfinished stay may be a plan.
  const ahead = isEndAhead && status !== 'current' ? FHIR_REASONS.endAhead : undefined
  const isCircular = sent !== undefined && leadsTo(entry, sent, linked)
  const isOfKind = sent !== undefined && kindOf(sent.resource['class'], rules) === kind
  const isElsewhere =
    sent !== undefined && isApart(start, dayIn(sent.resource, 'start'), dayIn(sent.resource, 'end'), isOfKind)
  const parent = isCircular || isElsewhere ? undefined : sent
  const partFault = parent === sent ? undefined : FHIR_REASONS.partOfOther
  const isTyped = allOf(resource['type']).some((type) => isIn(rules.partOfStay, codingsOf(type)))
  return {
    entry,
    kind,
    status,
    start: isStartOpen ? undefined : start,
    end: isEndWrong || isEndAhead ? undefined : end,
    endFault: isEndWrong ? FHIR_REASONS.endWrong : ahead,
    arrival: emergency === undefined ? undefined : (dayIn(emergency, 'start') ?? begin),
    isPrimaryCare: isPrimaryCare(resource, rules),
    parent,
    isPart: isTyped || (parent !== undefined && isOfKind),
    partFault:
      resource['partOf'] !== undefined && whole === undefined ? FHIR_REASONS.partOfUnsent : partFault,
  }
}

/** Whether a chain of parts comes back to where it began. */
function leadsTo(entry: Entry, from: Entry, linked: Submission['linked']): boolean {
  let whole: Entry | undefined = from
  for (let depth = 0; depth < DEEPEST && whole !== undefined; depth++) {
    if (whole === entry) return true
    whole = linked(whole, 'partOf')
  }
  return false
}

/**
 * Whether something began long before a whole, or after its end, so that it is no part of it. A visit of another kind that led to a stay,
 * or followed it, may be recorded as a part of it.
 */
function isApart(
  begin: Moment | undefined,
  start: Moment | undefined,
  end: Moment | undefined,
  isOfKind: boolean,
): boolean {
  if (begin === undefined) return false
  const { before, after } = isOfKind ? MOST_DAYS_APART.stay : MOST_DAYS_APART.visit
  const isEarly = start !== undefined && begin.day < addDays(start.day, -before)
  return isEarly || (end !== undefined && begin.day > addDays(end.day, after))
}

function isPrimaryCare(visit: Json, { primaryCare: { classes, services } }: Rules): boolean | undefined {
  const codings = codingsOf(visit['serviceType'])
  if (!isIn(classes, codingsOf(visit['class']))) return false
  const isKnown = codings.some(({ system }) => services.some((set) => set.system === system))
  return isKnown ? isIn(services, codings) : undefined
}

function kindOf(given: unknown, { classes }: Rules): Visit['kind'] {
  const codings = codingsOf(given)
  const kinds = (['inpatient', 'emergency', 'other'] as const).filter((kind) => isIn(classes[kind], codings))
  const [kind = 'unknown'] = kinds
  return kinds.length > 1 ? 'unknown' : kind
}

const IGNORED = ['planned', 'cancelled', 'entered-in-error']

function statusOf(status: string, { finished, current, waiting }: Rules): Visit['status'] {
  if (finished.includes(status)) return 'finished'
  if (current.includes(status)) return 'current'
  if (waiting.includes(status)) return 'waiting'
  return IGNORED.includes(status) ? 'ignored' : 'unknown'
}

/**
 * Parts of stays that say so by their level, and name no whole. One that lies in a stay of the patient is a part of it; the stay of
 * another one was not sent. In one pass, because there may be a hundred thousand.
 */
export function withWholes(visits: readonly Visit[]): readonly Visit[] {
  const isOpen = ({ isPart, parent }: Visit): boolean => isPart && parent === undefined
  const startOf = ({ start }: Visit): number => start?.day ?? Infinity
  if (!visits.some(isOpen)) return visits
  const stays = visits.filter(({ kind, isPart }) => kind === 'inpatient' && !isPart)
  const sorted = stays.toSorted((a, b) => startOf(a) - startOf(b))
  const withoutStay = new Set<Visit>()
  let at = 0
  let last = -Infinity
  for (const part of visits.filter(isOpen).toSorted((a, b) => startOf(a) - startOf(b))) {
    for (let stay = sorted[at]; stay !== undefined && startOf(stay) <= startOf(part); stay = sorted[++at])
      last = Math.max(last, stay.end?.day ?? Infinity)
    if (part.start === undefined || (part.end?.day ?? part.start.day) > last) withoutStay.add(part)
  }
  return visits.map((visit) =>
    withoutStay.has(visit) ? { ...visit, isPart: false, partFault: FHIR_REASONS.partOfUnclear } : visit,
  )
}
