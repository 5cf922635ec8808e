/** Calendar dates as the records write them, DD-MM-YYYY, and as numbers that sort: YYYYMMDD. */

const DATE = /^(\d{2})-(\d{2})-(\d{4})$/

/** The date's number, or undefined when there is no such day. */
export function parseDate(text: string): number | undefined {
  const [, day = 0, month = 0, year = 0] = DATE.exec(text)?.map(Number) ?? []
  if (year === 0 || month === 0 || day === 0) return undefined
  // A day that the month does not have moves the date on to another day.
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal ? year * 10_000 + month * 100 + day : undefined
}

/** The date as the records write it. */
export function formatDate(date: number): string {
  const digits = String(date).padStart(8, '0')
  return `${digits.slice(6)}-${digits.slice(4, 6)}-${digits.slice(0, 4)}`
}
