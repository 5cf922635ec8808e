/** A request with outcomes is remembered at least as long as outcomes of its months are accepted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oldestAccepted } from '@patient-risk/monitor'
import { acceptedUntil } from '../../src/store/outcomes/accepted-until.ts'

const DAY_MS = 86_400_000
const MONTHS = [
  ['2026-11', 0, '2028-12-02'],
  ['2026-12', 0, '2029-01-02'],
  ['2026-01', 0, '2028-02-02'],
  ['2026-11', 30, '2029-01-01'],
  ['2026-11', 365, '2029-12-02'],
] as const

for (const [month, horizonDays, day] of MONTHS) {
  test(`requests with outcomes of ${month} and a horizon of ${horizonDays} days are kept until ${day}`, () => {
    assert.equal(acceptedUntil(month, horizonDays), Date.parse(`${day}T00:00:00Z`))
  })
}

test('a request is forgotten a day after its month is no longer accepted, and not before', () => {
  for (const month of ['2024-01', '2024-02', '2025-12']) {
    for (const horizonDays of [0, 1, 30, 365]) {
      const endsAt = acceptedUntil(month, horizonDays)
      const dayOf = (at: number): number =>
        Number(new Date(at).toISOString().slice(0, 10).replaceAll('-', ''))
      assert.ok(oldestAccepted(dayOf(endsAt - DAY_MS), horizonDays) > month)
      assert.equal(oldestAccepted(dayOf(endsAt - 2 * DAY_MS), horizonDays), month)
    }
  }
})
