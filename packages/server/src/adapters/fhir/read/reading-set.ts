/** Readings of a scale that belong together: of one Encounter, and taken within the hours that the mapping states for the scale. */
import type { ScaleDefinition } from 'patient-risk-engine/definition'
import { FHIR_REASONS } from '@patient-risk/catalog'
import { FIELD_SYSTEM } from '../codings.ts'
import type { Reason } from './finding.ts'
import { type Chart, type Dated, type Found, mayCount } from './chart.ts'
import { type Moment, addDays, isBefore } from './moment.ts'

const HOUR_MS = 3_600_000

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
  const visitOf = ({ entry }: Dated): unknown => chart.submission.linked(entry, 'encounter')
  const visit = newest === undefined ? undefined : visitOf(newest)
  const isOfVisit = (reading: Dated): boolean => {
    const other = visitOf(reading)
    return visit === undefined || other === undefined || other === visit
  }
  // What has no time, or may not count, changes nothing if it certainly lies before the set, which may begin the day before.
  const newestMoment = newest?.moment
  const first: Moment | undefined = newestMoment && {
    ...newestMoment,
    day: addDays(newestMoment.day, -Math.ceil(hours / 24)),
    instant: last - hours * HOUR_MS,
  }
  const mayBeOfSet = ({ moment }: Dated): boolean =>
    moment === undefined || first === undefined || !isBefore(moment, first)
  const untimed = found.some((reading) => reading.moment?.instant === undefined && mayBeOfSet(reading))
  const open = doubtful.find(mayBeOfSet)
  const openDoubt = open === undefined ? undefined : mayCount(open)
  return {
    has: (reading) => {
      const instant = reading.moment?.instant ?? -Infinity
      return instant >= last - hours * HOUR_MS && isOfVisit(reading)
    },
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
