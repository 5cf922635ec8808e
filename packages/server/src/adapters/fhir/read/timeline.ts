/** A patient's Encounters: which one is the index stay, what came before it, and what may be counted. */
import { NO_STAY, chooseIndex, latestStays, rivalsIn } from './choose-index.ts'
import { doubledIn } from './doubled-visits.ts'
import { type Finding, type Reason, type ReasonText, entryOf, findLeftOut, missing } from './finding.ts'
import { inside } from 'patient-risk-engine/read'
import { FHIR_REASONS, type MappedWindow } from '@patient-risk/catalog'
import {
  type Moment,
  addDays,
  daysBetween,
  isAfter,
  isBefore,
  isInDays,
  isoDay,
  lastDay,
  latestIn,
  monthsBefore,
} from './moment.ts'
import type { Entry } from './entry.ts'
import type { Subject } from './identities.ts'
import { type Submission, isR5 } from './submission.ts'
import { DEEPEST, type Rules, type Visit, readVisit, withWholes } from './visit.ts'

export interface TimelineOptions {
  /** The Encounters that the caller has named as index stays. */
  readonly named: ReadonlySet<Entry | undefined>
  /** The moment of the assessment; undefined where the caller names none. */
  readonly asOf: Moment | undefined
  readonly today: number
  /** The types of resources that the sender states to be complete, or that a search shows to be, each from a day on. */
  readonly complete: ReadonlyMap<string, number>
}

const HOUR_MS = 3_600_000
const LONGEST_VISIT_DAYS = 3
const MOST_DAYS_BEFORE = 31

const NONE: ReadonlySet<Entry> = new Set()

export class Timeline {
  readonly index: Visit | undefined
  readonly whyNoIndex: Finding
  /** The day of admission; without an index stay the day of the assessment. */
  readonly anchor: number
  /** The index stay with its parts. */
  readonly stay: ReadonlySet<Entry | undefined>
  private readonly visits: ReadonlyMap<Entry | undefined, Visit>
  /** The emergency visits that led to the index stay. */
  private readonly leading: ReadonlySet<Entry | undefined>
  /** The emergency visits that may have led to it: their times leave it open. */
  private readonly mayLead: ReadonlySet<Entry | undefined>
  /** The day of admission, or of the first visit that led to it. */
  private readonly firstDay: number
  /** The same, with the visits that may have led to it. */
  private readonly mayBegin: number
  readonly options: TimelineOptions
  /** Why the Encounters of the patient are not complete, where those that were left out may matter. */
  private readonly leftOutWhere: (mayMatter: (visit: Visit) => boolean) => Finding | undefined
  /** The day from which on the Encounters of the body may be complete. */
  private readonly heldFrom: number
  /** What names an Encounter that the body does not hold, with its time. */
  private readonly namingUnsent: () => readonly {
    readonly entry: Entry
    readonly moment: Moment | undefined
  }[]
  /** Visits that may be one visit recorded twice, with the reason. */
  private readonly doubled: ReadonlyMap<Entry, ReasonText>

  constructor(subject: Subject, submission: Submission, rules: Rules, options: TimelineOptions) {
    this.options = options
    const encounters = new Set(subject.entries.filter(({ type }) => type === 'Encounter'))
    const tomorrow = addDays(options.today, 1)
    const read = [...encounters].map((entry) => readVisit(entry, encounters, submission, rules, tomorrow))
    const visits = withWholes(read)
    this.visits = new Map(visits.map((visit) => [visit.entry, visit]))
    this.leftOutWhere = (mayMatter) => {
      const isRelevant = (entry: Entry): boolean =>
        entry.unreadable !== undefined || mayMatter(readVisit(entry, NONE, submission, rules, tomorrow))
      return findLeftOut(subject, submission, 'Encounter', isRelevant)
    }
    this.doubled = doubledIn(visits)
    this.heldFrom = Math.max(
      options.complete.get('Encounter') ?? 0,
      submission.narrowed.get('Encounter')?.from ?? 0,
    )
    let naming: ReturnType<Timeline['namingUnsent']> | undefined
    this.namingUnsent = () => (naming ??= namingUnsent(subject.entries, submission))
    const by = options.asOf ?? { day: tomorrow, precision: 'day' }
    const leftOut = subject.leftOut.get('Encounter') ?? []
    const rivals = rivalsIn(leftOut, (entries) =>
      latestStays(
        entries.map((entry) => readVisit(entry, NONE, submission, rules, tomorrow)),
        by,
      ),
    )
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
    const ledBy = Map.groupBy(visits, (visit) => this.ledToIndex(visit, admittedFrom, rules.leadsWithinHours))
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

  /**
   * What everything is judged at: asOf, an instant or the end of a day; without it the end of an index stay that was over before
   * today; else now. A clock elsewhere may be a day ahead of ours, so that now, or today without a time, reaches to the end of
   * tomorrow.
   */
  get moment(): Moment {
    const { asOf, today } = this.options
    const end = this.index?.end
    const now = { day: addDays(today, 1), precision: 'day' } as const
    if (asOf === undefined) return end !== undefined && end.day < today ? end : now
    return asOf.instant === undefined && asOf.day === today ? now : asOf
  }

  /**
   * Why there is no risk unless the caller names a moment: the period that it would be for is over, or may be. A risk for a period in
   * the past reads like one for the future.
   */
  periodOver(horizonDays: number): Finding | undefined {
    const { asOf, today } = this.options
    const { index } = this
    if (asOf !== undefined || index === undefined) return undefined
    const at = `${index.entry.path}.period`
    if (this.isEndUnknown) return missing(FHIR_REASONS.periodMayBeOver, at, 'required')
    const end = index.end && addDays(index.end.day, horizonDays)
    if (end === undefined || end >= today) return undefined
    return missing({ text: FHIR_REASONS.periodOver, parts: { day: isoDay(end) } }, at, 'business-rule')
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
  private get isEndUnknown(): boolean {
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

  /** Admissions, or visits to an emergency department, in the months before the index stay. */
  count(kind: 'inpatient' | 'emergency', months: number): Finding {
    if (this.isAmbiguous) return this.whyNoIndex
    if (this.index !== undefined && this.index.start === undefined) return missing(FHIR_REASONS.noStart)
    const from = monthsBefore(this.anchor, months)
    const leftOut = this.leftOutWhere((visit) => this.mayCount(visit, kind, from))
    if (leftOut !== undefined) return leftOut
    const unsent = this.unsentSince(from)
    if (unsent !== undefined) return unsent
    const counted: Entry[] = []
    const searchedFrom = this.options.complete.get('Encounter')
    if (this.heldFrom > from) return missing(FHIR_REASONS.notFarBack)
    let isHistoryGiven = searchedFrom !== undefined
    for (const visit of this.visits.values()) {
      const { entry, status, start, end, arrival } = visit
      const fault = (why: ReasonText | Reason, element: string, code = 'code-invalid'): Finding =>
        missing(why, `${entry.path}.${element}`, code)
      if (this.stay.has(entry) || this.leading.has(entry)) continue
      if (status === 'ignored') continue
      const isBegun = status === 'current' || status === 'waiting'
      const isOpen = isBegun && (end === undefined || this.isAfter(end) !== false)
      const isStay = kind === 'emergency' && visit.kind === 'inpatient'
      const place = this.placeOf(isStay && arrival !== undefined ? arrival : start, from)
      // An Encounter from before the window shows that the history reaches that far back. Inside the window a stay or an
      // emergency visit shows that earlier ones were sent; an outpatient visit shows nothing.
      isHistoryGiven ||= !isOpen && (place === 'before' || (place === 'within' && visit.kind !== 'other'))
      if (place === 'before' || place === 'after' || (isStay && arrival === undefined)) continue
      if (isR5(entry.resource)) return fault(FHIR_REASONS.formOfR5, 'class', 'not-supported')
      if (visit.kind === 'unknown') return fault(FHIR_REASONS.classInWindow, 'class')
      if ((visit.kind !== kind && !isStay) || visit.isPart) continue
      if (status === 'unknown') return fault(FHIR_REASONS.statusInWindow, 'status')
      if (this.mayLead.has(entry)) return fault(FHIR_REASONS.mayHaveLed, 'period', 'value')
      const twice = this.doubled.get(entry)
      if (twice !== undefined) return fault(twice, 'period', 'duplicate')
      if (isOpen) return fault(FHIR_REASONS.earlierOpen, 'status', 'incomplete')
      if (
        visit.partFault !== undefined &&
        (kind === 'inpatient' || visit.partFault !== FHIR_REASONS.partOfUnsent)
      )
        return fault(
          { text: FHIR_REASONS.isPartInWindow, parts: { part: { phrase: visit.partFault } } },
          'partOf',
          'incomplete',
        )
      if (place === 'unknown') return fault(FHIR_REASONS.noStartInWindow, 'period', 'value')
      counted.push(entry)
    }
    if (counted.length > 0 || isHistoryGiven) return { value: counted.length, from: counted }
    return missing(FHIR_REASONS.noEarlierEncounter)
  }

  /** Why the Encounters since a day are not complete: something of that time names one that was not sent. */
  private unsentSince(from: number): Finding | undefined {
    const until = this.index?.start
    const naming = this.namingUnsent().find(({ moment }) => {
      const isBefore = moment !== undefined && lastDay(moment) < from
      const isOfStay = moment !== undefined && moment.day >= (until?.day ?? Infinity)
      return !isBefore && !isOfStay && (moment === undefined || this.isAfter(moment) !== true)
    })
    if (naming === undefined) return undefined
    const { path } = naming.entry
    return missing(
      { text: FHIR_REASONS.namesUnsent, parts: { place: entryOf(path) } },
      `${path}.encounter`,
      'incomplete',
    )
  }

  /** Whether a visit that may be the patient's would change a count. */
  private mayCount(
    { entry, kind, status, start, arrival }: Visit,
    wanted: Visit['kind'],
    from: number,
  ): boolean {
    if (isR5(entry.resource)) return true
    const isOfKind =
      kind === wanted || kind === 'unknown' || (wanted === 'emergency' && arrival !== undefined)
    return status !== 'ignored' && isOfKind && this.mayBeSince(start, from)
  }

  private mayBeSince(start: Moment | undefined, from: number): boolean {
    const place = this.placeOf(start, from)
    return place === 'within' || place === 'unknown'
  }

  /** The latest stay in the ten years before the index stay. Without such a stay: the count 0, or why it is not known which stay it is. */
  previousStay(): Visit | Finding {
    const counted = this.count('inpatient', 120)
    const stays = counted.from.flatMap((entry) => this.visits.get(entry) ?? [])
    const [last, ...others] = latestIn(stays, ({ start }) => start as Moment)
    return others.length > 0 ? missing(FHIR_REASONS.severalEarlier) : (last ?? counted)
  }

  /** Visits to primary care in the months before the assessment. Only one of them shows that they were sent at all. */
  countPrimaryCare(months: number): Finding {
    if (this.isAmbiguous) return this.whyNoIndex
    if (this.isEndUnknown) return missing(FHIR_REASONS.noEnd, this.index && `${this.index.entry.path}.period`)
    const from = monthsBefore(this.endDay ?? this.anchor, months)
    const isOpen = ({ status, isPrimaryCare, start }: Visit): boolean =>
      status !== 'ignored' && isPrimaryCare !== false && this.mayBeSince(start, from)
    const leftOut = this.leftOutWhere(isOpen)
    if (leftOut !== undefined) return leftOut
    const unsent = this.unsentSince(from)
    if (unsent !== undefined) return unsent
    const counted: Entry[] = []
    const searchedFrom = this.options.complete.get('Encounter')
    if (this.heldFrom > from) return missing(FHIR_REASONS.notFarBack)
    let isGiven = searchedFrom !== undefined
    for (const { entry, status, start, isPrimaryCare } of this.visits.values()) {
      const place = this.placeOf(start, from)
      if (status === 'ignored' || isPrimaryCare === false || place === 'after') continue
      isGiven ||= place === 'before' && isPrimaryCare === true
      if (place === 'before') continue
      if (isPrimaryCare === undefined)
        return missing(FHIR_REASONS.maybePrimaryCare, `${entry.path}.serviceType`)
      if (status !== 'finished' || place === 'unknown')
        return missing(FHIR_REASONS.primaryCareOpen, `${entry.path}.period`)
      counted.push(entry)
    }
    if (isGiven) return { value: counted.length, from: counted }
    return missing(FHIR_REASONS.noPrimaryCare)
  }

  /** Whether something lies in a window and not after the moment; undefined where its time and its Encounter leave it open. */
  isWithin(
    window: MappedWindow,
    given: Moment | undefined,
    encounter: Entry | undefined,
  ): boolean | undefined {
    const isLater = this.isAfter(given)
    const isOfStay = window === 'stay'
    if (isLater === true || (isOfStay && this.index === undefined)) return false
    const visit = this.visits.get(encounter)
    if (this.index !== undefined) {
      if (this.leading.has(encounter)) return true
      if (this.mayLead.has(encounter)) return undefined
      // What belongs to a stay that had ended came before its end.
      if (this.stay.has(encounter)) {
        const isKnown = isLater === false || this.hadEnded(encounter)
        return isKnown && !this.isLongBefore(given) ? true : undefined
      }
      if (isOfStay && visit?.kind === 'inpatient') return false
    }
    // What names no Encounter, and came in the evening after a discharge, is of another visit.
    const end = this.index?.end
    if (given !== undefined && end !== undefined && isAfter(given, end) === true) return false
    const from = isOfStay ? this.firstDay : monthsBefore(this.anchor, window.monthsBefore)
    const last = this.index === undefined ? this.anchor : (this.endDay ?? addDays(this.options.today, 1))
    const isInside = given === undefined ? mayBeIn(visit, from, last) : isInDays(given, from, last)
    if (isInside === true && this.isEndUnknown && given !== undefined && given.day > this.anchor)
      return undefined
    if (isInside === false && isOfStay && given !== undefined && this.mayBegin < from)
      return isInDays(given, this.mayBegin, last) === false ? false : undefined
    return isInside === true && isLater === undefined ? undefined : isInside
  }

  /** Whether a date contradicts that something belongs to the index stay. Tests before an admission may be recorded in it. */
  private isLongBefore(given: Moment | undefined): boolean {
    return given !== undefined && lastDay(given) < addDays(this.firstDay, -MOST_DAYS_BEFORE)
  }

  /** Whether an Encounter of the patient had certainly ended by the moment. */
  hadEnded(encounter: Entry | undefined): boolean {
    const end = this.visits.get(encounter)?.end
    return end !== undefined && this.isAfter(end) === false
  }

  /** Whether an emergency visit led to the index stay; undefined where its times leave it open. */
  private ledToIndex(visit: Visit, admittedFrom: Entry | undefined, hours: number): boolean | undefined {
    const { index } = this
    if (index === undefined || visit === index) return false
    if (visit.kind !== 'emergency' || visit.status === 'ignored') return false
    if (visit.parent === index.entry || admittedFrom === visit.entry) return true
    const { start, end } = visit
    const admitted = index.start
    if (start === undefined || admitted === undefined) return false
    if (isBefore(admitted, start)) return false
    if (end === undefined) {
      // It may have lasted until the admission, but an emergency visit does not last for weeks.
      const isShort = isWithinHours(start, admitted, hours)
      const isLong = daysBetween(start.day, admitted.day) > LONGEST_VISIT_DAYS
      return isShort === true ? true : isLong ? false : undefined
    }
    return isWithinHours(end, admitted, hours)
  }

  /** Where something lies: before the window, in it, or after its end, which is the admission or the moment. */
  private placeOf(moment: Moment | undefined, from: number): 'before' | 'within' | 'after' | 'unknown' {
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

/** Facts that name an Encounter as their own, which the body does not hold. A mistake says nothing of a visit. */
function namingUnsent(
  entries: readonly Entry[],
  { linked, momentOf }: Submission,
): readonly { readonly entry: Entry; readonly moment: Moment | undefined }[] {
  return entries.flatMap((entry) => {
    const { resource } = entry
    const isNamed = inside(resource, 'encounter', 'reference') !== undefined
    if (!isNamed || resource['status'] === 'entered-in-error') return []
    if (linked(entry, 'encounter') !== undefined) return []
    const time =
      resource['effectiveDateTime'] ??
      resource['effectiveInstant'] ??
      inside(resource['effectivePeriod'], 'start') ??
      resource['performedDateTime'] ??
      inside(resource['performedPeriod'], 'start') ??
      resource['authored'] ??
      resource['recordedDate']
    return [{ entry, moment: momentOf(time) }]
  })
}

function firstOf(visits: readonly Visit[], day: number): number {
  return visits.reduce((first, { start }) => Math.min(first, start?.day ?? first), day)
}

/** Whether one moment comes at most some hours before another, or later; undefined where a date without a time leaves it open. */
function isWithinHours(first: Moment, then: Moment, hours: number): boolean | undefined {
  if (first.instant !== undefined && then.instant !== undefined)
    return then.instant - first.instant <= hours * HOUR_MS
  const days = daysBetween(first.day, then.day)
  if (days <= 0) return true
  return (days - 1) * 24 <= hours ? undefined : false
}

/** Something without a time of its own lies in the period of its visit; without a visit it may lie anywhere. */
function mayBeIn(visit: Visit | undefined, from: number, to: number): false | undefined {
  const isBeforeWindow = visit?.end !== undefined && visit.end.day < from
  const isAfterWindow = visit?.start !== undefined && visit.start.day > to
  return isBeforeWindow || isAfterWindow ? false : undefined
}
