/** An Encounter as a visit: its class, status and period, and what it is a part of. */
import { type Json, inside, listOf, textOf } from 'patient-risk-engine/read'
import { codingsOf, isIn } from '../codings.ts'
import type { Mapping } from '@patient-risk/catalog'
import { type Moment, isBefore } from './moment.ts'
import type { Entry } from './entry.ts'
import { type Submission } from './submission.ts'

export type Rules = Mapping['encounters']

export interface Visit {
  readonly entry: Entry
  readonly kind: 'inpatient' | 'emergency' | 'other' | 'unknown'
  readonly status: 'finished' | 'current' | 'waiting' | 'ignored' | 'unknown'
  readonly start: Moment | undefined
  readonly end: Moment | undefined
  /** Why it has no end, although one is given. */
  readonly endFault: string | undefined
  /** Where a stay began in the emergency department: its arrival there. */
  readonly arrival: Moment | undefined
  /** Undefined where an outpatient visit does not say to which service it was. */
  readonly isPrimaryCare: boolean | undefined
  readonly parent: Entry | undefined
  readonly isPart: boolean
  readonly isPartOfUnsent: boolean
}

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
  const whole = linked(entry, 'partOf')
  // A newborn's Encounter is part of its mother's: only a parent of the same patient makes a part.
  const parent = whole !== undefined && whole !== entry && encounters.has(whole) ? whole : undefined
  const phases = kind === 'inpatient' ? listOf(resource['classHistory']) : []
  const phaseOf = (wanted: Visit['kind']): unknown =>
    phases.find((each) => kindOf(inside(each, 'class'), rules) === wanted)
  const emergency = phaseOf('emergency')
  const begin = dayIn(resource, 'start')
  const start = dayIn(phaseOf('inpatient'), 'start') ?? begin
  const end = dayIn(resource, 'end')
  const isEndGiven = inside(resource, 'period', 'end') !== undefined
  const isReversed = start !== undefined && end !== undefined && isBefore(end, start)
  const isEndWrong = isEndGiven && (end === undefined || isReversed)
  // Not on one day: clocks of wards differ, and the day is certain.
  const isStartOpen = isReversed && end.day < start.day
  const isEndAhead = end !== undefined && end.day > tomorrow
  // The end of an unfinished stay may be a plan.
  const ahead =
    isEndAhead && status !== 'current' ? 'The end of the index stay lies in the future.' : undefined
  const isTyped = listOf(resource['type']).some((type) => isIn(rules.partOfStay, codingsOf(type)))
  return {
    entry,
    kind,
    status,
    start: isStartOpen ? undefined : start,
    end: isEndWrong || isEndAhead ? undefined : end,
    endFault: isEndWrong ? 'The end of the index stay is not a date, or lies before its start.' : ahead,
    arrival: emergency === undefined ? undefined : (dayIn(emergency, 'start') ?? begin),
    isPrimaryCare: isPrimaryCare(resource, rules),
    parent,
    isPart: isTyped || (parent !== undefined && kindOf(parent.resource['class'], rules) === kind),
    isPartOfUnsent: resource['partOf'] !== undefined && whole === undefined,
  }
}

function isPrimaryCare(visit: Json, { primaryCare: { classes, services } }: Rules): boolean | undefined {
  const codings = codingsOf(visit['serviceType'])
  if (!isIn(classes, codingsOf(visit['class']))) return false
  const isKnown = codings.some(({ system }) => services.some((set) => set.system === system))
  return isKnown ? isIn(services, codings) : undefined
}

function kindOf(given: unknown, { classes }: Rules): Visit['kind'] {
  const codings = codingsOf(given)
  const kinds = ['inpatient', 'emergency', 'other'] as const
  return kinds.find((kind) => isIn(classes[kind], codings)) ?? 'unknown'
}

const IGNORED = ['planned', 'cancelled', 'entered-in-error']

function statusOf(status: string, { finished, current, waiting }: Rules): Visit['status'] {
  if (finished.includes(status)) return 'finished'
  if (current.includes(status)) return 'current'
  if (waiting.includes(status)) return 'waiting'
  return IGNORED.includes(status) ? 'ignored' : 'unknown'
}
