/** The day changes at midnight of its time zone, and times are printed as `Date` prints them. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { calendarOf, isoTime, systemClock } from '../src/clock.ts'

/** A zone · the last moment of 20260101 there. */
const MIDNIGHTS = [
  ['UTC', '2026-01-01T23:59:59.999Z'],
  ['Europe/Madrid', '2026-01-01T22:59:59.999Z'],
  ['Asia/Kolkata', '2026-01-01T18:29:59.999Z'],
  ['America/New_York', '2026-01-02T04:59:59.999Z'],
] as const

for (const [zone, last] of MIDNIGHTS) {
  test(`${zone}: the day changes one millisecond after ${last}`, () => {
    const at = Date.parse(last)
    const dayOf = calendarOf(zone)
    assert.deepEqual([dayOf(at), dayOf(at + 1)], [20_260_101, 20_260_102])
    mock.timers.enable({ apis: ['Date'], now: at })
    const clock = systemClock(zone)
    assert.deepEqual([clock.now(), clock.today(), clock.today()], [at, 20_260_101, 20_260_101])
    mock.timers.setTime(at + 1)
    assert.deepEqual([clock.now(), clock.today()], [at + 1, 20_260_102])
    mock.timers.setTime(at)
    assert.equal(clock.today(), 20_260_101, 'the clock was set back')
    mock.timers.reset()
  })
}

const START = Date.parse('2026-01-01T00:00:00Z')
/** In this order: the next one is of the same second, of another one, or of an earlier one. */
const TIMES = [0, 9, 10, 99, 100, 999, 1_000, 1_001, 61_000, 999, 0, -1, -1_000, 86_400_000]

test('times are printed as Date prints them, whichever was printed before', () => {
  for (const offset of TIMES) {
    const at = START + offset
    assert.equal(isoTime(at), new Date(at).toISOString())
    assert.equal(isoTime(at + 0.75), new Date(at).toISOString())
  }
})
