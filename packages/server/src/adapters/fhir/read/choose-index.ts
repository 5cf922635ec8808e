/** Which of a patient's Encounters is the index stay, or why that is not known. */
import { type Finding, entryOf, missing } from './finding.ts'
import { type Moment, isAfter, latestIn } from './moment.ts'
import type { Entry } from './entry.ts'
import { isR5 } from './submission.ts'
import { DEEPEST, PART_OF_UNSENT, type Visit } from './visit.ts'

export const NO_STAY = missing('There is no index stay: no inpatient Encounter that has begun.')
export const NOT_INPATIENT = 'The named Encounter is not an inpatient stay.'

/** Whether a stay had begun by a moment; undefined where it has no start, or one that leaves it open. */
const hasBegun = ({ start }: Visit, by: Moment): boolean | undefined => {
  const isLater = start && isAfter(start, by)
  return isLater === undefined ? undefined : !isLater
}

/** The inpatient stays that none of the others certainly follows. One without a start may be the latest. */
export function latestStays(visits: readonly Visit[], by: Moment): readonly Visit[] {
  const stays = visits.filter((visit) => {
    const mayBeStay = visit.kind === 'inpatient' || visit.kind === 'unknown'
    const isStay = mayBeStay && !visit.isPart && visit.status !== 'ignored' && visit.status !== 'waiting'
    return hasBegun(visit, by) !== false && (isStay || isR5(visit.entry.resource))
  })
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
  doubled: ReadonlyMap<Entry, string>,
): Visit | Finding {
  const wholeOf = (visit: Visit | undefined, depth = DEEPEST): Visit | undefined => {
    if (visit?.isPart !== true || depth === 0) return visit
    return wholeOf(visits.find(({ entry }) => entry === visit.parent) ?? visit, depth - 1)
  }
  const chosen = wholeOf(visits.find(({ entry }) => named.has(entry)))
  if (chosen !== undefined) {
    const { kind, status, entry, isPart, partFault } = chosen
    if (kind === 'emergency' || kind === 'other')
      return missing(NOT_INPATIENT, `${entry.path}.class`, 'business-rule')
    if (isPart || (partFault !== undefined && partFault !== PART_OF_UNSENT))
      return missing(
        `The named Encounter is ${partFault ?? 'part of one that is not clear'}.`,
        `${entry.path}.partOf`,
        'incomplete',
      )
    if (status !== 'finished' && status !== 'current')
      return missing('The named Encounter did not take place.')
    if (chosen.start !== undefined && hasBegun(chosen, by) === undefined)
      return missing('The named Encounter may have begun after the moment (asOf).', `${entry.path}.period`)
    return hasBegun(chosen, by) === false
      ? missing('The named Encounter has not begun.', `${entry.path}.period`)
      : chosen
  }
  const left = leftOut.find((entry) => named.has(entry))
  if (left !== undefined) return missing('The named Encounter cannot be used.', left.path, 'incomplete')
  // Any of them may be the latest, so no earlier stay may be used instead.
  const unclear = (what: string, visit?: Visit, element = '', code = 'code-invalid'): Finding =>
    missing(`${what}. Name the index stay.`, visit && `${visit.entry.path}.${element}`, visit && code)
  const latest = latestStays([...latestStays(visits, by), ...rivals], by)
  const rival = latest.find((visit) => rivals.includes(visit))
  if (rival !== undefined) {
    const what = `The latest stay may be an Encounter that cannot be used, ${entryOf(rival.entry.path)}`
    return unclear(what, rival, 'subject', 'incomplete')
  }
  if (latest.some(({ start }) => start === undefined))
    return unclear('An inpatient Encounter has no usable start')
  const late = latest.find((visit) => hasBegun(visit, by) === undefined)
  if (late !== undefined)
    return unclear('The latest stay may have begun after the moment', late, 'period', 'value')
  const unknown = latest.find(({ kind, entry }) => kind === 'unknown' && !isR5(entry.resource))
  if (unknown !== undefined)
    return unclear('The class of the latest Encounter is not in the mapping', unknown, 'class')
  if (latest.length > 1) return unclear('Several inpatient Encounters begin last')
  const [newest] = latest
  if (newest?.partFault !== undefined)
    return unclear(`The latest inpatient Encounter is ${newest.partFault}`, newest, 'partOf', 'incomplete')
  if (newest?.status === 'unknown')
    return unclear('The status of the latest inpatient Encounter is not known', newest, 'status')
  const twice = newest && doubled.get(newest.entry)
  if (twice !== undefined) return unclear(twice.replace(/\.$/, ''), newest, 'period', 'duplicate')
  const ended = newest && leftOn(newest, visits, by)
  if (ended !== undefined)
    return unclear(
      'One stay ended at the moment (asOf), or on its day, and another began',
      ended,
      'period',
      'value',
    )
  return newest ?? NO_STAY
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
