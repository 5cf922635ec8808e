/** A patient's Encounters: which one is the index stay, what came before it, and what may be counted. */
import { type Json, codingsOf, isIn, isObject, listOf, textOf } from './json.ts'
import type { MappedWindow, Mapping } from './mapping.ts'
import { type Moment, addDays, daysBetween, isBefore, monthsBefore, parseMoment } from './moment.ts'
import type { Entry, Subject, Submission } from './submission.ts'

/** A value with the resources that it came from, or the reason why it could not be found. */
export type Finding =
  | { readonly value: unknown; readonly from: readonly Entry[]; readonly at?: string }
  | { readonly why: string; readonly at?: string; readonly code?: string }

interface Visit {
  readonly entry: Entry
  readonly kind: 'inpatient' | 'emergency' | 'other' | 'unknown'
  readonly status: 'finished' | 'current' | 'ignored' | 'unknown'
  readonly start: Moment | undefined
  readonly end: Moment | undefined
  /** Where a stay began in the emergency department: its arrival there. */
  readonly arrival: Moment | undefined
  readonly parent: Entry | undefined
  readonly isPart: boolean
}

export interface TimelineOptions {
  /** The Encounters that the caller has named as index stays. */
  readonly named: readonly Entry[]
  /** The day that an unfinished stay is counted to; undefined where the caller names none. */
  readonly asOf: number | undefined
  readonly today: number
  readonly isComplete: boolean
}

const HOUR_MS = 3_600_000
/** Levels of Encounters within Encounters. */
const DEEPEST = 8
const NO_STAY = 'There is no index stay: no inpatient Encounter that has begun.'

export class Timeline {
  readonly index: Visit | undefined
  /** The day of admission; without an index stay the day of the assessment. */
  readonly anchor: number
  private readonly visits: readonly Visit[]
  private readonly leading: ReadonlySet<Visit>
  private readonly options: TimelineOptions
  private readonly indexFault: string

  constructor(
    subject: Subject,
    submission: Submission,
    rules: Mapping['encounters'],
    options: TimelineOptions,
  ) {
    this.options = options
    const encounters = subject.entries.filter(({ type }) => type === 'Encounter')
    this.visits = encounters.map((entry) => readVisit(entry, encounters, submission, rules))
    const { index, fault } = this.chooseIndex()
    this.index = index
    this.indexFault = fault
    this.anchor = index?.start?.day ?? options.asOf ?? options.today
    this.leading = new Set(
      this.visits.filter((visit) => this.ledToIndex(visit, submission, rules.leadsWithinHours)),
    )
  }

  /** The last day of the index stay, or the day that it is counted to. */
  get endDay(): number | undefined {
    return this.index?.end?.day ?? this.options.asOf
  }

  stayDays(): Finding {
    const { index, endDay } = this
    if (index === undefined) return { why: this.indexFault }
    const at = `${index.entry.path}.period`
    if (index.start === undefined) return { why: 'The index stay has no usable start.', at }
    const period = index.entry.resource['period']
    if (isObject(period) && Object.hasOwn(period, 'end') && index.end === undefined)
      return { why: 'The end of the index stay is not a date, or lies before its start.', at, code: 'value' }
    if (endDay === undefined) return { why: 'The index stay has not ended. Name a day with asOf.', at }
    return { value: daysBetween(index.start.day, endDay), from: [index.entry], at }
  }

  /** Admissions, or visits to an emergency department, in the months before the index stay. */
  count(kind: 'inpatient' | 'emergency', months: number): Finding {
    const { index, anchor } = this
    if (index !== undefined && index.start === undefined)
      return { why: 'The index stay has no usable start.' }
    const from = monthsBefore(anchor, months)
    const counted: Entry[] = []
    let isHistoryGiven = this.options.isComplete
    for (const visit of this.visits) {
      if (visit === index || this.leading.has(visit) || this.isOfIndex(visit)) continue
      if (visit.status === 'ignored' || visit.status === 'current') continue
      const at = visit.entry.path
      const begun = kind === 'emergency' && visit.kind === 'inpatient' ? visit.arrival : visit.start
      if (begun === undefined && kind === 'emergency' && visit.kind === 'inpatient') {
        isHistoryGiven ||= visit.start !== undefined && visit.start.day < anchor
        continue
      }
      const place = this.placeOf(begun, from)
      if (place === 'before' || place === 'within') isHistoryGiven = true
      if (place === 'before' || place === 'after') continue
      if (visit.kind === 'unknown')
        return {
          why: 'The class of an Encounter in the window is not in the mapping.',
          at: `${at}.class`,
          code: 'code-invalid',
        }
      const isWanted = visit.kind === kind || (kind === 'emergency' && visit.arrival !== undefined)
      if (!isWanted || visit.isPart) continue
      if (visit.status === 'unknown')
        return {
          why: 'The status of an Encounter in the window is not known.',
          at: `${at}.status`,
          code: 'code-invalid',
        }
      if (place === 'unknown')
        return { why: 'An Encounter has no usable start.', at: `${at}.period`, code: 'value' }
      counted.push(visit.entry)
    }
    if (counted.length > 0 || isHistoryGiven) return { value: counted.length, from: counted }
    return {
      why: 'There is no earlier Encounter, and the history is not stated to be complete (history=complete).',
    }
  }

  /** Whether something of this moment and Encounter lies in a window. */
  isWithin(window: MappedWindow, moment: Moment | undefined, encounter: Entry | undefined): boolean {
    if (this.index !== undefined && encounter !== undefined) {
      const visit = this.visits.find(({ entry }) => entry === encounter)
      if (visit !== undefined && (visit === this.index || this.leading.has(visit) || this.isOfIndex(visit)))
        return true
      if (visit?.kind === 'inpatient' && window === 'stay') return false
    }
    if (moment?.precision !== 'day') return false
    if (window === 'stay' && this.index === undefined) return false
    const starts = [this.anchor, ...[...this.leading].flatMap(({ start }) => start?.day ?? [])]
    const from = window === 'stay' ? Math.min(...starts) : monthsBefore(this.anchor, window.monthsBefore)
    const last = this.index === undefined ? this.anchor : (this.endDay ?? addDays(this.options.today, 1))
    return moment.day >= from && moment.day <= last
  }

  /** Whether an Encounter is the index stay, or a part of it. */
  isIndex(encounter: Entry | undefined): boolean {
    const visit = this.visits.find(({ entry }) => entry === encounter)
    return visit !== undefined && (visit === this.index || this.isOfIndex(visit))
  }

  get whyNoIndex(): string {
    return this.indexFault
  }

  /** Whether there are stays, and it is not known which one is the index stay. Then no window is known either. */
  get isAmbiguous(): boolean {
    return this.index === undefined && this.indexFault !== NO_STAY
  }

  private chooseIndex(): { index: Visit | undefined; fault: string } {
    const { named, asOf } = this.options
    const chosen = this.visits.find(({ entry }) => named.includes(entry))
    if (chosen !== undefined) {
      const isUsable = chosen.status === 'finished' || chosen.status === 'current'
      return isUsable
        ? { index: chosen, fault: '' }
        : { index: undefined, fault: 'The named Encounter did not take place.' }
    }
    const taken = this.visits.filter(
      ({ kind, status, isPart }) =>
        kind === 'inpatient' && (status === 'finished' || status === 'current') && !isPart,
    )
    // It may be the latest: an earlier stay must not take its place.
    if (taken.some(({ start }) => start?.precision !== 'day'))
      return { index: undefined, fault: 'An inpatient Encounter has no usable start. Name the index stay.' }
    const stays = taken.filter(({ start }) => asOf === undefined || (start as Moment).day <= asOf)
    const latest = stays.filter(
      (stay) => !stays.some((other) => isBefore(stay.start as Moment, other.start as Moment)),
    )
    if (latest.length > 1)
      return { index: undefined, fault: 'Several inpatient Encounters begin last. Name the index stay.' }
    return { index: latest[0], fault: NO_STAY }
  }

  private isOfIndex(visit: Visit): boolean {
    let at: Visit | undefined = visit
    for (let depth = 0; at?.parent !== undefined && depth < DEEPEST; depth++) {
      if (at.parent === this.index?.entry) return true
      const parent: Entry = at.parent
      at = this.visits.find(({ entry }) => entry === parent)
    }
    return false
  }

  private ledToIndex(visit: Visit, { resolve }: Submission, hours: number): boolean {
    const { index } = this
    if (index === undefined || visit === index || visit.kind !== 'emergency') return false
    const { partOf } = index.entry.resource
    const parent = isObject(partOf) ? resolve(partOf['reference'], index.entry) : undefined
    if (visit.parent === index.entry || parent === visit.entry) return true
    const { start, end = start } = visit
    const admitted = index.start
    if (start === undefined || end === undefined || admitted === undefined) return false
    if (start.instant === undefined || end.instant === undefined || admitted.instant === undefined)
      return start.day <= admitted.day && end.day >= admitted.day
    return start.instant <= admitted.instant && admitted.instant - end.instant <= hours * HOUR_MS
  }

  private placeOf(moment: Moment | undefined, from: number): 'before' | 'within' | 'after' | 'unknown' {
    if (moment?.precision !== 'day') return 'unknown'
    if (moment.day < from) return 'before'
    const start = this.index?.start
    const isEarlier = start === undefined ? moment.day <= this.anchor : isBefore(moment, start)
    return isEarlier ? 'within' : 'after'
  }
}

function readVisit(
  entry: Entry,
  encounters: readonly Entry[],
  { resolve }: Submission,
  rules: Mapping['encounters'],
): Visit {
  const { resource } = entry
  const kind = kindOf(resource['class'], rules)
  const period = periodOf(resource['period'])
  const { partOf } = resource
  const linked = isObject(partOf) ? resolve(partOf['reference'], entry) : undefined
  // A newborn's Encounter is part of its mother's: only a parent of the same patient makes a part.
  const parent = linked !== undefined && linked !== entry && encounters.includes(linked) ? linked : undefined
  const phases = listOf(resource['classHistory']).flatMap((phase) =>
    isObject(phase) ? [{ kind: kindOf(phase['class'], rules), ...periodOf(phase['period']) }] : [],
  )
  const emergency = kind === 'inpatient' ? phases.find((phase) => phase.kind === 'emergency') : undefined
  const admitted = kind === 'inpatient' ? phases.find((phase) => phase.kind === 'inpatient') : undefined
  const isTyped = listOf(resource['type']).some((type) => isIn(rules.partOfStay, codingsOf(type)))
  const isOfSameKind = parent !== undefined && kindOf(parent.resource['class'], rules) === kind
  const start = admitted?.start ?? period.start
  const isOrdered = start === undefined || period.end === undefined || !isBefore(period.end, start)
  return {
    entry,
    kind,
    status: statusOf(resource, rules),
    start,
    end: isOrdered ? period.end : undefined,
    arrival: emergency === undefined ? undefined : (emergency.start ?? period.start),
    parent,
    isPart: isTyped || isOfSameKind,
  }
}

function kindOf(given: unknown, { classes }: Mapping['encounters']): Visit['kind'] {
  const codings = codingsOf(given)
  for (const kind of ['inpatient', 'emergency', 'other'] as const)
    if (isIn(classes[kind], codings)) return kind
  return 'unknown'
}

const IGNORED = new Set(['planned', 'arrived', 'triaged', 'cancelled', 'entered-in-error'])

function statusOf({ status }: Json, rules: Mapping['encounters']): Visit['status'] {
  const text = textOf(status) ?? ''
  if (rules.finished.includes(text)) return 'finished'
  if (rules.current.includes(text)) return 'current'
  return IGNORED.has(text) ? 'ignored' : 'unknown'
}

function periodOf(period: unknown): { start: Moment | undefined; end: Moment | undefined } {
  if (!isObject(period)) return { start: undefined, end: undefined }
  return { start: parseMoment(period['start']), end: parseMoment(period['end']) }
}
