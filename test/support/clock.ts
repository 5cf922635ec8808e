/** A clock that stands still until a test moves it. */
import type { Clock } from '@patient-risk/runtime'

export interface TestClock extends Clock {
  set(iso: string): void
  advance(milliseconds: number): void
}

export const TEST_NOW = '2026-03-15T12:00:00Z'

export function testClock(iso: string = TEST_NOW): TestClock {
  let now = Date.parse(iso)
  return {
    now: () => now,
    today: () => Number(new Date(now).toISOString().slice(0, 10).replaceAll('-', '')),
    set(next) {
      now = Date.parse(next)
    },
    advance(milliseconds) {
      now += milliseconds
    },
  }
}
