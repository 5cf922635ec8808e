/** Dates and times of FHIR: the latest of several. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/fast-check.ts'
import {
  type Moment,
  isAfter,
  isBefore,
  isInDays,
  isInFuture,
  latestIn,
  parseMoment,
} from '../../../src/adapters/fhir/read/moment.ts'

const day = fc.integer({ min: 20_260_301, max: 20_260_304 })
const moments = fc.oneof(
  fc.record({ day, precision: fc.constant('day' as const), instant: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ day, precision: fc.constantFrom('day' as const, 'month' as const, 'year' as const) }),
)

test('the latest are those that none of the others certainly follows', () => {
  fc.assert(
    fc.property(fc.array(moments, { maxLength: 8 }), (all: readonly Moment[]) => {
      const expected = all.filter((one) => !all.some((other) => isBefore(one, other)))
      assert.deepEqual(
        latestIn(all, (each) => each),
        expected,
      )
    }),
    { numRuns: 2_000 },
  )
})

/** A text, a moment, and whether the text lies after it. */
const AFTER: readonly (readonly [string, string, boolean | undefined])[] = [
  ['2026-03-09T12:00:01Z', '2026-03-09T12:00:00Z', true],
  ['2026-03-09T12:00:00Z', '2026-03-09T12:00:00Z', false],
  ['2026-03-09T13:00:00+01:00', '2026-03-09T12:00:00Z', false],
  ['2026-03-09', '2026-03-09T12:00:00Z', undefined],
  ['2026-03-09', '2026-03-09', false],
  ['2026-03-09T23:59:59Z', '2026-03-09', false],
  ['2026-03-10', '2026-03-09T12:00:00Z', true],
  ['2026-03', '2026-03-30', undefined],
  ['2026-03', '2026-03-31', false],
  ['2026-03', '2026-03-31T12:00:00Z', undefined],
  ['2026-04', '2026-03-31T12:00:00Z', true],
  ['2026', '2026-12-30', undefined],
  ['2026', '2026-12-31', false],
  ['2027', '2026-12-31', true],
  ['2024-02', '2024-02-28', undefined],
  ['2023-02', '2023-02-28', false],
]
for (const [text, moment, expected] of AFTER)
  test(`${text} is after ${moment}: ${String(expected)}`, () =>
    assert.equal(isAfter(parseMoment(text) as Moment, parseMoment(moment) as Moment), expected))

test('a partial date lies in a range of days if every day of it does', () => {
  const isIn = (text: string): boolean | undefined =>
    isInDays(parseMoment(text) as Moment, 20_260_301, 20_260_331)
  assert.deepEqual(['2026-03', '2026', '2026-04', '2026-02', '2026-03-31', '2026-04-01'].map(isIn), [
    true,
    undefined,
    false,
    false,
    true,
    false,
  ])
})

/** A clock elsewhere may be a day ahead. */
const FUTURE = [
  ['2026-03-15', false],
  ['2026-03-16', false],
  ['2026-03-17', true],
  ['2026-04', true],
  ['2026', false],
] as const
for (const [text, isLater] of FUTURE)
  test(`on 15 March 2026, ${text} ${isLater ? 'lies' : 'does not lie'} in the future`, () =>
    assert.equal(isInFuture(parseMoment(text) as Moment, 20_260_315), isLater))
