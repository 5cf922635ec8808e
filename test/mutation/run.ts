/**
 * `npm run mutation:packages -- PACKAGE`: mutates a sample of one package, runs the tests that reach each mutant, and compares the share
 * that they notice with the floor of the package. The sample depends on the date. A run that reaches its time limit is continued
 * by the same command, as long as neither sources nor tests have changed.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Random } from '../support/random.ts'
import { SHARED_SERVER, type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { type Mutant, makeMutatedCopy } from './mutated-copy.ts'
import { PACKAGES } from './packages.ts'
import { TestFiles } from './test-files.ts'

/** What became of a mutant: the test file that failed, or none. */
interface Judged {
  readonly by: string | null
}

/** What a run keeps, so that it can be continued. */
interface State {
  readonly digest: string
  /** Milliseconds that each test file takes without a mutant, and the mutants that it reaches; null where it fails in the copy. */
  readonly files: Record<string, { readonly ms: number; readonly mutants: readonly string[] } | null>
  readonly judged: Record<string, Judged>
}

const { values, positionals } = parseArgs({
  options: {
    mutants: { type: 'string', default: '300' },
    seed: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    seconds: { type: 'string', default: '3600' },
  },
  allowPositionals: true,
})
const [name = ''] = positionals
const own = PACKAGES[name]
if (own === undefined) {
  process.stderr.write(`Name one of ${Object.keys(PACKAGES).join(', ')}.\n`)
  process.exit(2)
}
const wanted = Number(values.mutants)
const end = performance.now() + Number(values.seconds) * 1_000
const isLate = (): boolean => performance.now() > end

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-mutation-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const { mutants, digest } = await makeMutatedCopy(folder, own)
const sample = sampleOf(mutants)
const statePath = resolve('reports/mutation', `${name}-${values.seed}.json`)
const state = readState()
// In the order of the table: those of the package itself come first.
const files = own.tests
  .flatMap((pattern) => globSync(pattern).sort())
  .filter((file) => !file.endsWith('.slow.test.ts'))
const usesPostgres = files.some((file) => readFileSync(file, 'utf8').includes('/postgres-server.ts'))
const postgres = usesPostgres ? await startedPostgres() : undefined
const tests = new TestFiles(folder, { [SHARED_SERVER]: postgres?.origin ?? '' })

await findCoverage()
await judgeAll()
await postgres?.remove()
report()

/** Sorted by chance, from the seed: a longer sample begins with a shorter one. */
function sampleOf(all: readonly Mutant[]): readonly Mutant[] {
  const seed = Buffer.from(values.seed).reduce((sum, byte) => Math.imul(sum, 31) + byte, 0)
  const random = new Random(seed)
  const rest = [...all]
  const chosen: Mutant[] = []
  while (rest.length > 0 && chosen.length < wanted) chosen.push(...rest.splice(random.below(rest.length), 1))
  return chosen
}

function readState(): State {
  try {
    const known = JSON.parse(readFileSync(statePath, 'utf8')) as State
    if (known.digest === digest) return known
  } catch {
    // No earlier run has left its state, so this one begins anew.
  }
  return { digest, files: {}, judged: {} }
}

function saveState(): void {
  mkdirSync(resolve('reports/mutation'), { recursive: true })
  writeFileSync(statePath, JSON.stringify(state))
}

/** Without one, the tests that need it skip themselves. */
async function startedPostgres(): Promise<PostgresServer | undefined> {
  try {
    return await startPostgres()
  } catch {
    return undefined
  }
}

async function findCoverage(): Promise<void> {
  for (const file of files) {
    if (state.files[file] !== undefined || isLate()) continue
    state.files[file] = (await tests.cover(file)) ?? null
    saveState()
  }
}

async function judgeAll(): Promise<void> {
  const cheapest = Object.entries(state.files)
    .flatMap(([file, known]) =>
      known === null ? [] : [{ file, ms: known.ms, mutants: new Set(known.mutants) }],
    )
    .sort((a, b) => a.ms - b.ms)
  for (const { id } of sample) {
    if (state.judged[id] !== undefined) continue
    let by: string | null = null
    for (const { file, ms, mutants: reached } of cheapest) {
      if (isLate()) return
      if (!reached.has(id) || (await tests.passes(file, id, ms))) continue
      by = file
      break
    }
    state.judged[id] = { by }
    saveState()
  }
}

function report(): void {
  const failing = Object.entries(state.files).filter(([, known]) => known === null)
  const judged = sample.filter(({ id }) => state.judged[id] !== undefined)
  const survived = judged.filter(({ id }) => state.judged[id]?.by === null)
  const reached = new Set(Object.values(state.files).flatMap((known) => known?.mutants ?? []))
  for (const { id, place, kind, original, replacement } of survived) {
    const isReached = reached.has(id) ? '' : ' (no test reaches it)'
    print(`${place} ${kind}${isReached}\n  - ${oneLine(original)}\n  + ${oneLine(replacement)}`)
  }
  for (const [file] of failing) print(`left out, because it fails in the copy: ${file}`)
  const killed = judged.length - survived.length
  const score = judged.length === 0 ? 0 : (100 * killed) / judged.length
  const missing = sample.length - judged.length
  print(
    `${name}, seed ${values.seed}: ${killed} of ${judged.length} mutants killed (${score.toFixed(1)} %, floor ${own?.floor} %), ` +
      `of ${mutants.length} in the package${missing === 0 ? '' : `; ${missing} of the sample are missing: run it again`}`,
  )
  process.exitCode = missing > 0 || score < (own?.floor ?? 100) ? 1 : 0
}

function oneLine(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ')
  return line.length > 160 ? `${line.slice(0, 160)}…` : line
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
