/** Whether something lies in a window of the index stay. The rules decide by what is found out here. */
import type { MappedWindow } from '@patient-risk/catalog'
import type { Entry } from '../body/entry.ts'
import { type Moment, addDays, isInDays, monthsBefore } from '../moment.ts'
import { type InWindow, liesInWindow } from '../rules.ts'
import type { Timeline } from './timeline.ts'
import type { Visit } from './visit.ts'

/** Whether something lies in a window and not after the moment; undefined where its time and its Encounter leave it open. */
export function isInWindow(
  timeline: Timeline,
  window: MappedWindow,
  given: Moment | undefined,
  encounter: Entry | undefined,
): boolean | undefined {
  const { index, anchor, firstDay, mayBegin, isEndUnknown, options } = timeline
  const isOfStay = window === 'stay'
  const visit = timeline.visits.get(encounter)
  const from = isOfStay ? firstDay : monthsBefore(anchor, window.monthsBefore)
  const last = index === undefined ? anchor : (timeline.endDay ?? addDays(options.today, 1))
  const mayBeginEarlier = isOfStay && given !== undefined && mayBegin < from
  return liesInWindow({
    given,
    isOfStay,
    index,
    encounter: roleOf(timeline, encounter, visit),
    isLater: timeline.isAfter(given),
    anchor,
    hadEnded: timeline.hadEnded(encounter),
    firstDay,
    isInside: given === undefined ? mayBeIn(visit, from, last) : isInDays(given, from, last),
    isInsideIfLed: mayBeginEarlier ? isInDays(given, mayBegin, last) : false,
    isEndUnknown,
  })
}

function roleOf(
  timeline: Timeline,
  encounter: Entry | undefined,
  visit: Visit | undefined,
): InWindow['encounter'] {
  if (timeline.leading.has(encounter)) return 'led'
  if (timeline.mayLead.has(encounter)) return 'may have led'
  if (timeline.stay.has(encounter)) return 'index'
  if (visit === undefined) return 'none'
  return visit.kind === 'inpatient' ? 'another stay' : 'another visit'
}

/** Something without a time of its own lies in the period of its visit; without a visit it may lie anywhere. */
function mayBeIn(visit: Visit | undefined, from: number, to: number): false | undefined {
  const isBeforeWindow = visit?.end !== undefined && visit.end.day < from
  const isAfterWindow = visit?.start !== undefined && visit.start.day > to
  return isBeforeWindow || isAfterWindow ? false : undefined
}
