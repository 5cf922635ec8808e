/** Dates as records write them: every day of many years is taken, and nothing else. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { daysBetween, formatDate, parseDate } from '../src/read/calendar.ts'

test('every day of the years around each turn of a century is taken, and comes back as it was written', () => {
  let days = 0
  for (const year of [1, 4, 100, 400, 999, 1582, 1700, 1899, 1900, 1999, 2000, 2023, 2024, 2100, 9999]) {
    for (const day = new Date(0); ;) {
      day.setUTCFullYear(year, 0, 1 + (days % 366))
      if (day.getUTCFullYear() !== year) {
        days = 0
        break
      }
      const [date = ''] = day
        .toISOString()
        .replace(/^\+?0*(\d{4})/, '$1')
        .split('T')
      const [written, month, dayOfMonth] = date.split('-')
      const text = `${dayOfMonth ?? ''}-${month ?? ''}-${written ?? ''}`
      assert.equal(parseDate(text), Number(date.replaceAll('-', '')), text)
      assert.equal(formatDate(parseDate(text) ?? 0), text)
      days++
      if (days === 366) {
        days = 0
        break
      }
    }
  }
})

const NONE = [
  '29-02-2023',
  '29-02-1900',
  '30-02-2024',
  '31-04-2024',
  '31-06-2024',
  '31-09-2024',
  '31-11-2024',
  '32-01-2024',
  '00-01-2024',
  '01-00-2024',
  '01-13-2024',
  '01-01-0000',
  '1-1-2024',
  '01-01-24',
  '01-01-02024',
  '2024-01-01',
  '01.01.2024',
  '01.01-2024',
  '01-01.2024',
  '0:-01-2024',
  '1/-01-2024',
  '01-0:-2024',
  '01-1/-2024',
  '01-01-202:',
  '01-01-203/',
  '01/01/2024',
  ' 01-01-2024',
  '01-01-2024 ',
  '01-01-2024\n',
  '\n01-01-2024',
  '01-01-2024T00:00',
  '-1-01-2024',
  '01-1e-2024',
  '٠١-٠١-٢٠٢٤',
  '',
]
for (const text of NONE) {
  test(`${JSON.stringify(text)} is no date`, () => assert.equal(parseDate(text), undefined))
}

const LEAP = [
  [1900, false],
  [2000, true],
  [2023, false],
  [2024, true],
  [2100, false],
  [2400, true],
] as const
for (const [year, isLeap] of LEAP) {
  test(`${year} has ${isLeap ? 'a' : 'no'} 29th of February`, () => {
    assert.equal(parseDate(`29-02-${year}`) !== undefined, isLeap)
    assert.equal(parseDate(`28-02-${year}`), year * 10_000 + 228)
  })
}

const DAY_MS = 86_400_000

test('the days between two dates are those that the runtime counts', () => {
  const first = Date.UTC(1895, 11, 1)
  const written = (place: number): number =>
    Number(new Date(first + place * DAY_MS).toISOString().slice(0, 10).replaceAll('-', ''))
  let last = written(0)
  // Up to the year 2122: two turns of a century, one of them without a leap day.
  for (let place = 1; place < 82_800; place++) {
    const date = written(place)
    assert.equal(daysBetween(last, date), 1, `${last} to ${date}`)
    last = date
  }
  assert.equal(daysBetween(written(0), last), 82_799)
  assert.equal(daysBetween(last, written(0)), -82_799)
})
