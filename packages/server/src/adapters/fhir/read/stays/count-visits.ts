/** Counts of a patient's visits in the months before the index stay. The rules say of each visit whether it counts. */
import { FHIR_REASONS } from '@patient-risk/catalog'
import type { Entry } from '../body/entry.ts'
import { type Finding, entryOf, missing } from '../finding.ts'
import { type Moment, latestIn, monthsBefore } from '../moment.ts'
import {
  type EarlierVisit,
  countsAsEarlier,
  countsAsPrimaryCare,
  mayAddTo,
  mayBeUnsent,
  showsHistory,
  showsPrimaryCare,
} from '../rules.ts'
import type { Timeline } from './timeline.ts'
import type { Visit } from './visit.ts'

/** How far back `previousStay` looks: ten years. */
const MOST_MONTHS = 120

/** Admissions, or visits to an emergency department, in the months before the index stay. */
export function countVisits(timeline: Timeline, kind: 'inpatient' | 'emergency', months: number): Finding {
  if (timeline.isAmbiguous) return timeline.whyNoIndex
  if (timeline.index !== undefined && timeline.index.start === undefined) return missing(FHIR_REASONS.noStart)
  const from = monthsBefore(timeline.anchor, months)
  const incomplete = whyIncomplete(timeline, from, (visit) =>
    mayAddTo(visit, kind, timeline.placeOf(visit.start, from)),
  )
  if (incomplete !== undefined) return incomplete
  const counted: Entry[] = []
  let isHistoryGiven = timeline.options.complete.has('Encounter')
  for (const visit of timeline.visits.values()) {
    const earlier = earlierVisit(timeline, visit, kind, from)
    const counts = countsAsEarlier(earlier, kind)
    if (typeof counts === 'object') return counts
    if (counts) counted.push(visit.entry)
    isHistoryGiven ||= showsHistory(earlier)
  }
  if (counted.length > 0 || isHistoryGiven) return { value: counted.length, from: counted }
  return missing(FHIR_REASONS.noEarlierEncounter)
}

function earlierVisit(
  timeline: Timeline,
  visit: Visit,
  kind: 'inpatient' | 'emergency',
  from: number,
): EarlierVisit {
  const { entry, status, start, end, arrival } = visit
  const isBegun = status === 'current' || status === 'waiting'
  const isArrival = kind === 'emergency' && visit.kind === 'inpatient' && arrival !== undefined
  return {
    visit,
    place: timeline.placeOf(isArrival ? arrival : start, from),
    isOfIndex: timeline.stay.has(entry) || timeline.leading.has(entry),
    mayHaveLed: timeline.mayLead.has(entry),
    isOpen: isBegun && (end === undefined || timeline.isAfter(end) !== false),
    twice: timeline.doubled.get(entry),
  }
}

/** The latest stay in the ten years before the index stay. Without such a stay: the count 0, or why it is not known which stay it is. */
export function previousStay(timeline: Timeline): Visit | Finding {
  const counted = countVisits(timeline, 'inpatient', MOST_MONTHS)
  const stays = counted.from.flatMap((entry) => timeline.visits.get(entry) ?? [])
  const [last, ...others] = latestIn(stays, ({ start }) => start as Moment)
  return others.length > 0 ? missing(FHIR_REASONS.severalEarlier) : (last ?? counted)
}

/** Visits to primary care in the months before the assessment. */
export function countPrimaryCare(timeline: Timeline, months: number): Finding {
  const { index } = timeline
  if (timeline.isAmbiguous) return timeline.whyNoIndex
  if (timeline.isEndUnknown) return missing(FHIR_REASONS.noEnd, index && `${index.entry.path}.period`)
  const from = monthsBefore(timeline.endDay ?? timeline.anchor, months)
  const placeOf = ({ start }: Visit): ReturnType<Timeline['placeOf']> => timeline.placeOf(start, from)
  const incomplete = whyIncomplete(
    timeline,
    from,
    (visit) => countsAsPrimaryCare(visit, placeOf(visit)) !== false,
  )
  if (incomplete !== undefined) return incomplete
  const counted: Entry[] = []
  let isGiven = timeline.options.complete.has('Encounter')
  for (const visit of timeline.visits.values()) {
    const place = placeOf(visit)
    const counts = countsAsPrimaryCare(visit, place)
    if (typeof counts === 'object') return counts
    if (counts) counted.push(visit.entry)
    isGiven ||= showsPrimaryCare(visit, place)
  }
  return isGiven ? { value: counted.length, from: counted } : missing(FHIR_REASONS.noPrimaryCare)
}

/** Why visits since a day may be missing: left out, not sent, or not searched for. */
function whyIncomplete(
  timeline: Timeline,
  from: number,
  mayMatter: (visit: Visit) => boolean,
): Finding | undefined {
  const incomplete = timeline.leftOutWhere(mayMatter) ?? unsentSince(timeline, from)
  if (incomplete !== undefined) return incomplete
  return timeline.heldFrom > from ? missing(FHIR_REASONS.notFarBack) : undefined
}

/** Why the Encounters since a day are not complete: something of that time names one that was not sent. */
function unsentSince(timeline: Timeline, from: number): Finding | undefined {
  const admission = timeline.index?.start?.day ?? Infinity
  const naming = timeline.namingUnsent.find(({ moment }) =>
    mayBeUnsent(moment, from, admission, moment && timeline.isAfter(moment)),
  )
  if (naming === undefined) return undefined
  const parts = { place: entryOf(naming.entry.path) }
  return missing({ text: FHIR_REASONS.namesUnsent, parts }, naming.at, 'incomplete')
}
