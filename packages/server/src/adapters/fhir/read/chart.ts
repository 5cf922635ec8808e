/** One patient while its record is read: its stays, its Observations by code, and its diagnoses. */
import { type Diagnosis, readDiagnoses } from './diagnoses.ts'
import { codingsOf } from '../codings.ts'
import { inside, listOf, textOf } from 'patient-risk-engine/read'
import type { MappedCoding, MappedWindow, Mapping } from '@patient-risk/catalog'
import { type Moment, latestIn } from './moment.ts'
import type { Entry, Subject } from './identities.ts'
import { type Submission } from './submission.ts'
import { Timeline, type TimelineOptions } from './timeline.ts'

export interface Dated {
  readonly entry: Entry
  readonly moment: Moment | undefined
}

const USABLE = ['final', 'amended', 'corrected']

export class Chart {
  readonly timeline: Timeline
  readonly subject: Subject
  readonly submission: Submission
  readonly mapping: Mapping
  /** Observations by each of their codes: `system|code`. */
  private readonly byCode: ReadonlyMap<string, readonly { readonly entry: Entry }[]>
  private read: readonly Diagnosis[] | undefined

  constructor(subject: Subject, submission: Submission, mapping: Mapping, options: TimelineOptions) {
    this.subject = subject
    this.submission = submission
    this.mapping = mapping
    this.timeline = new Timeline(subject, submission, mapping.encounters, options)
    const coded = subject.entries.flatMap((entry) => {
      const codings = entry.type === 'Observation' ? codingsOf(entry.resource['code']) : []
      return codings.map((coding) => ({ entry, key: keyOf(coding) }))
    })
    this.byCode = Map.groupBy(coded, ({ key }) => key)
  }

  get diagnoses(): readonly Diagnosis[] {
    return (this.read ??= readDiagnoses(this))
  }

  find(
    codes: readonly MappedCoding[],
    window: MappedWindow,
  ): { readonly found: readonly Dated[]; readonly why: string } {
    const coded = codes.flatMap((coding) => this.byCode.get(keyOf(coding)) ?? [])
    const usable = [...new Set(coded.map(({ entry }) => entry))].filter(hasValueToUse)
    const found = usable.map((entry) => this.dated(entry)).filter((each) => this.isWithin(window, each))
    if (coded.length === 0) return { found, why: 'No Observation has one of its codes.' }
    if (usable.length === 0)
      return { found, why: 'No Observation with its code has a final status and a value.' }
    return { found, why: 'No Observation with its code lies in the window.' }
  }

  dated(entry: Entry): Dated {
    const { effectiveDateTime, effectiveInstant, effectivePeriod: period, authored } = entry.resource
    const inPeriod = inside(period, 'end') ?? inside(period, 'start')
    const moment = this.submission.momentOf(effectiveDateTime ?? effectiveInstant ?? inPeriod ?? authored)
    return { entry, moment }
  }

  isWithin(window: MappedWindow, { entry, moment }: Dated): boolean {
    // A result that was issued later was not known, whenever the sample was taken.
    const issued = this.submission.momentOf(entry.resource['issued'])
    if (issued !== undefined && this.timeline.isAfter(issued) === true) return false
    return this.timeline.isWithin(window, moment, this.submission.linked(entry, 'encounter'))
  }
}

/** A coding as a search writes it. */
export function keyOf({ system, code }: MappedCoding): string {
  return `${system}|${code}`
}

/** The latest of several. Undefined if the times leave it open and the values differ. */
export function latestOf<T extends { readonly moment: Moment | undefined }>(
  all: readonly T[],
  valueOf: (each: T) => unknown,
): T | undefined {
  if (all.length <= 1) return all[0]
  if (all.some(({ moment }) => moment === undefined)) return undefined
  const last = latestIn(all, ({ moment }) => moment as Moment)
  return new Set(last.map((each) => JSON.stringify(valueOf(each)))).size === 1 ? last[0] : undefined
}

export function hasValueToUse({ resource }: Entry): boolean {
  if (!USABLE.includes(textOf(resource['status']) ?? '') || resource['dataAbsentReason'] !== undefined)
    return false
  if (Object.keys(resource).some((key) => key.startsWith('value'))) return true
  return ['component', 'hasMember', 'derivedFrom'].some((name) => listOf(resource[name]).length > 0)
}
