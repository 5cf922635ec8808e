/** One patient while its record is read: its stays, its Observations by code, and its diagnoses. */
import { type Diagnosis, readDiagnoses } from './diagnoses.ts'
import { codingsOf } from '../codings.ts'
import { inside, listOf } from 'patient-risk-engine/read'
import type { MappedCoding, MappedWindow, Mapping } from '@patient-risk/catalog'
import { entryOf } from './finding.ts'
import { type Moment, isBefore, latestIn } from './moment.ts'
import type { Entry } from './entry.ts'
import type { Subject } from './identities.ts'
import { isCounted } from './rules.ts'
import { type Submission } from './submission.ts'
import { Timeline, type TimelineOptions } from './timeline.ts'

export interface Dated {
  readonly entry: Entry
  readonly moment: Moment | undefined
}

/** What a search in a chart gives: the Observations that count, those that may count, and why there is no value without them. */
export interface Found {
  readonly found: readonly Dated[]
  readonly doubtful: readonly Dated[]
  readonly why: string
}

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

  find(codes: readonly MappedCoding[], window: MappedWindow): Found {
    const keys = new Set(codes.map(keyOf))
    const coded = [...keys].flatMap((key) => this.byCode.get(key) ?? [])
    const own = [...new Set(coded.map(({ entry }) => entry))].filter(hasValue)
    const usable = own.filter(hasValueToUse)
    const unclear = [
      ...own.filter(({ resource }) => isCounted('Observation', resource['status']) === undefined),
      ...(this.subject.leftOut.get('Observation') ?? []).filter(
        (entry) =>
          hasValue(entry) && codingsOf(entry.resource['code']).some((coding) => keys.has(keyOf(coding))),
      ),
    ]
    const judged = usable
      .map((entry) => this.dated(entry))
      .map((each) => [each, this.isWithin(window, each)] as const)
    const found = judged.flatMap(([each, isWithin]) => (isWithin === true ? [each] : []))
    const doubtful = [
      ...judged.flatMap(([each, isWithin]) => (isWithin === undefined ? [each] : [])),
      ...unclear.map((entry) => this.dated(entry)).filter((each) => this.isWithin(window, each) !== false),
    ]
    const [doubt] = doubtful
    const result = { found, doubtful }
    if (doubt !== undefined) return { ...result, why: mayCount(doubt) }
    if (coded.length === 0) return { ...result, why: 'No Observation has one of its codes.' }
    if (usable.length === 0)
      return { ...result, why: 'No Observation with its code has a final status and a value.' }
    return { ...result, why: 'No Observation with its code lies in the window.' }
  }

  dated(entry: Entry): Dated {
    const { effectiveDateTime, effectiveInstant, effectivePeriod: period, authored } = entry.resource
    const inPeriod = inside(period, 'end') ?? inside(period, 'start')
    const moment = this.submission.momentOf(effectiveDateTime ?? effectiveInstant ?? inPeriod ?? authored)
    return { entry, moment }
  }

  /** Whether it lies in a window; undefined where that is not known. */
  isWithin(window: MappedWindow, { entry, moment }: Dated): boolean | undefined {
    // A result that was issued later was not known, whenever the sample was taken.
    const issued = this.submission.momentOf(entry.resource['issued'])
    const isLater = issued !== undefined && this.timeline.isAfter(issued)
    if (isLater === true) return false
    const isWithin = this.timeline.isWithin(window, moment, this.submission.linked(entry, 'encounter'))
    return isWithin === true && isLater === undefined ? undefined : isWithin
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

/** What may count and may be later than the one that was chosen, with another value. */
export function rivalOf<T extends { readonly moment: Moment | undefined }>(
  chosen: T,
  doubtful: readonly T[],
  valueOf: (each: T) => unknown,
): T | undefined {
  const value = JSON.stringify(valueOf(chosen))
  const isEarlier = ({ moment }: T): boolean =>
    moment !== undefined && chosen.moment !== undefined && isBefore(moment, chosen.moment)
  return doubtful.find((each) => !isEarlier(each) && JSON.stringify(valueOf(each)) !== value)
}

export function mayCount({ entry }: Pick<Dated, 'entry'>): string {
  return `Its time, status or subject leaves open whether it counts: ${entryOf(entry.path)}.`
}

export function hasValueToUse(entry: Entry): boolean {
  return isCounted('Observation', entry.resource['status']) === true && hasValue(entry)
}

function hasValue({ resource }: Entry): boolean {
  if (resource['dataAbsentReason'] !== undefined) return false
  if (Object.keys(resource).some((key) => key.startsWith('value'))) return true
  return ['component', 'hasMember', 'derivedFrom'].some((name) => listOf(resource[name]).length > 0)
}
