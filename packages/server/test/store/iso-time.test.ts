/** Times as text: to the character what `Date` prints, in any order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { isoTime } from '@patient-risk/runtime'

test('a time is printed as Date prints it, whatever was printed before', () => {
  const time = fc.integer({ min: 0, max: 4_102_444_800_000 })
  fc.assert(
    fc.property(time, fc.integer({ min: -1_500, max: 1_500 }), (at, away) => {
      for (const each of [at, Math.max(0, at + away), at]) {
        assert.equal(isoTime(each), new Date(each).toISOString())
      }
    }),
  )
})
