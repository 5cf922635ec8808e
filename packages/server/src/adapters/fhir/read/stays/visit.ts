/** An Encounter as a visit: its class, status and period, and what it is a part of. */
import type { Json } from 'patient-risk-engine/read'
import type { Mapping } from '@patient-risk/catalog'
import { codingsOf, isIn } from '../../codings.ts'
import type { Entry } from '../body/entry.ts'
import type { ReasonText } from '../finding.ts'
import { type Moment, isAfter } from '../moment.ts'

/** The most levels of Encounters within Encounters. */
export const DEEPEST = 8

export type Rules = Mapping['encounters']

export interface Visit {
  readonly entry: Entry
  readonly kind: 'inpatient' | 'emergency' | 'other' | 'unknown'
  readonly status: 'finished' | 'current' | 'waiting' | 'ignored' | 'unknown'
  readonly start: Moment | undefined
  readonly end: Moment | undefined
  /** Why it has no end, although one is given. */
  readonly endFault: ReasonText | undefined
  /** Where a stay began in the emergency department: its arrival there. */
  readonly arrival: Moment | undefined
  /** Undefined where an outpatient visit does not say to which service it was. */
  readonly isPrimaryCare: boolean | undefined
  readonly parent: Entry | undefined
  readonly isPart: boolean
  /** Why it is not known what it is a part of, although it says so. */
  readonly partFault: ReasonText | undefined
}

/** Whether a stay had begun by a moment; undefined where it has no start, or one that leaves it open. */
export function hasBegun({ start }: Visit, by: Moment): boolean | undefined {
  const isLater = start && isAfter(start, by)
  return isLater === undefined ? undefined : !isLater
}

/** The kind of a class; unknown where two are given. */
export function kindOf(given: unknown, { classes }: Rules): Visit['kind'] {
  const codings = codingsOf(given)
  const kinds = (['inpatient', 'emergency', 'other'] as const).filter((kind) => isIn(classes[kind], codings))
  const [kind = 'unknown'] = kinds
  return kinds.length > 1 ? 'unknown' : kind
}

export function isPrimaryCare(
  visit: Json,
  { primaryCare: { classes, services } }: Rules,
): boolean | undefined {
  const codings = codingsOf(visit['serviceType'])
  if (!isIn(classes, codingsOf(visit['class']))) return false
  const isKnown = codings.some(({ system }) => services.some((set) => set.system === system))
  return isKnown ? isIn(services, codings) : undefined
}
