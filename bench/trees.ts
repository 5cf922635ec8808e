/**
 * `npm run bench:trees`: what a record costs a model of trees in process, without a server around it. 100 trees of depth 6 over 10
 * fields, as boosting makes them; 1,000 records a call. And what such a model, with 200 worked cases, adds to a start.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Domain, fieldDomain, type FieldDefinition } from 'patient-risk-engine/definition'
import { createScorer } from 'patient-risk-engine'
import { randomTrees } from '../test/support/random-trees.ts'
import { OPTIONS, TODAY, model } from '../test/support/small-definitions.ts'
import { Random } from '../test/support/random.ts'

const RECORDS = 1_000
const CALLS = 300
const TREES = 100
const DEPTH = 6
const CASES = 200
const STARTS = 7

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

const folder = mkdtempSync(join(tmpdir(), 'bench-trees-'))
try {
  writeModel()
  // Each start is a process of its own, in turns: code that has run before is faster.
  const without: number[] = []
  const withModel: number[] = []
  for (let start = 0; start < STARTS; start++) {
    without.push(startMs([]))
    withModel.push(startMs([folder]))
  }
  const least = medianOf(without)
  const more = medianOf(withModel)
  process.stdout.write(
    `loading the catalogue: ${least.toFixed(0)} ms; with this model ${(more - least).toFixed(0)} ms more\n`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function writeModel(): void {
  const own = join(folder, 'models', definition.id)
  mkdirSync(own, { recursive: true })
  const scorer = createScorer({ fields, scales: [] }, definition, OPTIONS)
  const answers = JSON.parse(Buffer.from(scorer.score(body, TODAY).bytes).toString()) as { risk: number }[]
  const cases = records.slice(0, CASES).map(({ idx, ...record }) => {
    const { risk } = answers[idx] as { risk: number }
    return { name: `case ${idx}`, record, risk, source: 'computed' }
  })
  writeFileSync(
    join(folder, 'fields.json'),
    JSON.stringify({ version: 1, inputs: Object.fromEntries(fields) }),
  )
  writeFileSync(join(own, `${definition.id}.json`), JSON.stringify(definition))
  writeFileSync(join(own, 'cases.json'), JSON.stringify(cases))
}

/** How long a process takes to read, check, try and compile the catalogue and these folders. */
function startMs(folders: readonly string[]): number {
  const script = `
    const { loadCatalog } = await import('./src/catalog/load.ts')
    const { makeDeployments } = await import('./src/catalog/deployment.ts')
    const begun = performance.now()
    const { catalog } = loadCatalog(${JSON.stringify(['clinical', ...folders])})
    const model = ${JSON.stringify(folders.length === 0 ? 'readmission30' : definition.id)}
    makeDeployments(catalog, [{ name: 'bench', basePath: '/', model, output: 'number' }])
    process.stdout.write(String(performance.now() - begun))`
  return Number(
    spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }).stdout,
  )
}

function medianOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
}
