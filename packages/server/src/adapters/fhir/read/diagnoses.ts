/** Conditions as diagnoses: which groups of ICD-10 codes each belongs to, and whether it counts as of the moment of the assessment. */
import { type Finding, type Reason, entryOf, missing } from './finding.ts'
import { codingsOf } from '../codings.ts'
import { inside } from 'patient-risk-engine/read'
import { FHIR_REASONS, type Mapping } from '@patient-risk/catalog'
import { judgeCodes } from './diagnosis-codes.ts'
import { type Moment, addDays, isAfter, lastDay, monthsBefore } from './moment.ts'
import type { Entry } from './entry.ts'
import type { Subject } from './identities.ts'
import { abatementOf, isUncertain, statusCodes } from './rules.ts'
import { type Submission } from './submission.ts'
import type { Timeline } from './timeline.ts'
import type { Visit } from './visit.ts'

export interface Diagnosis {
  readonly entry: Entry
  /** Whether it belongs to the index stay or began in it; undefined where nothing says so. */
  readonly isOfStay: boolean | undefined
  /** Whether it belongs to a stay, by its Encounter or else its date; undefined where neither says so. */
  readonly isIn: (stay: Visit) => boolean | undefined
  /** Whether it counts for a group, or why that is not known. */
  readonly countsFor: (group: string, isActiveOnly: boolean) => boolean | Finding
}

const RESOLVED = 'resolved'
const OVER = ['inactive', 'remission', RESOLVED]

interface Reading {
  readonly subject: Subject
  readonly submission: Submission
  readonly mapping: Mapping
  readonly timeline: Timeline
}

export function readDiagnoses(
  { subject, submission, mapping, timeline }: Reading,
  entries: readonly Entry[] = subject.entries,
): readonly Diagnosis[] {
  const { verificationStatuses } = mapping.diagnoses
  const { momentOf } = submission
  return entries.flatMap((entry) => {
    const { verificationStatus, clinicalStatus, onsetDateTime, onsetPeriod, code } = entry.resource
    const verified = statusCodes(verificationStatus, 'verification')
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
    const isDated = (recorded ?? onset) !== undefined
    const isOfEarlier = !isDated && !isWrong && timeline.hadEnded(submission.linked(entry, 'encounter'))
    const isLater = isWrong ? undefined : timeline.isAfter(recorded ?? onset)
    if (isLater === true) return []
    const statuses = statusCodes(clinicalStatus, 'clinical')
    const codes = judgeCodes(codingsOf(code), mapping)
    const first = onset ?? recorded
    const isLinked = onset === undefined && timeline.stay.has(submission.linked(entry, 'encounter'))
    const hasPassed = statuses?.some((each) => OVER.includes(each)) === true
    const isOfStay = isLinked || hasBegunSince(first, timeline.anchor, hasPassed)
    const doubt = ({ text, parts }: Reason, element: string, issue = 'code-invalid'): Finding =>
      missing({ text, parts: { ...parts, place: entryOf(entry.path) } }, `${entry.path}.${element}`, issue)
    const uncoded = doubt(codes.why, 'code')
    const isIn = ({ entry: stay, start, end = start }: Visit): boolean | undefined => {
      const linked = submission.linked(entry, 'encounter')
      if (linked !== undefined) return linked === stay || submission.linked(linked, 'partOf') === stay
      if (first?.precision !== 'day' || start === undefined || end === undefined) return undefined
      return first.day >= start.day && first.day <= end.day
    }
    const countsFor: Diagnosis['countsFor'] = (group, isActiveOnly) => {
      if (statuses === undefined || verified === undefined)
        return doubt({ text: FHIR_REASONS.statusNoCode }, 'clinicalStatus')
      const isOfGroup = codes.isOf(group)
      if (isOfGroup === undefined) return uncoded
      if (!isOfGroup) return false
      if (isUncertain(code, statuses)) return doubt({ text: FHIR_REASONS.uncertain }, 'code')
      // Without a date of its own it was recorded in its Encounter.
      if (isLater === undefined && !isOfEarlier)
        return doubt({ text: FHIR_REASONS.maybeKnown }, 'recordedDate', 'required')
      const counts = countsByStatus(statuses, group, isActiveOnly)
      return typeof counts === 'boolean' ? counts : doubt(counts, 'clinicalStatus', 'incomplete')
    }
    /** Whether it counts, or why that is not known. */
    const countsByStatus = (
      given: readonly string[],
      group: string,
      isActiveOnly: boolean,
    ): boolean | Reason => {
      const { clinicalStatuses, activeStatuses, history } = mapping.diagnoses
      const rule = isActiveOnly ? undefined : history[group]
      const ended = abatementOf(entry.resource, momentOf, (given) => timeline.isAfter(given))
      // Without a status, an end that has come says that it is over.
      const statuses = given.length === 0 && ended === 'over' ? [RESOLVED] : given
      const hasOne = (permitted: readonly string[] = []): boolean =>
        statuses.some((each) => permitted.includes(each))
      const isOver = hasOne(rule?.statuses)
      const isPresent = statuses.length === 0 || hasOne(isActiveOnly ? activeStatuses : clinicalStatuses)
      // What ended after the moment was present then.
      if (ended === 'later') return true
      if (isPresent && ended !== 'none' && rule?.counts !== 'yes')
        return ended === 'over' && statuses.length > 0
          ? { text: FHIR_REASONS.presentAndEnded }
          : { text: FHIR_REASONS.maybeEnded }
      if (isPresent && !isOver) return true
      const wasOver = ended === 'over' || (ended === 'none' && timeline.isAfter(undefined) === false)
      if (rule === undefined || !isOver) return wasOver ? false : { text: FHIR_REASONS.overNow }
      if (rule.counts === 'yes') return true
      if (rule.counts === 'unclear') return { text: FHIR_REASONS.overThatStays }
      const limit = monthsBefore(timeline.moment.day, rule.counts.forYears * 12)
      const isRecent = first && isAfter(first, { day: addDays(limit, -1), precision: 'day' })
      if (isRecent === false && !wasOver) return { text: FHIR_REASONS.overNow }
      return isRecent ?? { text: FHIR_REASONS.overSince, parts: { years: rule.counts.forYears } }
    }
    return [{ entry, isOfStay, isIn, countsFor }]
  })
}

/** Whether a Condition began on a day or later. Without a date, one that has passed came before; another may be of the stay. */
function hasBegunSince(first: Moment | undefined, day: number, hasPassed: boolean): boolean | undefined {
  if (first === undefined) return hasPassed ? false : undefined
  if (first.day >= day) return true
  return lastDay(first) >= day ? undefined : false
}
