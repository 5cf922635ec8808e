/** A patient's Encounters as of the moment: the index stay, the visits that led to it, and where other visits lie. */
import { FHIR_REASONS } from '@patient-risk/catalog'
import type { Entry } from '../body/entry.ts'
import type { Subject } from '../body/subject.ts'
import type { Submission } from '../body/submission.ts'
import { type Finding, type ReasonText, missing } from '../finding.ts'
import { findLeftOut } from '../left-out.ts'
import { type Moment, addDays, daysBetween, isAfter, isBefore } from '../moment.ts'
import { type Place, doubledIn, hasLedTo, momentOfAssessment, whyPeriodOver } from '../rules.ts'
import { NO_STAY, chooseIndex, latestStays, rivalsIn } from './choose-index.ts'
import { withWholes } from './parts-by-level.ts'
import { readVisit } from './read-visit.ts'
import { type Naming, namingUnsent } from './unsent-encounters.ts'
import { DEEPEST, type Rules, type Visit } from './visit.ts'

export interface TimelineOptions {
  /** The Encounters that the caller has named as index stays. */
  readonly named: ReadonlySet<Entry | undefined>
  /** The moment of the assessment; undefined where the caller names none. */
  readonly asOf: Moment | undefined
  readonly today: number
  /** The types of resources that the sender states to be complete, or that a search shows to be, each from a day on. */
  readonly complete: ReadonlyMap<string, number>
}

const NONE: ReadonlySet<Entry> = new Set()

export class Timeline {
  readonly index: Visit | undefined
  readonly whyNoIndex: Finding
  /** The day of admission; without an index stay the day of the assessment. */
  readonly anchor: number
  /** The index stay with its parts. */
  readonly stay: ReadonlySet<Entry | undefined>
  readonly visits: ReadonlyMap<Entry | undefined, Visit>
  /** The emergency visits that led to the index stay. */
  readonly leading: ReadonlySet<Entry | undefined>
  /** The emergency visits that may have led to it: their times leave it open. */
  readonly mayLead: ReadonlySet<Entry | undefined>
  /** The day of admission, or of the first visit that led to it. */
  readonly firstDay: number
  /** The same, with the visits that may have led to it. */
  readonly mayBegin: number
  /** Visits that may be one visit recorded twice, with the reason. */
  readonly doubled: ReadonlyMap<Entry, ReasonText>
  readonly options: TimelineOptions
  /** The day from which on the Encounters of the body may be complete. */
  readonly heldFrom: number
  private readonly subject: Subject
  private readonly submission: Submission
  private readonly read: (entry: Entry) => Visit
  private naming: readonly Naming[] | undefined

  constructor(subject: Subject, submission: Submission, rules: Rules, options: TimelineOptions) {
    this.options = options
    this.subject = subject
    this.submission = submission
    const tomorrow = addDays(options.today, 1)
    this.read = (entry) => readVisit(entry, NONE, submission, rules, tomorrow)
    const encounters = new Set(subject.entries.filter(({ type }) => type === 'Encounter'))
    const read = [...encounters].map((entry) => readVisit(entry, encounters, submission, rules, tomorrow))
    const visits = withWholes(read)
    this.visits = new Map(visits.map((visit) => [visit.entry, visit]))
    this.doubled = doubledIn(visits)
    this.heldFrom = Math.max(
      options.complete.get('Encounter') ?? 0,
      submission.narrowed.get('Encounter')?.from ?? 0,
    )
    const by = options.asOf ?? { day: tomorrow, precision: 'day' }
    const leftOut = subject.leftOut.get('Encounter') ?? []
    const rivals = rivalsIn(leftOut, (entries) => latestStays(entries.map(this.read), by))
    const chosen = chooseIndex(visits, options.named, by, rivals, leftOut, this.doubled)
    const index = 'entry' in chosen ? chosen : undefined
    this.index = index
    this.whyNoIndex = 'entry' in chosen ? NO_STAY : chosen
    this.anchor = index?.start?.day ?? options.asOf?.day ?? options.today
    const isOfIndex = (entry: Entry | undefined, depth = DEEPEST): boolean =>
      entry !== undefined &&
      depth >= 0 &&
      (entry === index?.entry || isOfIndex(this.visits.get(entry)?.parent, depth - 1))
    this.stay = new Set([...encounters].filter((entry) => isOfIndex(entry)))
    const admittedFrom = index === undefined ? undefined : submission.linked(index.entry, 'partOf')
    const ledBy = Map.groupBy(visits, (visit) => hasLedTo(index, visit, admittedFrom, rules.leadsWithinHours))
    const led = ledBy.get(true) ?? []
    const mayHaveLed = ledBy.get(undefined) ?? []
    this.leading = new Set(led.map(({ entry }) => entry))
    this.mayLead = new Set(mayHaveLed.map(({ entry }) => entry))
    this.firstDay = firstOf(led, this.anchor)
    this.mayBegin = firstOf(mayHaveLed, this.firstDay)
  }

  /** The emergency visits that led to the index stay, or the stay itself where it began as one. */
  get ledBy(): readonly Entry[] {
    const visits = [...this.leading].flatMap((entry) => entry ?? [])
    return this.index?.arrival === undefined ? visits : [...visits, this.index.entry]
  }

  /** What everything is judged at. */
  get moment(): Moment {
    return momentOfAssessment(this.options.asOf, this.index?.end, this.options.today)
  }

  /** Why there is no risk unless the caller names a moment. */
  periodOver(horizonDays: number): Finding | undefined {
    const { asOf, today } = this.options
    if (asOf !== undefined || this.index === undefined) return undefined
    return whyPeriodOver(this.index, this.isEndUnknown, horizonDays, today)
  }

  /** Whether something came after the moment; undefined where that is not known. Without a time, nothing comes after now. */
  isAfter(given: Moment | undefined): boolean | undefined {
    const isPast = this.moment.day < this.options.today
    return given === undefined ? (isPast ? undefined : false) : isAfter(given, this.moment)
  }

  /** Whether something lies ahead of the moment that the caller named, or else of now: a death after the stay is a death. */
  isAhead(given: Moment | undefined): boolean | undefined {
    if (this.options.asOf !== undefined) return this.isAfter(given)
    return given !== undefined && isAfter(given, { day: addDays(this.options.today, 1), precision: 'day' })
  }

  /** The day that the assessment is for. */
  get assessedOn(): number {
    const { asOf, today } = this.options
    return asOf?.day ?? Math.min(this.moment.day, today)
  }

  /** The day of discharge, or of asOf for a stay that goes on then; undefined where neither is known. */
  get endDay(): number | undefined {
    if (this.isEndUnknown) return undefined
    const end = this.index?.end
    return end === undefined || this.isAfter(end) === true ? this.options.asOf?.day : end.day
  }

  /** Whether the index stay is over, and nothing says since when. It may have ended long before asOf. */
  get isEndUnknown(): boolean {
    return this.index?.status === 'finished' && this.index.end === undefined
  }

  /** Whether it is certain that there is no stay to assess. */
  get isWithoutStay(): boolean {
    return (
      this.index === undefined &&
      (!this.isAmbiguous || this.whyNoIndex.why?.text === FHIR_REASONS.notInpatient)
    )
  }

  /** Whether there are stays, and it is not known which one is the index stay. Then no window is known either. */
  get isAmbiguous(): boolean {
    return this.index === undefined && this.whyNoIndex !== NO_STAY
  }

  stayDays(): Finding {
    const { index, endDay } = this
    if (index === undefined) return this.whyNoIndex
    const at = `${index.entry.path}.period`
    if (index.start === undefined) return missing(FHIR_REASONS.noStart, at)
    if (index.endFault !== undefined) return missing(index.endFault, at, 'value')
    if (this.isEndUnknown) return missing(FHIR_REASONS.noEnd, at)
    if (endDay === undefined) return missing(FHIR_REASONS.notEnded, at)
    if (index.status === 'current' && endDay < (this.options.asOf?.day ?? this.options.today))
      return missing(FHIR_REASONS.endOfCurrent, at, 'value')
    return { value: daysBetween(index.start.day, endDay), from: [index.entry], at }
  }

  /** Why the Encounters of the patient are not complete, where those that were left out may matter. */
  leftOutWhere(mayMatter: (visit: Visit) => boolean): Finding | undefined {
    const isRelevant = (entry: Entry): boolean =>
      entry.unreadable !== undefined || mayMatter(this.read(entry))
    return findLeftOut(this.subject, this.submission, 'Encounter', isRelevant)
  }

  /** What names an Encounter that the body does not hold, with its time. */
  get namingUnsent(): readonly Naming[] {
    return (this.naming ??= namingUnsent(this.subject, this.submission))
  }

  /** Whether an Encounter of the patient had certainly ended by the moment. */
  hadEnded(encounter: Entry | undefined): boolean {
    const end = this.visits.get(encounter)?.end
    return end !== undefined && this.isAfter(end) === false
  }

  placeOf(moment: Moment | undefined, from: number): Place {
    if (moment === undefined) return 'unknown'
    if (moment.day < from) return 'before'
    const start = this.index?.start
    if (start === undefined) {
      const isLater = this.isAfter(moment)
      if (isLater === undefined) return 'unknown'
      return isLater || moment.day > this.anchor ? 'after' : 'within'
    }
    if (isBefore(moment, start)) return 'within'
    const isOnSameDay = moment.day === start.day
    const isTimed = moment.instant !== undefined && start.instant !== undefined
    return isOnSameDay && !isTimed ? 'unknown' : 'after'
  }
}

function firstOf(visits: readonly Visit[], day: number): number {
  return visits.reduce((first, { start }) => Math.min(first, start?.day ?? first), day)
}
