/** A request with outcomes is remembered at least as long as outcomes of its months are accepted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedUntil } from '../../src/store/outcomes/accepted-until.ts'

const MONTHS = [
  ['2026-11', 0, '2037-01-01'],
  ['2026-12', 0, '2037-02-01'],
  ['2026-01', 0, '2036-03-01'],
  ['2026-11', 30, '2037-01-31'],
  ['2026-11', 365, '2038-01-01'],
] as const

for (const [month, horizonDays, day] of MONTHS) {
  test(`requests with outcomes of ${month} and a horizon of ${horizonDays} days are kept until ${day}`, () => {
    assert.equal(acceptedUntil(month, horizonDays), Date.parse(`${day}T00:00:00Z`))
  })
}
