/** Which of a patient's Encounters is the index stay, or why that is not known. */
import { type Finding, entryOf, missing } from './finding.ts'
import { type Moment, latestIn } from './moment.ts'
import type { Entry } from './identities.ts'
import { isR5 } from './submission.ts'
import type { Visit } from './visit.ts'

/** The most levels of Encounters within Encounters. */
export const DEEPEST = 8
export const NO_STAY = missing('There is no index stay: no inpatient Encounter that has begun.')
export const NOT_INPATIENT = 'The named Encounter is not an inpatient stay.'
export const PART_OF_UNSENT = 'part of one that was not sent'

const hasBegun = ({ start }: Visit, to: number): boolean => start === undefined || start.day <= to

/** The inpatient stays that none of the others certainly follows. One without a start may be the latest. */
export function latestStays(visits: readonly Visit[], to: number): readonly Visit[] {
  const stays = visits.filter((visit) => {
    const mayBeStay = visit.kind === 'inpatient' || visit.kind === 'unknown'
    const isStay = mayBeStay && !visit.isPart && visit.status !== 'ignored' && visit.status !== 'waiting'
    return hasBegun(visit, to) && (isStay || isR5(visit.entry.resource))
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
  to: number,
  rivals: readonly Visit[],
): Visit | Finding {
  const wholeOf = (visit: Visit | undefined, depth = DEEPEST): Visit | undefined => {
    if (visit?.isPart !== true || depth === 0) return visit
    return wholeOf(visits.find(({ entry }) => entry === visit.parent) ?? visit, depth - 1)
  }
  const chosen = wholeOf(visits.find(({ entry }) => named.has(entry)))
  if (chosen !== undefined) {
    const { kind, status, entry, isPart } = chosen
    if (kind === 'emergency' || kind === 'other')
      return missing(NOT_INPATIENT, `${entry.path}.class`, 'business-rule')
    if (isPart)
      return missing(`The named Encounter is ${PART_OF_UNSENT}.`, `${entry.path}.partOf`, 'incomplete')
    if (status !== 'finished' && status !== 'current')
      return missing('The named Encounter did not take place.')
    return hasBegun(chosen, to)
      ? chosen
      : missing('The named Encounter has not begun.', `${entry.path}.period`)
  }
  // Any of them may be the latest, so no earlier stay may be used instead.
  const unclear = (what: string, visit?: Visit, element = '', code = 'code-invalid'): Finding =>
    missing(`${what}. Name the index stay.`, visit && `${visit.entry.path}.${element}`, visit && code)
  const latest = latestStays([...latestStays(visits, to), ...rivals], to)
  const rival = latest.find((visit) => rivals.includes(visit))
  if (rival !== undefined) {
    const what = `The latest stay may be an Encounter whose subject is not clear, ${entryOf(rival.entry.path)}`
    return unclear(what, rival, 'subject', 'incomplete')
  }
  if (latest.some(({ start }) => start === undefined))
    return unclear('An inpatient Encounter has no usable start')
  const unknown = latest.find(({ kind, entry }) => kind === 'unknown' && !isR5(entry.resource))
  if (unknown !== undefined)
    return unclear('The class of the latest Encounter is not in the mapping', unknown, 'class')
  if (latest.length > 1) return unclear('Several inpatient Encounters begin last')
  const [newest] = latest
  if (newest?.isPartOfUnsent === true)
    return unclear(`The latest inpatient Encounter is ${PART_OF_UNSENT}`, newest, 'partOf', 'incomplete')
  if (newest?.status === 'unknown')
    return unclear('The status of the latest inpatient Encounter is not known', newest, 'status')
  return newest ?? NO_STAY
}
