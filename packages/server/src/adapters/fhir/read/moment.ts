/** FHIR dates and times. The local date is the one in the text, but for times in UTC. Days are numbers, YYYYMMDD. */
import { calendarOf } from '@patient-risk/runtime'
import { formatDate } from 'patient-risk-engine/read'

export interface Moment {
  /** The local date, or the first that it may be. A part that the text leaves out counts as 1. */
  readonly day: number
  /** `days`: the day is one of some, because the time is written in another offset than that of the hospital. */
  readonly precision: 'year' | 'month' | 'day' | 'days'
  /** The last of these days. */
  readonly until?: number
  /** Milliseconds since 1970, where the text has a time and an offset. */
  readonly instant?: number
}

/** What is dated earlier has no date: systems write the year 1 for that, or a year without its century. */
const EARLIEST_YEAR = 1_800
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const QUARTER_MS = 900_000
const UTC = /(Z|[+-]00:00)$/
const FORM =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:\.\d{1,9})?)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?)?)?$/

/**
 * Reads moments. A time in UTC is an instant that says nothing about the place: the time zone gives its day. A time in another offset
 * has the day that is written. Where the hospital names its time zone, and that has another day then, it may be either.
 */
export function momentReader(timeZone: string | undefined): (text: unknown) => Moment | undefined {
  let dayOf: ((instant: number) => number) | undefined
  return (text) => {
    const moment = parseMoment(text)
    if (moment?.instant === undefined) return moment
    const isUtc = UTC.test(String(text))
    if (!isUtc && timeZone === undefined) return moment
    dayOf ??= knownDays(timeZone)
    const day = dayOf(moment.instant)
    if (isUtc) return { ...moment, day }
    if (day === moment.day) return moment
    return daysFrom(Math.min(day, moment.day), Math.max(day, moment.day), moment)
  }
}

/** A moment without its time. */
export function daysOf({ day, precision, until }: Moment): Moment {
  return { day, precision, ...(until !== undefined && { until }) }
}

/** One of some days, of which a time may still be the instant. */
export function daysFrom(day: number, until: number, { instant }: Partial<Moment> = {}): Moment {
  return { day, until, precision: 'days', ...(instant !== undefined && { instant }) }
}

/** The day of a time in a time zone. Every offset is a multiple of a quarter of an hour, so that one has one day. */
function knownDays(timeZone: string | undefined): (instant: number) => number {
  const calendar = calendarOf(timeZone)
  const known = new Map<number, number>()
  return (instant) => {
    const quarter = Math.floor(instant / QUARTER_MS)
    const day = known.get(quarter) ?? calendar(instant)
    known.set(quarter, day)
    return day
  }
}

/** The moment that a date, dateTime or instant names, on the day in its text; undefined for anything else. */
export function parseMoment(text: unknown): Moment | undefined {
  const parts = typeof text === 'string' ? FORM.exec(text) : null
  if (parts === null) return undefined
  const [, year = '', month = '01', date = '01', hour, minute = '', second = '00', offset] = parts
  const day = Number(year + month + date)
  if (addDays(day, 0) !== day || Number(year) < EARLIEST_YEAR) return undefined
  const precision = precisionOf(parts[2], parts[3])
  const seconds = second === '60' ? '59' : second
  const instant = Date.parse(`${year}-${month}-${date}T${hour ?? ''}:${minute}:${seconds}${offset ?? ''}`)
  // The first instant of the clocks of computers stands for a time that is not known.
  if (offset !== undefined && instant === 0) return undefined
  return offset === undefined || Number.isNaN(instant) ? { day, precision } : { day, precision, instant }
}

/** What is asked about such a moment is not known yet. A clock elsewhere may be a day ahead of ours. */
export function isInFuture({ day }: Moment, today: number): boolean {
  return day > addDays(today, 1)
}

function precisionOf(month: string | undefined, date: string | undefined): Moment['precision'] {
  if (month === undefined) return 'year'
  return date === undefined ? 'month' : 'day'
}

/** Whether one moment is certainly before another. A month or a year is an interval of days. */
export function isBefore(a: Moment, b: Moment): boolean {
  if (a.instant !== undefined && b.instant !== undefined) return a.instant < b.instant
  return lastDay(a) < b.day
}

/**
 * Whether something came after the moment of an assessment; undefined where the texts leave it open. The moment is an instant, or the
 * end of its day where it has no time. What has no time itself lies anywhere in its day, month or year.
 */
export function isAfter(given: Moment, moment: Moment): boolean | undefined {
  if (given.instant !== undefined && moment.instant !== undefined) return given.instant > moment.instant
  if (given.day > moment.day) return true
  const last = lastDay(given)
  if (last > moment.day) return undefined
  const isOpen = last === moment.day && given.instant === undefined && moment.instant !== undefined
  return isOpen ? undefined : false
}

/** Whether one moment comes at most some hours before another, or later; undefined where a date without a time leaves it open. */
export function isWithinHours(first: Moment, then: Moment, hours: number): boolean | undefined {
  if (first.instant !== undefined && then.instant !== undefined)
    return then.instant - first.instant <= hours * HOUR_MS
  const days = daysBetween(first.day, then.day)
  if (days <= 0) return true
  return (days - 1) * 24 <= hours ? undefined : false
}

/** Whether something lies in a range of days, both of them included; undefined where a partial date leaves it open. */
export function isInDays(given: Moment, from: number, to: number): boolean | undefined {
  const last = lastDay(given)
  if (last < from || given.day > to) return false
  return given.day >= from && last <= to ? true : undefined
}

/** The latest ones: those that are not certainly before another. In one pass, because there may be a hundred thousand. */
export function latestIn<T>(all: readonly T[], momentOf: (each: T) => Moment): readonly T[] {
  let instant = -Infinity
  let day = 0
  let dayWithoutTime = 0
  for (const each of all) {
    const moment = momentOf(each)
    day = Math.max(day, moment.day)
    if (moment.instant === undefined) dayWithoutTime = Math.max(dayWithoutTime, moment.day)
    else instant = Math.max(instant, moment.instant)
  }
  return all.filter((each) => {
    const moment = momentOf(each)
    if (moment.instant === undefined) return lastDay(moment) >= day
    return moment.instant === instant && lastDay(moment) >= dayWithoutTime
  })
}

/** The same calendar day some months earlier, or the last day of a month that is shorter. */
export function monthsBefore(day: number, months: number): number {
  const month = Math.floor(day / 10_000) * 12 + (Math.floor(day / 100) % 100) - 1 - months
  const first = Math.floor(month / 12) * 10_000 + ((month % 12) + 1) * 100 + 1
  return first - 1 + Math.min(day % 100, lengthOfMonth(first))
}

export function daysBetween(from: number, to: number): number {
  return countOf(to) - countOf(from)
}

export function addDays(day: number, days: number): number {
  const date = new Date((countOf(day) + days) * DAY_MS)
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate()
}

/** YYYY-MM-DD. */
export function isoDay(day: number): string {
  return formatDate(day).split('-').reverse().join('-')
}

/** Completed years on a day; undefined where a partial birth date leaves it open, or the birth comes after the day. */
export function completedYears(birth: Moment, on: number): number | undefined {
  const years = [birth.day, lastDay(birth)].map((day) => Math.floor((on - day) / 10_000))
  return years[0] === years[1] && birth.day <= on ? years[0] : undefined
}

/** The last day that a moment may mean. */
export function lastDay({ day, precision, until = day }: Moment): number {
  if (precision === 'year') return day + 1231 - 101
  return precision === 'month' ? day - 1 + lengthOfMonth(day) : until
}

/** How many days the month has that begins on a day. The 32nd day lies in the next month, and its date shows it. */
function lengthOfMonth(first: number): number {
  return 32 - (addDays(first, 31) % 100)
}

/** Days since 1970. */
function countOf(day: number): number {
  const year = Math.floor(day / 10_000)
  const month = (Math.floor(day / 100) % 100) - 1
  return new Date(0).setUTCFullYear(year, month, day % 100) / DAY_MS
}
