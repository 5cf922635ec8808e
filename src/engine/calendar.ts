/** Calendar dates as the records write them, DD-MM-YYYY, and as numbers that sort: YYYYMMDD. */

const PATTERN = /^(\d{2})-(\d{2})-(\d{4})$/
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The date's number, or undefined when there is no such day. */
export function parseDate(text: string): number | undefined {
  const match = PATTERN.exec(text)
  if (match === null) return undefined
  const day = Number(match[1])
  const month = Number(match[2])
  const year = Number(match[3])
  if (year === 0 || month < 1 || month > 12 || day < 1 || day > daysOf(month, year)) return undefined
  return year * 10_000 + month * 100 + day
}

/** The date as the records write it. */
export function formatDate(date: number): string {
  const day = date % 100
  const month = Math.floor(date / 100) % 100
  const year = Math.floor(date / 10_000)
  return `${pad(day, 2)}-${pad(month, 2)}-${pad(year, 4)}`
}

function daysOf(month: number, year: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 && isLeap ? 29 : (MONTH_DAYS[month - 1] as number)
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0')
}
