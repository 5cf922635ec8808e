/**
 * `npm run fuzz -- [--sql] [--records N] [--seed S]`: compares the byte reader with the reference, or printed SQL in DuckDB with
 * the engine. Ends with 1 when they differ.
 */
import { parseArgs } from 'node:util'
import { compareSeed } from './compare.ts'
import { loadForFuzz, makePairs } from './deployments.ts'
import { fuzzSql } from '../sql/fuzz.ts'

const { values } = parseArgs({
  options: { records: { type: 'string' }, seed: { type: 'string' }, sql: { type: 'boolean' } },
})
const wanted = Number(values.records ?? 10_000_000)
const first = Number(values.seed ?? Date.now() % 1_000_000_000)
if (values.sql === true) process.exitCode = await fuzzSql(first, wanted)
else fuzzReaders()

function fuzzReaders(): void {
  const pairs = makePairs(loadForFuzz())

  process.stdout.write(`seed ${first}: ${wanted} records on ${pairs.length} deployments\n`)
  let records = 0
  let seed = first
  let shownAt = performance.now()
  for (; records < wanted; seed++) {
    const comparison = compareSeed(pairs, seed)
    records += comparison.records
    if (comparison.difference !== undefined) {
      process.stdout.write(
        `seed ${seed} on ${comparison.pair} differs; keep it in packages/engine/test/fuzz/found-seeds.json\n${comparison.difference}\n`,
      )
      process.exitCode = 1
      break
    }
    if (performance.now() - shownAt > 10_000) {
      shownAt = performance.now()
      process.stdout.write(`${records} records, seed ${seed}\n`)
    }
  }
  process.stdout.write(`${records} records in ${seed - first} bodies, seeds ${first} to ${seed - 1}\n`)
}
