/** Both readers on 250,000 records with a random seed. `SEED=n npm run test:all` repeats a run. */
import { test } from 'node:test'
import { compareRecords } from './compare.ts'
import { loadForFuzz, makePairs } from './deployments.ts'

const RECORDS = 250_000
const seed = Number(process.env['SEED'] ?? 1)

test(`${RECORDS} records get the same answers from both readers (SEED=${seed})`, () => {
  compareRecords(makePairs(loadForFuzz()), seed, RECORDS)
})
