/** Conditions as diagnoses: which groups of ICD-10 codes each belongs to, and whether it counts as of the moment of the assessment. */
import type { Mapping } from '@patient-risk/catalog'
import { inside } from 'patient-risk-engine/read'
import { codingsOf } from '../codings.ts'
import type { Entry } from './body/entry.ts'
import type { Subject } from './body/subject.ts'
import type { Submission } from './body/submission.ts'
import { judgeCodes } from './diagnosis-codes.ts'
import type { Finding } from './finding.ts'
import { type Moment, addDays, isAfter, lastDay, monthsBefore } from './moment.ts'
import {
  OVER,
  abatementOf,
  conditionStatus,
  countsByStatus,
  countsForGroup,
  isNoDiagnosis,
  timeOfCondition,
} from './rules.ts'
import type { Timeline } from './stays/timeline.ts'
import type { Visit } from './stays/visit.ts'

export interface Diagnosis {
  readonly entry: Entry
  /** Whether it belongs to the index stay or began in it; undefined where nothing says so. */
  readonly isOfStay: boolean | undefined
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

export function readDiagnoses(
  { subject, submission, mapping, timeline }: Reading,
  entries: readonly Entry[] = subject.entries,
): readonly Diagnosis[] {
  const conditions = entries.filter(({ type }) => type === 'Condition')
  return conditions.flatMap((entry) => readDiagnosis(entry, { subject, submission, mapping, timeline }) ?? [])
}

function readDiagnosis(entry: Entry, { submission, mapping, timeline }: Reading): Diagnosis | undefined {
  const { momentOf } = submission
  const { verificationStatus, clinicalStatus, recordedDate, onsetDateTime, onsetPeriod, code } =
    entry.resource
  const verified = conditionStatus(verificationStatus, 'verification')
  const clinical = conditionStatus(clinicalStatus, 'clinical')
  const recorded = momentOf(recordedDate)
  const onset = momentOf(onsetDateTime ?? inside(onsetPeriod, 'start'))
  const time = timeOfCondition(recorded, onset)
  const visit = submission.linked(entry, 'encounter')
  const isWrong = recordedDate !== undefined && recorded === undefined
  const isLater = isWrong ? undefined : timeline.isAfter(time)
  if (isNoDiagnosis(verified, mapping.diagnoses.verificationStatuses, isLater)) return undefined
  const codes = judgeCodes(codingsOf(code), mapping)
  const first = onset ?? recorded
  const hasPassed = clinical?.some((each) => OVER.includes(each)) === true
  const isLinked = onset === undefined && timeline.stay.has(visit)
  const { clinicalStatuses, activeStatuses, history } = mapping.diagnoses
  return {
    entry,
    isOfStay: isLinked || hasBegunSince(first, timeline.anchor, hasPassed),
    isIn: ({ entry: stay, start, end = start }) => {
      if (visit !== undefined) return visit === stay || submission.linked(visit, 'partOf') === stay
      if (first?.precision !== 'day' || start === undefined || end === undefined) return undefined
      return first.day >= start.day && first.day <= end.day
    },
    countsFor: (group, isActiveOnly) =>
      countsForGroup({
        entry,
        clinical,
        verified,
        isOfGroup: () => codes.isOf(group),
        whyNoGroup: codes.why,
        isLater,
        isOfEarlier: time === undefined && !isWrong && timeline.hadEnded(visit),
        byStatus: () =>
          countsByStatus({
            clinical: clinical ?? [],
            ended: abatementOf(entry.resource, momentOf, (given) => timeline.isAfter(given)),
            present: isActiveOnly ? activeStatuses : clinicalStatuses,
            history: isActiveOnly ? undefined : history[group],
            isNow: timeline.isAfter(undefined) === false,
            hasBegunWithin: (years) => {
              const limit = addDays(monthsBefore(timeline.moment.day, years * 12), -1)
              return first && isAfter(first, { day: limit, precision: 'day' })
            },
          }),
      }),
  }
}

/** Whether a Condition began on a day or later. Without a date, one that has passed came before; another may be of the stay. */
function hasBegunSince(first: Moment | undefined, day: number, hasPassed: boolean): boolean | undefined {
  if (first === undefined) return hasPassed ? false : undefined
  if (first.day >= day) return true
  return lastDay(first) >= day ? undefined : false
}
