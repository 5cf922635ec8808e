/** A million records with one to three values removed: the true risk always lies inside the possible range. */
import { test } from 'node:test'
import { testCatalog } from '../../../../test/support/serve.ts'
import { RangeTrial, tryRanges } from './range-trial.ts'

const RECORDS = 1_000_000
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const catalog = testCatalog()
for (const [key, each] of catalog.models) {
  test(`${key}: the range of ${Math.ceil(RECORDS / catalog.models.size)} records holds the true risk (SEED=${seed})`, () => {
    tryRanges(new RangeTrial(catalog, each, seed), Math.ceil(RECORDS / catalog.models.size))
  })
}
