/** `npm run bench:catalog`: how long the whole library takes to load, and what scales cost that a record does not carry. */
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import {
  type Catalog,
  makeDeployments,
  loadCatalog,
  loadFolders,
  readClinicalFolder,
} from '@patient-risk/catalog'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'

const ROOT = fileURLToPath(new URL('../clinical', import.meta.url))
const LOADS = 7
const ROUNDS = 15
const RECORDS = 1_000
const FEW_SCALES = ['barthel', 'charlson', 'laceCharlson', 'mna', 'norton']
const TODAY = 20260101

const cpuBefore = process.cpuUsage()
const first = timed(load)
const cpu = process.cpuUsage(cpuBefore)
const loads = Array.from({ length: LOADS }, () => timed(load)).sort((a, b) => a - b)
const { scales, models, domains } = load()
print(
  `${domains.size} fields, ${scales.size} scales, ${models.size} models; load = read, check, compile, run every case`,
)
print(
  `first load in a new process   ${first.toFixed(0)} ms (${((cpu.user + cpu.system) / 1_000).toFixed(0)} ms of processor time)`,
)
print(`later loads, median of ${LOADS}      ${(loads[LOADS >> 1] ?? 0).toFixed(0)} ms`)
print('')

// The two catalogues take turns, so that a busy machine slows both alike.
const few = scorerOf(FEW_SCALES)
const all = scorerOf([...scales.keys()])
const bodies = { sparse: body({}), dense: body(barthel()) }
for (const [name, bytes] of Object.entries(bodies)) {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS + 3; round++) {
    const pair = [timed(() => few(bytes)), timed(() => all(bytes))] as const
    // The first rounds only warm the runtime up.
    if (round >= 3) pair.forEach((time, index) => times[index]?.push(time))
  }
  const [withFew, withAll] = times.map((list) => Math.min(...list)) as [number, number]
  print(
    `${name} record: ${perRecord(withFew)} with ${FEW_SCALES.length} scales, ${perRecord(withAll)} with ${scales.size}; ratio ${(withAll / withFew).toFixed(2)}`,
  )
}

function load(): Catalog {
  const { catalog, faults } = loadCatalog([ROOT])
  if (catalog === undefined) throw new Error(`${faults.length} faults in ${ROOT}`)
  makeDeployments(catalog, DEFAULT_FILE.deployments)
  return catalog
}

/** The default model over a catalogue that has these scales only. */
function scorerOf(ids: readonly string[]): (bytes: Uint8Array) => unknown {
  const folder = readClinicalFolder(ROOT)
  const { catalog } = loadFolders([
    {
      ...folder,
      scales: folder.scales.filter(({ name }) => ids.includes(name)),
      models: folder.models.filter(({ name }) => name === 'readmission30'),
    },
  ])
  const made = catalog === undefined ? undefined : makeDeployments(catalog, DEFAULT_FILE.deployments)
  const deployment = made?.deployments[0]
  if (deployment === undefined) throw new Error('the smaller catalogue does not load')
  return (bytes) => deployment.scorer.score(bytes, TODAY)
}

function body(extra: object): Uint8Array {
  const records = Array.from({ length: RECORDS }, (_, idx) => ({
    idx,
    age: 60 + (idx % 40),
    sex: idx % 2 === 0 ? 'F' : 'M',
    inpatientAdmissions: idx % 5,
    emergencyAdmissions: idx % 7,
    stayDays: idx % 20,
    ...extra,
  }))
  return new TextEncoder().encode(JSON.stringify(records))
}

function barthel(): object {
  const items = [
    'feeding',
    'bathing',
    'grooming',
    'dressing',
    'bowels',
    'bladder',
    'toiletUse',
    'mobility',
    'stairs',
  ]
  return Object.fromEntries(items.map((item) => [`barthel_${item}`, 5]))
}

function timed(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

function perRecord(milliseconds: number): string {
  return `${((milliseconds * 1_000) / RECORDS).toFixed(2)} µs`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
