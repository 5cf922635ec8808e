/** The time, and the calendar day that decides whether a date is in the future. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Today as YYYYMMDD. */
  today(): number
}

const MINUTE_MS = 60_000

/** The calendar of a time zone, the machine's own where none is given: the day of a time, as YYYYMMDD. */
export function calendarOf(timeZone: string | undefined): (at: number) => number {
  const format = formatOf(timeZone)
  return (at) => Number(format.format(at).replaceAll('-', ''))
}

/** By time zone. To make one takes half a millisecond, and there are not many zones. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string | undefined): Intl.DateTimeFormat {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  // That of the machine may change.
  if (timeZone === undefined) return new Intl.DateTimeFormat('en-CA', parts)
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-CA', { ...parts, timeZone })
  formats.set(timeZone, format)
  return format
}

/** The system's clock, with the calendar of a time zone. */
export function systemClock(timeZone: string | undefined): Clock {
  const dayOf = calendarOf(timeZone)
  let minute = -1
  let today = 0
  return {
    now: () => Date.now(),
    today() {
      const current = Math.floor(Date.now() / MINUTE_MS)
      if (current !== minute) {
        minute = current
        today = dayOf(current * MINUTE_MS)
      }
      return today
    },
  }
}

const SECOND_MS = 1_000
let second = -1
let printed = ''

/** A time as ISO 8601 has it: what `Date` prints, but faster for times within the same second. */
export function isoTime(at: number): string {
  const current = Math.floor(at / SECOND_MS)
  if (current !== second) {
    second = current
    // Everything before the milliseconds, including the point.
    printed = new Date(current * SECOND_MS).toISOString().slice(0, -4)
  }
  const rest = Math.floor(at) - current * SECOND_MS
  return `${printed}${zerosBefore(rest)}${rest}Z`
}

/** The zeros that make three digits of them. */
function zerosBefore(milliseconds: number): string {
  if (milliseconds < 10) return '00'
  return milliseconds < 100 ? '0' : ''
}
