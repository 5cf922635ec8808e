/**
 * `npm run bench:trees`: what a record costs a model of trees in process, without a server around it. 100 trees of depth 6 over 10
 * fields, as boosting makes them; 1,000 records a call.
 */
import { type Domain, fieldDomain } from '../src/definition/domain.ts'
import type { FieldDefinition } from '../src/definition/field.ts'
import { createScorer } from '../src/engine/scorer.ts'
import { randomTrees } from '../test/engine/random-trees.ts'
import { OPTIONS, TODAY, model } from '../test/engine/small-definitions.ts'
import { Random } from '../test/fuzz/random.ts'

const RECORDS = 1_000
const CALLS = 300
const TREES = 100
const DEPTH = 6

const random = new Random(1)
const fields = new Map<string, FieldDefinition>(
  Array.from({ length: 10 }, (_, at) => [
    `field${at}`,
    at < 8
      ? { type: 'decimal', from: 0, to: 100, meaning: 'a number' }
      : { type: 'code', values: { A: 'a', B: 'b', C: 'c', D: 'd' }, meaning: 'a code' },
  ]),
)
const domains = new Map<string, Domain>([...fields].map(([name, field]) => [name, fieldDomain(field)]))
const term = randomTrees(random, domains, { count: TREES, depth: DEPTH, rounding: 'both' })
const inputs = Object.fromEntries([...fields.keys()].map((name) => [name, {}]))
const definition = model(inputs, [term])
const records = Array.from({ length: RECORDS }, (_, idx) => ({
  idx,
  ...Object.fromEntries(
    [...fields].map(([name, { type }]) => [
      name,
      type === 'code' ? random.pick(['A', 'B', 'C', 'D']) : random.below(1_000) / 10,
    ]),
  ),
}))
const body = Buffer.from(JSON.stringify(records))
const nodes = term.trees.reduce((sum, tree) => sum + tree.length, 0)
process.stdout.write(`${TREES} trees of depth ${DEPTH}, ${nodes} nodes\n`)

for (const reader of ['bytes', 'reference'] as const) {
  const begun = performance.now()
  const scorer = createScorer({ fields, scales: [] }, definition, { ...OPTIONS, reader })
  scorer.score(body, TODAY)
  const first = performance.now() - begun
  for (let call = 0; call < CALLS / 4; call++) scorer.score(body, TODAY)
  const before = process.cpuUsage()
  for (let call = 0; call < CALLS; call++) scorer.score(body, TODAY)
  const { user, system } = process.cpuUsage(before)
  const microseconds = (user + system) / (CALLS * RECORDS)
  const rate = Math.round(1e6 / microseconds).toLocaleString('en')
  process.stdout.write(
    `${reader}: ${microseconds.toFixed(2)} µs a record, ${rate} records a second; first call ${first.toFixed(0)} ms\n`,
  )
}
