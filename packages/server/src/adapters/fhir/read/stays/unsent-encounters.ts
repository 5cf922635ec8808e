/** Encounters that the body does not hold, by what names them. */
import { inside, isObject } from 'patient-risk-engine/read'
import type { Entry } from '../body/entry.ts'
import type { Subject } from '../body/subject.ts'
import type { Submission } from '../body/submission.ts'
import { type Moment, daysFrom, lastDay } from '../moment.ts'

export interface Naming {
  /** The resource, or the element of it, that names the Encounter. */
  readonly at: string
  readonly entry: Entry
  /** When the Encounter was; undefined where nothing says so. */
  readonly moment: Moment | undefined
}

/** What names an Encounter of a patient: its values, diagnoses and procedures, and resources of types that are not read. */
export function namingUnsent({ entries, naming }: Subject, submission: Submission): readonly Naming[] {
  return [
    ...entries.flatMap((entry) => namingIn(entry, submission)),
    ...naming().map((entry) => ({ at: entry.path, entry, moment: notAfter(entry.resource, submission) })),
  ]
}

/** A fact that names an Encounter as its own was of that time. A mistake says nothing of a visit. */
function namingIn(entry: Entry, { linked, momentOf }: Submission): readonly Naming[] {
  const { resource, path } = entry
  const isNamed = inside(resource, 'encounter', 'reference') !== undefined
  if (!isNamed || resource['status'] === 'entered-in-error') return []
  if (linked(entry, 'encounter') !== undefined) return []
  const time =
    resource['effectiveDateTime'] ??
    resource['effectiveInstant'] ??
    inside(resource['effectivePeriod'], 'start') ??
    resource['performedDateTime'] ??
    inside(resource['performedPeriod'], 'start') ??
    resource['authored'] ??
    resource['recordedDate']
  return [{ at: `${path}.encounter`, entry, moment: momentOf(time) }]
}

const FIRST_DAY = 18_000_101

/** A bill or a list is written after the visit, so that only its last date says something: the visit was not later. */
function notAfter(resource: unknown, submission: Submission): Moment | undefined {
  const last = lastDayIn(resource, submission)
  return last === 0 ? undefined : daysFrom(FIRST_DAY, last)
}

function lastDayIn(node: unknown, submission: Submission, key = ''): number {
  if (key === 'meta') return 0
  if (Array.isArray(node)) return latest(node.map((each) => lastDayIn(each, submission)))
  if (isObject(node)) return latest(Object.keys(node).map((name) => lastDayIn(node[name], submission, name)))
  const moment = submission.momentOf(node)
  return moment === undefined ? 0 : lastDay(moment)
}

function latest(days: readonly number[]): number {
  return days.reduce((last, day) => Math.max(last, day), 0)
}
