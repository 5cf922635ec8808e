/** A patient's Observations by their codes, and which of several counts: the latest in the window. */
import type { Evaluator } from './evaluator.ts'
import { codingsOf, isObject, listOf, textOf } from './json.ts'
import type { MappedCoding, MappedWindow } from './mapping.ts'
import { type Moment, isBefore, parseMoment } from './moment.ts'
import type { Entry, Subject, Submission } from './submission.ts'
import type { Timeline } from './timeline.ts'

export interface Dated {
  readonly entry: Entry
  readonly moment: Moment | undefined
}

const USABLE = new Set(['final', 'amended', 'corrected'])

export class Observations {
  private readonly byCode = new Map<string, Entry[]>()
  private readonly timeline: Timeline
  readonly resolve: Submission['resolve']

  constructor(subject: Subject, { resolve }: Submission, timeline: Timeline) {
    this.timeline = timeline
    this.resolve = resolve
    for (const entry of subject.entries) {
      if (entry.type !== 'Observation') continue
      for (const { system, code } of codingsOf(entry.resource['code'])) {
        const key = `${system}|${code}`
        const known = this.byCode.get(key)
        if (known === undefined) this.byCode.set(key, [entry])
        else if (!known.includes(entry)) known.push(entry)
      }
    }
  }

  /** Those with one of the codes, a usable status and a place in the window. */
  find(
    codes: readonly MappedCoding[],
    window: MappedWindow,
  ): { readonly found: readonly Dated[]; readonly why: string } {
    const coded = new Set(codes.flatMap(({ system, code }) => this.byCode.get(`${system}|${code}`) ?? []))
    if (coded.size === 0) return { found: [], why: 'No Observation has one of its codes.' }
    const usable = [...coded].filter(hasValueToUse)
    if (usable.length === 0)
      return { found: [], why: 'No Observation with its code has a final status and a value.' }
    const found = usable.map(dated).filter(({ entry, moment }) => this.isWithin(window, entry, moment))
    return { found, why: found.length === 0 ? 'No Observation with its code lies in the window.' : '' }
  }

  isWithin(window: MappedWindow, entry: Entry, moment: Moment | undefined): boolean {
    const { encounter } = entry.resource
    const of = isObject(encounter) ? this.resolve(encounter['reference'], entry) : undefined
    return this.timeline.isWithin(window, moment, of)
  }
}

/** The latest of several. Undefined where times do not say which one that is and the values differ. */
export function latestOf<T extends { readonly moment: Moment | undefined }>(
  all: readonly T[],
  valueOf: (each: T) => unknown,
): T | undefined {
  if (all.length <= 1) return all[0]
  if (all.some(({ moment }) => moment === undefined)) return undefined
  const last = all.filter(
    (one) => !all.some((other) => isBefore(one.moment as Moment, other.moment as Moment)),
  )
  const [first, ...others] = last
  if (first === undefined) return undefined
  const value = JSON.stringify(valueOf(first))
  return others.every((other) => JSON.stringify(valueOf(other)) === value) ? first : undefined
}

/** The single value of a path; undefined if the path gives no value or several. */
export function singleValue(evaluator: Evaluator, path: string, { resource }: Entry): unknown {
  const values = evaluator.evaluate(path, resource)
  return values.length === 1 ? values[0] : undefined
}

export function dated(entry: Entry): Dated {
  const { resource } = entry
  const period = resource['effectivePeriod']
  const inPeriod = isObject(period) ? (period['end'] ?? period['start']) : undefined
  const text =
    resource['effectiveDateTime'] ?? resource['effectiveInstant'] ?? inPeriod ?? resource['authored']
  return { entry, moment: parseMoment(text) }
}

/** Whether an Observation is final and holds a value, or parts that may hold one. */
export function hasValueToUse({ resource }: Entry): boolean {
  if (!USABLE.has(textOf(resource['status']) ?? '') || resource['dataAbsentReason'] !== undefined)
    return false
  if (Object.keys(resource).some((key) => key.startsWith('value'))) return true
  return ['component', 'hasMember', 'derivedFrom'].some((name) => listOf(resource[name]).length > 0)
}
