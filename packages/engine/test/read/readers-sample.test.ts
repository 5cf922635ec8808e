/** Some hundred records through both readers, few enough to be tried on every mutant of the engine; readers-agree.test.ts tries more. */
import { test } from 'node:test'
import { compareRecords } from '../fuzz/compare.ts'
import { loadForFuzz, makePairs } from '../fuzz/deployments.ts'

const RECORDS = 400

test(`${RECORDS} records, many of them damaged, get the same answers from both readers of six deployments`, () => {
  // Every fifth: of all models, outputs, limits, windows and units there is one among them.
  const pairs = makePairs(loadForFuzz()).filter((_pair, index) => index % 5 === 0)
  compareRecords(pairs, 1, RECORDS)
})
