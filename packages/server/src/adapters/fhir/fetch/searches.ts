/** The searches that give a patient's data, generated from the mapping, and what their results hold and prove. */
import { AppError } from '@patient-risk/runtime'
import { PATIENT, type Searches, partOfResult } from '../../../remote/search-pages.ts'
import { keyOf } from '../read/chart.ts'
import { FIELD_SYSTEM } from '../codings.ts'
import { type Json, inside, isObject, textOf } from 'patient-risk-engine/read'
import { allOf } from '../../../remote/elements.ts'
import type { Mapping, MappedCoding } from '@patient-risk/catalog'
import { addDays, isoDay, momentReader, monthsBefore } from '../read/moment.ts'
import type { Wanted } from '../read/read-patient.ts'
import { isFailure } from '../read/body/failed-search.ts'
import { type Submission, readSubmission } from '../read/body/submission.ts'
import type { TimelineOptions } from '../read/stays/timeline.ts'

const DATED = /&date=ge(\d+)-(\d+)-(\d+)/

/** From `today` on, Encounters are those of the model's window; without it, all of them. */
export function searchesFor({ fields, scales }: Wanted, mapping: Mapping, today?: number): Searches {
  const derived = Object.keys(mapping.fields).filter((name) =>
    scales.some(({ id }) => name.startsWith(`${id}_`)),
  )
  const entries = [...fields, ...derived].flatMap((name) => mapping.fields[name] ?? [])
  const resources = new Set(entries.map(({ resource }) => resource))
  const own = (code: string): MappedCoding => ({ system: FIELD_SYSTEM, code })
  const codes = [
    ...fields.flatMap((name) => {
      const entry = mapping.fields[name]
      const isHeld = entry?.take === 'days' || (entry?.take === 'count' && entry.class !== 'primaryCare')
      // Every record system holds Patients and stays. Other fields may be sent under their own name instead.
      const asked = isHeld || entry?.resource === 'Patient' ? [] : [own(name)]
      return entry?.take === 'latest' ? [...entry.codes, ...asked] : asked
    }),
    ...derived.flatMap((name) => {
      const entry = mapping.fields[name]
      return entry?.take === 'latest' ? entry.codes : []
    }),
    ...scales.flatMap(({ id, items, measures, context }) => {
      const { total = [], panel = [], items: coded = {} } = mapping.scales[id] ?? {}
      const parts = Object.keys({ ...items, ...measures, ...context })
      const ownItems = parts.map((part) => own(`${id}_${part}`))
      return [...total, ...panel, ...Object.values(coded).flat(), own(`${id}_total`), ...ownItems]
    }),
  ]
  const months = entries.map((entry) => {
    if (entry.take === 'count') return entry.monthsBefore
    return entry.take === 'any' && 'inPreviousStay' in entry ? Infinity : 0
  })
  const search = (type: string, more: string): string => `${type}?patient=${PATIENT}${more}&_count=200`
  const observations = `&code=${codes.map(keyOf).join(',')}&_sort=-date`
  return {
    patient: `Patient/${PATIENT}`,
    encounters: search('Encounter', `${windowFrom(Math.max(12, ...months), today)}&_sort=-date`),
    ...(codes.length > 0 && { observations: search('Observation', observations) }),
    ...(resources.has('Condition') && { conditions: search('Condition', '') }),
    ...(resources.has('Procedure') && { procedures: search('Procedure', '&_sort=-date') }),
    ...(scales.length > 0 && { responses: search('QuestionnaireResponse', '&status=completed,amended') }),
  }
}

/** A window ends with the admission, so a month is added for the stay. CDS Hooks 2.0 has no arithmetic with dates. */
function windowFrom(months: number, today: number | undefined): string {
  if (today === undefined || months === Infinity) return ''
  return `&date=ge${isoDay(monthsBefore(today, months + 1))}`
}

export interface Results {
  readonly submission: Submission
  /** The types that were found completely, each from a day on. */
  readonly complete: TimelineOptions['complete']
  /** Whether something that was searched for was not found, or only in part. */
  readonly isPartial: boolean
}

/** Reads results by the names of their searches; null means that nothing was found. */
export function readResults(results: Json, searches: Searches, timeZone?: string, ask?: () => void): Results {
  const parameter: Json[] = []
  const complete = new Map<string, number>()
  let isPartial = false
  for (const [name, search] of Object.entries(searches)) {
    const value = Object.hasOwn(results, name) ? results[name] : undefined
    const type = inside(value, 'resourceType')
    const part = isObject(value) ? partOfResult(value) : undefined
    let covered: number | undefined
    if (part === undefined) covered = 0
    else if (name === 'encounters') covered = coveredFrom(value, timeZone)
    if (covered === undefined) throw incomplete(name, part ?? '')
    // The client sends an OperationOutcome for what it could not fetch.
    const isFetched = value === null || (isObject(value) && typeof type === 'string' && !holdsError(value))
    isPartial ||= !isFetched || part !== undefined
    if (!isFetched) {
      if (name === 'patient' || name === 'encounters') throw incomplete(name, 'is missing')
      continue
    }
    const [searched = '', query] = search.split('?')
    const [, ...date] = DATED.exec(query ?? '') ?? []
    // The server may be in another time zone.
    const from = date.length === 0 ? 0 : addDays(Number(date.join('')), 1)
    if (query !== undefined && (value === null || type === 'Bundle'))
      complete.set(searched, Math.max(from, covered))
    if (!isObject(value)) continue
    // Without its links and its total, a part is read as a whole result.
    const resource = part === undefined ? value : { ...value, link: [], total: undefined }
    parameter.push({ name, resource })
  }
  const submission = readSubmission({ resourceType: 'Parameters', parameter }, timeZone, true, ask)
  return { submission, complete, isPartial }
}

/**
 * The day from which on a page that has the newest Encounters first holds all of them; undefined where it is not in that order.
 * Servers sort by the start or by the end. In both orders, what is left out began before the last one had ended.
 */
function coveredFrom(page: unknown, timeZone?: string): number | undefined {
  const momentOf = momentReader(timeZone)
  const dayOf = (text: unknown): number => {
    const { day, precision } = momentOf(text) ?? {}
    return precision === 'day' && day !== undefined ? day : NaN
  }
  const relations = allOf(inside(page, 'link')).map((link) => textOf(inside(link, 'relation')) ?? '')
  // Without a next page the order says nothing of what is missing.
  const isFirst = relations.includes('next') && !relations.some((each) => each.startsWith('prev'))
  const periods = allOf(inside(page, 'entry')).map((entry) => {
    const { start, end } = (inside(entry, 'resource', 'period') ?? {}) as Json
    return { start: dayOf(start), end: end === undefined ? Infinity : dayOf(end) }
  })
  const isSorted = (by: 'start' | 'end'): boolean =>
    periods.every((period, at) => at === 0 || period[by] <= (periods[at - 1]?.[by] ?? NaN))
  const last = periods.reduce((_, { end }) => end, NaN)
  const isCovering = isFirst && Number.isFinite(last) && (isSorted('start') || isSorted('end'))
  return isCovering ? addDays(last, 1) : undefined
}

/** The results for one patient. Throws where they hold something else: then others may be missing too. */
export function resultsOf(id: string, submission: Submission): Submission {
  const subjects = submission.subjects.filter(({ patient }) => patient.resource['id'] === id)
  if (subjects.length !== 1) throw incomplete('patient', 'is not the patient that was asked for')
  if (submission.unassigned.length > 0)
    throw incomplete('data', 'holds resources that are not of the patient that was asked for')
  if (submission.issues.some(({ severity }) => severity === 'error'))
    throw incomplete('data', 'holds something that is not a resource of R4')
  if (subjects[0]?.conflict !== undefined)
    throw incomplete('data', 'holds the same resource twice with different content')
  return { ...submission, subjects }
}

function holdsError(value: Json): boolean {
  if (value['resourceType'] === 'OperationOutcome') return true
  return allOf(value['entry']).some((entry) => {
    const resource = inside(entry, 'resource')
    return isObject(resource) && isFailure(resource)
  })
}

export function incomplete(name: string, what: string): AppError {
  return new AppError('PREFETCH_INCOMPLETE', `The data under "${name}" ${what}.`)
}
