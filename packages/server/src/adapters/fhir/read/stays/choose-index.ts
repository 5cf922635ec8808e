/** Which of a patient's Encounters is the index stay, or why that is not known. The rules decide among those that are found here. */
import { FHIR_REASONS } from '@patient-risk/catalog'
import type { Entry } from '../body/entry.ts'
import { type Finding, type ReasonText, missing } from '../finding.ts'
import { type Moment, latestIn } from '../moment.ts'
import { latestStay, mayBeStay, namedStay } from '../rules.ts'
import { DEEPEST, type Visit } from './visit.ts'

export const NO_STAY = missing(FHIR_REASONS.noStay)

/** The stays that none of the others certainly follows. One without a start may be the latest. */
export function latestStays(visits: readonly Visit[], by: Moment): readonly Visit[] {
  const stays = visits.filter((visit) => mayBeStay(visit, by))
  const undated = stays.filter(({ start }) => start === undefined)
  return undated.length > 0 ? undated : latestIn(stays, ({ start }) => start as Moment)
}

const known = new WeakMap<readonly Entry[], readonly Visit[]>()

/** The latest stays among Encounters that may be the patient's. Many patients share their list, so it is read once. */
export function rivalsIn(
  entries: readonly Entry[],
  read: (entries: readonly Entry[]) => readonly Visit[],
): readonly Visit[] {
  const rivals = known.get(entries) ?? read(entries)
  known.set(entries, rivals)
  return rivals
}

/** The index stay, or why none was found: the one that the caller has named, or the latest inpatient stay. */
export function chooseIndex(
  visits: readonly Visit[],
  named: ReadonlySet<Entry | undefined>,
  by: Moment,
  rivals: readonly Visit[],
  leftOut: readonly Entry[],
  doubled: ReadonlyMap<Entry, ReasonText>,
): Visit | Finding {
  const wholeOf = (visit: Visit | undefined, depth = DEEPEST): Visit | undefined => {
    if (visit?.isPart !== true || depth === 0) return visit
    return wholeOf(visits.find(({ entry }) => entry === visit.parent) ?? visit, depth - 1)
  }
  const chosen = wholeOf(visits.find(({ entry }) => named.has(entry)))
  if (chosen !== undefined) return namedStay(chosen, by)
  const left = leftOut.find((entry) => named.has(entry))
  if (left !== undefined) return missing(FHIR_REASONS.namedNotUsable, left.path, 'incomplete')
  const latest = latestStays([...latestStays(visits, by), ...rivals], by)
  const endedThen = (stay: Visit): Visit | undefined => leftOn(stay, visits, by)
  return latestStay({ latest, rivals, by, doubled, endedThen }) ?? NO_STAY
}

/** A stay that ended at a moment, or on the day of one without a time, where the newest one began: either may be meant. */
function leftOn({ entry, start }: Visit, visits: readonly Visit[], by: Moment): Visit | undefined {
  const isAtMoment = start?.instant === by.instant || start?.instant === undefined
  if (start?.day !== by.day || (by.instant !== undefined && !isAtMoment)) return undefined
  const isOther = (visit: Visit): boolean =>
    visit.entry !== entry && visit.kind === 'inpatient' && visit.status !== 'ignored' && !visit.isPart
  return visits.find((visit) => isOther(visit) && isSame(visit.end, by))
}

/** Whether an end lies at the moment; without both times, on its day. */
function isSame(end: Moment | undefined, by: Moment): boolean {
  if (end?.instant !== undefined && by.instant !== undefined) return end.instant === by.instant
  return end?.day === by.day
}
