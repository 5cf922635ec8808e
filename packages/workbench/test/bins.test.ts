/** The bars of the histogram. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { ListResults } from '../src/list/score/list-results.ts'
import { binEdges, countBins } from '../src/list/summary/bins.ts'

test('the threshold is the edge of a bar, whatever the risks are', () => {
  const risk = fc.integer({ min: 1, max: 9_999 }).map((each) => each / 10_000)
  fc.assert(
    fc.property(fc.array(risk, { minLength: 1, maxLength: 30 }), risk, (risks, threshold) => {
      const results = new ListResults(risks.length)
      risks.forEach((each, row) => results.put(row, { idx: row, risk: each, error_message: null }))
      const edges = binEdges(results, threshold)
      const cut = edges.findIndex((each) => Math.abs(each - threshold) < 2e-6)
      assert.ok(cut > 0, `${threshold} is not among ${edges.join()}`)
      const counts = countBins(results, edges)
      const sum = (part: readonly number[]): number => part.reduce((total, count) => total + count, 0)
      assert.equal(sum(counts), risks.length)
      assert.equal(sum(counts.slice(cut)), risks.filter((each) => each >= threshold).length)
    }),
  )
})
