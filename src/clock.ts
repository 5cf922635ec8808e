/** The time, and the calendar day that decides whether a date lies in the future. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Today as YYYYMMDD. */
  today(): number
}

const MINUTE_MS = 60_000

/** The system's clock, with the calendar of a time zone; the machine's own where none is given. */
export function systemClock(timeZone: string | undefined): Clock {
  const format = new Intl.DateTimeFormat('en-CA', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    ...(timeZone === undefined ? {} : { timeZone }),
  })
  let minute = -1
  let today = 0
  return {
    now: () => Date.now(),
    today() {
      const current = Math.floor(Date.now() / MINUTE_MS)
      if (current !== minute) {
        minute = current
        today = Number(format.format(current * MINUTE_MS).replaceAll('-', ''))
      }
      return today
    },
  }
}
