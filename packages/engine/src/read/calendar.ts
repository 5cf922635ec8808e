/** Calendar dates as the records write them, DD-MM-YYYY, and as numbers that sort: YYYYMMDD. */

import { value } from '../expression/build.ts'
import { daysBetweenNode } from '../expression/days.ts'
import { compileNumber } from '../expression/evaluate.ts'

/** No assessment is older. A day before it is a mistyped year, or a system's stand-in for a date that it does not know. */
export const EARLIEST_DATE = 19_000_101

const LENGTH = 10
const DASH = 0x2d
const ZERO = 0x30
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The date's number, or undefined when there is no such day. */
export function parseDate(text: string): number | undefined {
  if (text.length !== LENGTH || text.charCodeAt(2) !== DASH || text.charCodeAt(5) !== DASH) return undefined
  const day = numberAt(text, 0, 2)
  const month = numberAt(text, 3, 5)
  const year = numberAt(text, 6, LENGTH)
  // No comparison with NaN holds, nor one with the days of a month that does not exist.
  const isReal = year >= 1 && day >= 1 && day <= daysOf(month, year)
  return isReal ? year * 10_000 + month * 100 + day : undefined
}

/** The number of these digits; NaN if one is not a digit. Millions of dates are read, and a regular expression takes ten times as long. */
function numberAt(text: string, from: number, to: number): number {
  let number = 0
  for (let place = from; place < to; place++) {
    const digit = text.charCodeAt(place) - ZERO
    if (digit < 0 || digit > 9) return Number.NaN
    number = number * 10 + digit
  }
  return number
}

function daysOf(month: number, year: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 && isLeap ? 29 : (MONTH_DAYS[month - 1] as number)
}

/** The date as the records write it. */
export function formatDate(date: number): string {
  const digits = String(date).padStart(8, '0')
  return `${digits.slice(6)}-${digits.slice(4, 6)}-${digits.slice(0, 4)}`
}

const days = compileNumber(daysBetweenNode(value(0), value(1)))
const NO_STATES = new Uint8Array(0)

/** How many days lie between two dates. */
export function daysBetween(from: number, to: number): number {
  return days(Float64Array.of(from, to), NO_STATES, Number.NaN)
}
