/** One patient while its record is read: its stays, its Observations by code, and its diagnoses. */
import { type Json, inside, isObject, textOf } from 'patient-risk-engine/read'
import { FHIR_REASONS, type MappedCoding, type MappedWindow, type Mapping } from '@patient-risk/catalog'
import { allOf } from '../../../remote/elements.ts'
import { codingsOf } from '../codings.ts'
import type { Entry } from './body/entry.ts'
import type { Subject } from './body/subject.ts'
import type { Submission } from './body/submission.ts'
import { type Diagnosis, readDiagnoses } from './diagnoses.ts'
import { type Reason, entryOf } from './finding.ts'
import type { Moment } from './moment.ts'
import { givesValue, timeOfValue } from './rules.ts'
import { Timeline, type TimelineOptions } from './stays/timeline.ts'
import { isInWindow } from './stays/window.ts'

export interface Dated {
  readonly entry: Entry
  readonly moment: Moment | undefined
  /** The component of the Observation that has the code, where the Observation itself is about more. */
  readonly component?: Component | undefined
}

export interface Component {
  readonly at: number
  readonly part: Json
}

/** What has codes: an Observation, or a component of it. */
interface Coded {
  readonly entry: Entry
  readonly component?: Component | undefined
}

interface Keyed {
  readonly key: string
  readonly coded: Coded
}

/** What a search in a chart gives: the Observations that count, those that may count, and why there is no value without them. */
export interface Found {
  readonly found: readonly Dated[]
  readonly doubtful: readonly Dated[]
  readonly why: Reason
}

export class Chart {
  readonly timeline: Timeline
  readonly subject: Subject
  readonly submission: Submission
  readonly mapping: Mapping
  /** Observations and their components by each of their codes: `system|code`. */
  private readonly byCode: ReadonlyMap<string, readonly Keyed[]>
  /** The same of those that may be of this patient. A search asks for each of them, so they are keyed once. */
  private readonly leftOutByCode: ReadonlyMap<string, readonly Keyed[]>
  private read: readonly Diagnosis[] | undefined

  constructor(subject: Subject, submission: Submission, mapping: Mapping, options: TimelineOptions) {
    this.subject = subject
    this.submission = submission
    this.mapping = mapping
    this.timeline = new Timeline(subject, submission, mapping.encounters, options)
    this.byCode = byCode(subject.entries.filter(({ type }) => type === 'Observation'))
    this.leftOutByCode = byCode(subject.leftOut.get('Observation') ?? [])
  }

  get diagnoses(): readonly Diagnosis[] {
    return (this.read ??= readDiagnoses(this))
  }

  /** `andComponents`: components of Observations with the codes as well, as of a panel of vital signs. */
  find(codes: readonly MappedCoding[], window: MappedWindow, andComponents = false): Found {
    const withOneOf = (index: ReadonlyMap<string, readonly Keyed[]>, isBare = false): readonly Keyed[] => {
      const keys = codes.map(({ system, code }) => keyOf({ system: isBare ? NO_SYSTEM : system, code }))
      return [...new Set(keys)].flatMap((key) => index.get(key) ?? [])
    }
    const isWanted = ({ component }: Coded): boolean => andComponents || component === undefined
    const wantedOf = (keyed: readonly Keyed[]): readonly Coded[] =>
      [...new Set(keyed.map(({ coded }) => coded))].filter(isWanted)
    const all = wantedOf(withOneOf(this.byCode))
    // A panel that is named by a code of its own, such as blood pressure, gives the component.
    const inParts = new Set(all.flatMap(({ entry, component }) => (component === undefined ? [] : [entry])))
    const coded = all.filter(
      ({ entry, component }) => component !== undefined || !inParts.has(entry) || hasOwnValue(entry.resource),
    )
    const usable = coded.filter((each) => hasValue(each) === true)
    const unclear = [
      ...coded.filter((each) => hasValue(each) === undefined),
      ...wantedOf(withOneOf(this.leftOutByCode)).filter((each) => hasValue(each) !== false),
      // The same codes without their system.
      ...wantedOf(withOneOf(this.byCode, true)).filter(
        (each) => !all.includes(each) && hasValue(each) !== false,
      ),
    ]
    const judged = usable
      .map((each) => this.dated(each.entry, each.component))
      .map((each) => [each, this.isWithin(window, each)] as const)
    const found = judged.flatMap(([each, isWithin]) => (isWithin === true ? [each] : []))
    const doubtful = [
      ...judged.flatMap(([each, isWithin]) => (isWithin === undefined ? [each] : [])),
      ...unclear
        .map((each) => this.dated(each.entry, each.component))
        .filter((each) => this.isWithin(window, each) !== false),
    ]
    const [doubt] = doubtful
    const result = { found, doubtful }
    if (doubt !== undefined) return { ...result, why: mayCount(doubt) }
    if (coded.length === 0) return { ...result, why: { text: FHIR_REASONS.noObservation } }
    if (usable.length === 0) return { ...result, why: { text: FHIR_REASONS.noFinal } }
    return { ...result, why: { text: FHIR_REASONS.noneInWindow } }
  }

  dated(entry: Entry, component?: Component): Dated {
    return { entry, moment: this.submission.momentOf(timeOfValue(entry.resource)), component }
  }

  /** Whether it lies in a window; undefined where that is not known. */
  isWithin(window: MappedWindow, { entry, moment }: Dated): boolean | undefined {
    // A result that was issued later was not known, whenever the sample was taken.
    const issued = this.submission.momentOf(entry.resource['issued'])
    const isLater = issued !== undefined && this.timeline.isAfter(issued)
    if (isLater === true) return false
    const visit = this.submission.linked(entry, 'encounter')
    const isWithin = isInWindow(this.timeline, window, moment, visit)
    return isWithin === true && isLater === undefined ? undefined : isWithin
  }
}

/** A coding as a search writes it. */
export function keyOf({ system, code }: MappedCoding): string {
  return `${system}|${code}`
}

export function mayCount({ entry }: Pick<Dated, 'entry'>): Reason {
  return { text: FHIR_REASONS.mayCount, parts: { place: entryOf(entry.path) } }
}

/** Whether an Observation, or a component of it, gives a value; undefined where it may. */
export function hasValue({ entry, component }: Coded): boolean | undefined {
  return givesValue(entry.resource['status'], component?.part ?? entry.resource)
}

function hasOwnValue(part: Json): boolean {
  return Object.keys(part).some((key) => key.startsWith('value'))
}

function byCode(observations: readonly Entry[]): ReadonlyMap<string, readonly Keyed[]> {
  return Map.groupBy(observations.flatMap(keyedIn), ({ key }) => key)
}

/** An Observation by each of its codes, and each of its components by those of the component. */
function keyedIn(entry: Entry): readonly Keyed[] {
  const keyed = (coded: Coded, code: unknown): readonly Keyed[] =>
    [...codingsOf(code), ...bareCodings(code)].map((coding) => ({ key: keyOf(coding), coded }))
  const ofParts = allOf(entry.resource['component']).flatMap((part, at) =>
    isObject(part) ? keyed({ entry, component: { at, part } }, part['code']) : [],
  )
  return [...keyed({ entry }, entry.resource['code']), ...ofParts]
}

const NO_SYSTEM = ''

/** Codes whose system is not told, or is a name such as LOINC and no address. Beside a coding in full they say nothing more. */
function bareCodings(code: unknown): readonly MappedCoding[] {
  if (codingsOf(code).some(({ system }) => system.includes(':'))) return []
  return allOf(inside(code, 'coding')).flatMap((coding) => {
    const bare = textOf(inside(coding, 'code'))?.trim()
    return bare === undefined ? [] : [{ system: NO_SYSTEM, code: bare }]
  })
}
