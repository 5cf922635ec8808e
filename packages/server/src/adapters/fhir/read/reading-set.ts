/** Readings of a scale that belong together: of one Encounter, and taken within the hours that the mapping states for the scale. */
import type { ScaleDefinition } from 'patient-risk-engine/definition'
import { FHIR_REASONS } from '@patient-risk/catalog'
import { FIELD_SYSTEM } from '../codings.ts'
import type { Entry } from './body/entry.ts'
import type { Reason } from './finding.ts'
import { type Chart, type Dated, type Found, mayCount } from './chart.ts'
import { isOfSet, mayBeOfSet } from './rules.ts'

export interface ReadingSet {
  readonly has: (reading: Dated) => boolean
  /** Why it is not known which readings belong together. */
  readonly doubt: Reason | undefined
  /** Why a reading that was found is not used. */
  readonly why: Reason
}

/** Whether a path is the value of an Observation as it is. Then the value of a component is found in the same way. */
export function isWhole(path: string): boolean {
  return path === 'Observation.value'
}

/** The latest set of a scale; undefined where the mapping states no hours, or there are no readings. */
export function readingSet(chart: Chart, { id }: ScaleDefinition): ReadingSet | undefined {
  const { scales, fields } = chart.mapping
  const hours = scales[id]?.readingsWithinHours
  if (hours === undefined) return undefined
  const found: Dated[] = []
  const doubtful: Dated[] = []
  for (const [name, entry] of Object.entries(fields)) {
    if (!name.startsWith(`${id}_`) || entry.take !== 'latest') continue
    const own = { system: FIELD_SYSTEM, code: name }
    const readings = chart.find([...entry.codes, own], entry.window, isWhole(entry.path))
    // One by one: there may be more of them than a call has arguments.
    for (const each of readings.found) found.push(each)
    for (const each of readings.doubtful) doubtful.push(each)
  }
  const instants = found.flatMap(({ moment }) => moment?.instant ?? [])
  if (found.length === 0) return undefined
  const last = instants.reduce((latest, instant) => Math.max(latest, instant), -Infinity)
  const newest = found.find(({ moment }) => moment?.instant === last)
  const visitOf = ({ entry }: Dated): Entry | undefined => chart.submission.linked(entry, 'encounter')
  const set = { last, hours, visit: newest && visitOf(newest) }
  const mayBelong = (reading: Dated): boolean => mayBeOfSet(reading, newest?.moment, hours)
  const untimed = found.some((reading) => reading.moment?.instant === undefined && mayBelong(reading))
  const open = doubtful.find(mayBelong)
  const openDoubt = open === undefined ? undefined : mayCount(open)
  return {
    has: (reading) => isOfSet(reading, visitOf(reading), set),
    doubt: untimed ? { text: FHIR_REASONS.readingNoTime } : openDoubt,
    why: { text: FHIR_REASONS.notOfSet, parts: { hours } },
  }
}

/** What belongs to a set. Without a set, everything. */
export function inSet(readings: Found, set: ReadingSet | undefined): Found {
  if (set === undefined || readings.found.length + readings.doubtful.length === 0) return readings
  if (set.doubt !== undefined) return { ...readings, found: [], why: set.doubt }
  const found = readings.found.filter((each) => set.has(each))
  return { found, doubtful: [], why: set.why }
}
