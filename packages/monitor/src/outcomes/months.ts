/** Months of the calendar, written as in 2026-11, from days as YYYYMMDD. */
import { daysBetween } from 'patient-risk-engine/read'

export function monthOfDay(day: number): string {
  return `${Math.floor(day / 10_000)}-${String(Math.floor(day / 100) % 100).padStart(2, '0')}`
}

/** The last month whose days all lie at least as far back as the horizon. */
export function lastComplete(today: number, horizonDays = 0): string {
  let first = firstOfMonth(today)
  while (daysBetween(first, today) < horizonDays) first = monthBefore(first)
  return monthOfDay(monthBefore(first))
}

/** The last month of whose first day so many days have passed. */
export function lastKnown(today: number, horizonDays: number): string {
  let first = firstOfMonth(today)
  while (daysBetween(first, today) < horizonDays) first = monthBefore(first)
  return monthOfDay(first)
}

/** After the end of a month of scoring and of the horizon; contract section 12. */
export const ACCEPTED_MONTHS = 24

/** The oldest month of scoring whose outcomes are accepted. */
export function oldestAccepted(today: number, horizonDays: number): string {
  const complete = lastComplete(today, horizonDays)
  // A month is too old when the one so many months later is complete.
  const months = 12 * Number(complete.slice(0, 4)) + Number(complete.slice(5, 7)) - ACCEPTED_MONTHS
  return `${Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, '0')}`
}

function firstOfMonth(day: number): number {
  return Math.floor(day / 100) * 100 + 1
}

function monthBefore(first: number): number {
  const isJanuary = Math.floor(first / 100) % 100 === 1
  // From the first of January to the first of December of the year before.
  return isJanuary ? first - 10_000 + 1_100 : first - 100
}
