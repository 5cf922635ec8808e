/** Conditions as diagnoses: which groups of ICD-10 codes each belongs to, and whether it counts as of the moment of the assessment. */
import { type Finding, entryOf, missing } from './finding.ts'
import { type Coding, codingsOf, isIn as isCoded } from '../codings.ts'
import { inside } from 'patient-risk-engine/read'
import type { Mapping } from '@patient-risk/catalog'
import { addDays, isAfter, monthsBefore } from './moment.ts'
import type { Entry, Subject } from './identities.ts'
import { type Submission } from './submission.ts'
import type { Timeline } from './timeline.ts'
import type { Visit } from './visit.ts'

export interface Diagnosis {
  readonly entry: Entry
  /** Whether it belongs to the index stay or began in it. */
  readonly isOfStay: boolean
  /** Whether it belongs to a stay, by its Encounter or else its date; undefined where neither says so. */
  readonly isIn: (stay: Visit) => boolean | undefined
  /** Whether it counts for a group, or why that is not known. */
  readonly countsFor: (group: string, isActiveOnly: boolean) => boolean | Finding
}

interface Reading {
  readonly subject: Subject
  readonly submission: Submission
  readonly mapping: Mapping
  readonly timeline: Timeline
}

export function readDiagnoses({ subject, submission, mapping, timeline }: Reading): readonly Diagnosis[] {
  const { systems, groups, verificationStatuses } = mapping.diagnoses
  const { momentOf } = submission
  return subject.entries.flatMap((entry) => {
    const { verificationStatus, clinicalStatus, onsetDateTime, onsetPeriod, code } = entry.resource
    const verified = codesOf(verificationStatus)
    if (entry.type !== 'Condition') return []
    if (
      verified !== undefined &&
      verified.length > 0 &&
      !verified.some((each) => verificationStatuses.includes(each))
    )
      return []
    const recorded = momentOf(entry.resource['recordedDate'])
    const onset = momentOf(onsetDateTime ?? inside(onsetPeriod, 'start'))
    // What was recorded later was not known, whenever it began.
    const isWrong = entry.resource['recordedDate'] !== undefined && recorded === undefined
    const isLater = isWrong ? undefined : timeline.isAfter(recorded ?? onset)
    if (isLater === true) return []
    const statuses = codesOf(clinicalStatus)
    const codes = codingsOf(code)
      .filter(({ system }) => systems.includes(system))
      .map((coding) => coding.code.replaceAll('.', '').toUpperCase())
    const first = onset ?? recorded
    const isLinked = onset === undefined && timeline.stay.has(submission.linked(entry, 'encounter'))
    const isOfStay = isLinked || (first !== undefined && first.day >= timeline.anchor)
    const doubt = (why: string, element: string, issue = 'code-invalid'): Finding =>
      missing(`${why}: ${entryOf(entry.path)}.`, `${entry.path}.${element}`, issue)
    const own = groupsOf(codes, codingsOf(code), groups)
    const isIn = ({ entry: stay, start, end = start }: Visit): boolean | undefined => {
      const linked = submission.linked(entry, 'encounter')
      if (linked !== undefined) return linked === stay || submission.linked(linked, 'partOf') === stay
      if (first?.precision !== 'day' || start === undefined || end === undefined) return undefined
      return first.day >= start.day && first.day <= end.day
    }
    const countsFor: Diagnosis['countsFor'] = (group, isActiveOnly) => {
      if (statuses === undefined || verified === undefined)
        return doubt('A Condition has a status without a code, so it may or may not count', 'clinicalStatus')
      if (codes.length === 0 && own.size === 0)
        return doubt('A Condition has no ICD-10 code, so it may be the one', 'code')
      if (!own.has(group)) return false
      if (isLater === undefined)
        return doubt('A Condition does not say whether it was known at that time', 'recordedDate', 'required')
      const counts = countsByStatus(statuses, group, isActiveOnly)
      return typeof counts === 'boolean' ? counts : doubt(counts, 'clinicalStatus', 'incomplete')
    }
    /** Whether it counts, or why that is not known. */
    const countsByStatus = (
      given: readonly string[],
      group: string,
      isActiveOnly: boolean,
    ): boolean | string => {
      const { clinicalStatuses, activeStatuses, history } = mapping.diagnoses
      const hasOne = (permitted: readonly string[] = []): boolean =>
        given.some((each) => permitted.includes(each))
      const rule = isActiveOnly ? undefined : history[group]
      const isPresent = given.length === 0 || hasOne(isActiveOnly ? activeStatuses : clinicalStatuses)
      if (isPresent && !hasOne(rule?.statuses)) return true
      const { abatementDateTime, abatementPeriod } = entry.resource
      // What ended after the moment was present then.
      const endedLater = timeline.isAfter(momentOf(abatementDateTime ?? inside(abatementPeriod, 'end')))
      if (endedLater === true) return true
      if (rule === undefined || !hasOne(rule.statuses))
        return endedLater ?? 'A Condition is over now and does not say whether it was at that time'
      if (rule.counts === 'yes') return true
      if (rule.counts === 'unclear') return 'A Condition is said to be over that does not pass'
      const limit = monthsBefore(timeline.moment.day, rule.counts.forYears * 12)
      const isRecent = first && isAfter(first, { day: addDays(limit, -1), precision: 'day' })
      return (
        isRecent ??
        `A Condition that is over does not say whether it began in the last ${rule.counts.forYears} years`
      )
    }
    return [{ entry, isOfStay, isIn, countsFor }]
  })
}

/** The codes of a status; empty where there is no status, undefined where it cannot be read. */
function codesOf(status: unknown): readonly string[] | undefined {
  if (status === undefined) return []
  const codes = codingsOf(status).flatMap(({ code }) => (code === 'unknown' ? [] : [code]))
  return codes.length === 0 ? undefined : codes
}

function groupsOf(
  codes: readonly string[],
  codings: readonly Coding[],
  groups: Mapping['diagnoses']['groups'],
): ReadonlySet<string> {
  const isOne = (code: string, of: readonly string[] = []): boolean =>
    of.some((prefix) => code.startsWith(prefix))
  const holds = (group: (typeof groups)[string]): boolean => {
    const { prefixes, except, codings: others = [] } = Array.isArray(group) ? { prefixes: group } : group
    return codes.some((code) => isOne(code, prefixes) && !isOne(code, except)) || isCoded(others, codings)
  }
  return new Set(Object.keys(groups).filter((name) => holds(groups[name] ?? [])))
}
