/** Which of a patient's Encounters is the index stay, or why that is not known. */
import { FHIR_REASONS } from '@patient-risk/catalog'
import { type Finding, type Reason, type ReasonText, entryOf, missing } from './finding.ts'
import { type Moment, isAfter, latestIn } from './moment.ts'
import type { Entry } from './entry.ts'
import { isR5 } from './submission.ts'
import { DEEPEST, type Visit } from './visit.ts'

export const NO_STAY = missing(FHIR_REASONS.noStay)

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
  doubled: ReadonlyMap<Entry, ReasonText>,
): Visit | Finding {
  const wholeOf = (visit: Visit | undefined, depth = DEEPEST): Visit | undefined => {
    if (visit?.isPart !== true || depth === 0) return visit
    return wholeOf(visits.find(({ entry }) => entry === visit.parent) ?? visit, depth - 1)
  }
  const chosen = wholeOf(visits.find(({ entry }) => named.has(entry)))
  if (chosen !== undefined) {
    const { kind, status, entry, isPart, partFault } = chosen
    if (kind === 'emergency' || kind === 'other')
      return missing(FHIR_REASONS.notInpatient, `${entry.path}.class`, 'business-rule')
    if (isPart || (partFault !== undefined && partFault !== FHIR_REASONS.partOfUnsent))
      return missing(
        {
          text: FHIR_REASONS.namedIsPart,
          parts: { part: { phrase: partFault ?? FHIR_REASONS.partOfUnclear } },
        },
        `${entry.path}.partOf`,
        'incomplete',
      )
    if (status !== 'finished' && status !== 'current') return missing(FHIR_REASONS.notTakenPlace)
    if (chosen.start !== undefined && hasBegun(chosen, by) === undefined)
      return missing(FHIR_REASONS.namedMayBegin, `${entry.path}.period`)
    return hasBegun(chosen, by) === false
      ? missing(FHIR_REASONS.namedNotBegun, `${entry.path}.period`)
      : chosen
  }
  const left = leftOut.find((entry) => named.has(entry))
  if (left !== undefined) return missing(FHIR_REASONS.namedNotUsable, left.path, 'incomplete')
  // Any of them may be the latest, so no earlier stay may be used instead.
  const unclear = (why: ReasonText | Reason, visit?: Visit, element = '', code = 'code-invalid'): Finding => {
    const sentence = typeof why === 'string' ? { text: why } : why
    const asked = { text: FHIR_REASONS.nameTheStay, parts: { why: { sentence } } }
    return missing(asked, visit && `${visit.entry.path}.${element}`, visit && code)
  }
  const latest = latestStays([...latestStays(visits, by), ...rivals], by)
  const rival = latest.find((visit) => rivals.includes(visit))
  if (rival !== undefined) {
    const place = entryOf(rival.entry.path)
    return unclear({ text: FHIR_REASONS.latestNotUsable, parts: { place } }, rival, 'subject', 'incomplete')
  }
  if (latest.some(({ start }) => start === undefined)) return unclear(FHIR_REASONS.latestNoStart)
  const late = latest.find((visit) => hasBegun(visit, by) === undefined)
  if (late !== undefined) return unclear(FHIR_REASONS.latestMayBegin, late, 'period', 'value')
  const unknown = latest.find(({ kind, entry }) => kind === 'unknown' && !isR5(entry.resource))
  if (unknown !== undefined) return unclear(FHIR_REASONS.latestClass, unknown, 'class')
  if (latest.length > 1) return unclear(FHIR_REASONS.severalLatest)
  const [newest] = latest
  if (newest?.partFault !== undefined) {
    const parts = { part: { phrase: newest.partFault } }
    return unclear({ text: FHIR_REASONS.latestIsPart, parts }, newest, 'partOf', 'incomplete')
  }
  if (newest?.status === 'unknown') return unclear(FHIR_REASONS.latestStatus, newest, 'status')
  const twice = newest && doubled.get(newest.entry)
  if (twice !== undefined) return unclear(twice, newest, 'period', 'duplicate')
  const ended = newest && leftOn(newest, visits, by)
  if (ended !== undefined) return unclear(FHIR_REASONS.endedAndBegan, ended, 'period', 'value')
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
