/** How long outcomes of a month of scoring are accepted, and with them the memory of the requests that brought some. */
import { ACCEPTED_MONTHS } from '@patient-risk/monitor'

const DAY_MS = 86_400_000

/** The time, in milliseconds, from which on no outcome of a month, such as 2026-11, is accepted any more. */
export function acceptedUntil(month: string, horizonDays: number): number {
  const year = Number(month.slice(0, 4))
  // Months count from 0 here, so this is the month after.
  const after = Number(month.slice(5, 7))
  // One more day, because a day of the service may end later than that of UTC.
  return Date.UTC(year, after + ACCEPTED_MONTHS) + (horizonDays + 1) * DAY_MS
}
