/** Reads an Encounter as a visit. What its period says, and what it is a part of, is decided by the rules. */
import { inside, textOf } from 'patient-risk-engine/read'
import { allOf } from '../../../../remote/elements.ts'
import { codingsOf, isIn } from '../../codings.ts'
import type { Entry, Linked } from '../body/entry.ts'
import type { Submission } from '../body/submission.ts'
import { type Moment, addDays } from '../moment.ts'
import { partOf, statusOf, usablePeriod } from '../rules.ts'
import { DEEPEST, type Rules, type Visit, isPrimaryCare, kindOf } from './visit.ts'

const MOST_DAYS_APART = { stay: { before: 3, after: 0 }, visit: { before: 31, after: 31 } }

export function readVisit(
  entry: Entry,
  encounters: ReadonlySet<Entry>,
  { linked, momentOf }: Submission,
  rules: Rules,
  tomorrow: number,
): Visit {
  const { resource } = entry
  const dayIn = (node: unknown, limit: 'start' | 'end'): Moment | undefined => {
    const moment = momentOf(inside(node, 'period', limit))
    return moment?.precision === 'day' ? moment : undefined
  }
  const kind = kindOf(resource['class'], rules)
  const status = statusOf(textOf(resource['status']) ?? '', rules)
  const phases = kind === 'inpatient' ? allOf(resource['classHistory']) : []
  const phaseOf = (wanted: Visit['kind']): unknown =>
    phases.find((each) => kindOf(inside(each, 'class'), rules) === wanted)
  const emergency = phaseOf('emergency')
  const begin = dayIn(resource, 'start')
  const written = {
    start: dayIn(phaseOf('inpatient'), 'start') ?? begin,
    end: dayIn(resource, 'end'),
    isEndGiven:
      inside(resource, 'period', 'end') !== undefined || inside(resource, 'period', '_end') !== undefined,
    isEndElsewhere: momentOf(inside(resource, 'period', 'end'))?.precision === 'days',
  }
  const whole = linked(entry, 'partOf')
  const isOfPatient = whole !== undefined && whole !== entry && encounters.has(whole)
  const isOfKind = isOfPatient && kindOf(whole.resource['class'], rules) === kind
  const isTyped = allOf(resource['type']).some((type) => isIn(rules.partOfStay, codingsOf(type)))
  const named = {
    isNamed: resource['partOf'] !== undefined,
    sent: whole,
    isOfPatient,
    isOfKind,
    isCircular: isOfPatient && leadsTo(entry, whole, linked),
    isApart:
      isOfPatient &&
      isApart(written.start, dayIn(whole.resource, 'start'), dayIn(whole.resource, 'end'), isOfKind),
  }
  return {
    entry,
    kind,
    status,
    ...usablePeriod(written, { kind, status }, tomorrow),
    arrival: emergency === undefined ? undefined : (dayIn(emergency, 'start') ?? begin),
    isPrimaryCare: isPrimaryCare(resource, rules),
    ...partOf(named, isTyped),
  }
}

/** Whether a chain of parts comes back to where it began. */
function leadsTo(entry: Entry, from: Entry, linked: Linked): boolean {
  let whole: Entry | undefined = from
  for (let depth = 0; depth < DEEPEST && whole !== undefined; depth++) {
    if (whole === entry) return true
    whole = linked(whole, 'partOf')
  }
  return false
}

/**
 * Whether something began long before a whole, or after its end, so that it is no part of it. A visit of another kind that led to a stay,
 * or followed it, may be recorded as a part of it.
 */
function isApart(
  begin: Moment | undefined,
  start: Moment | undefined,
  end: Moment | undefined,
  isOfKind: boolean,
): boolean {
  if (begin === undefined) return false
  const { before, after } = isOfKind ? MOST_DAYS_APART.stay : MOST_DAYS_APART.visit
  const isEarly = start !== undefined && begin.day < addDays(start.day, -before)
  return isEarly || (end !== undefined && begin.day > addDays(end.day, after))
}
