/** Visits of one patient that may be one visit recorded twice: by their number, or because nobody is in two beds at a time. */
import { FHIR_REASONS } from '@patient-risk/catalog'
import type { Entry } from './entry.ts'
import type { ReasonText } from './finding.ts'
import type { Moment } from './moment.ts'
import { identifiersOf } from './persons.ts'
import type { Visit } from './visit.ts'

const SAME_NUMBER = FHIR_REASONS.sameNumber
const OVERLAP = { inpatient: FHIR_REASONS.staysOverlap, emergency: FHIR_REASONS.visitsOverlap }

/** The visits with the reason for the doubt. A part of a stay is no visit of its own. */
export function doubledIn(visits: readonly Visit[]): ReadonlyMap<Entry, ReasonText> {
  const doubled = new Map<Entry, ReasonText>()
  const own = visits.filter(({ status, isPart }) => status !== 'ignored' && !isPart)
  for (const kind of ['inpatient', 'emergency'] as const) {
    const ofKind = own.filter((visit) => visit.kind === kind)
    const first = new Map<string, Entry>()
    for (const { entry } of ofKind) {
      for (const number of identifiersOf(entry.resource)) {
        const known = first.get(number) ?? entry
        first.set(number, known)
        if (known !== entry) doubled.set(known, SAME_NUMBER).set(entry, SAME_NUMBER)
      }
    }
    for (const entry of overlapping(ofKind)) doubled.set(entry, OVERLAP[kind])
  }
  return doubled
}

/** The visits that begin before an earlier one has ended, with that one. In one pass, because there may be a hundred thousand. */
function overlapping(visits: readonly Visit[]): readonly Entry[] {
  const found: Entry[] = []
  const dated = visits.flatMap(({ entry, start, end }) =>
    start === undefined ? [] : [{ entry, start, end }],
  )
  const sorted = dated.sort((a, b) => compare(a.start, b.start))
  let last: { readonly entry: Entry; readonly end: Moment } | undefined
  for (const { entry, start, end } of sorted) {
    if (last !== undefined && endsAfter(last.end, start)) found.push(last.entry, entry)
    if (end !== undefined && (last === undefined || compare(end, last.end) > 0)) last = { entry, end }
  }
  return found
}

function compare(a: Moment, b: Moment): number {
  return a.instant !== undefined && b.instant !== undefined ? a.instant - b.instant : a.day - b.day
}

/** Whether an end certainly comes after a start. On the same day without times one may follow the other. */
function endsAfter(end: Moment, start: Moment): boolean {
  return compare(end, start) > 0
}
