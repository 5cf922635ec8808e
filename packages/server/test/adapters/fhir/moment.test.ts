/** Dates and times of FHIR: the latest of several. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/fast-check.ts'
import { type Moment, isBefore, latestIn } from '../../../src/adapters/fhir/read/moment.ts'

const moments = fc.record(
  {
    day: fc.integer({ min: 20_260_301, max: 20_260_304 }),
    precision: fc.constant('day' as const),
    instant: fc.integer({ min: 0, max: 5 }),
  },
  { requiredKeys: ['day', 'precision'] },
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
    { seed: 20_261_116, numRuns: 2_000 },
  )
})
