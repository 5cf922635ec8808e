/**
 * `npm test`: every test that is short and has a fixed seed. `npm run test:all`: what that leaves out, which is the files
 * `*.slow.test.ts`, with random seeds. `npm test -w packages/engine`: those of one package. File names after `--` run those files
 * alone; with `--watch` again whenever they change.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import {
  type PostgresServer,
  SHARED_SERVER,
  sayMissing,
  startPostgres,
} from '../test/support/postgres-server.ts'
import { buildWorkbench } from '../packages/workbench/build.ts'

/** A file that has not ended after this time is stuck, and is named as such. The slow ones have twice as long. */
const FILE_TIMEOUT_MS = 600_000
/** For all files together. Only this limit stops a test that blocks the event loop. */
const RUN_TIMEOUT_MS = 3_600_000
/** What is still open this long after the last file, such as a browser, would stay open. */
const LEFT_OPEN_MS = 30_000
/**
 * More than there are cores, because tests of a browser, a disk or a stop wait now and then. The slow ones start programs of their own,
 * and more of them at once would only make each other late.
 */
const MORE_THAN_CORES = { fast: 3, slow: 1 }
/** Folders and files that take longest start first, so that no core is idle at the end of the run. */
const FIRST = [
  'packages/engine/test/sql/',
  'packages/server/test/store/contract/tampering.test.ts',
  'packages/server/test/store/audit/sqlite-audit.test.ts',
  'packages/workbench/test/browser/',
  'packages/server/test/store/scale-out.test.ts',
  'packages/patient-risk/test/',
  'packages/data/test/learn/',
  'packages/data/test/bulk/',
  'test/structure/',
  'packages/engine/test/',
  'packages/server/test/store/',
  'packages/server/test/http/',
  'packages/server/test/adapters/',
]
/** The same for the slow ones. */
const FIRST_SLOW = [
  'test/operations/upgrade.slow.test.ts',
  'test/published/',
  'packages/engine/test/sql/random.slow.test.ts',
  'test/operations/guide.slow.test.ts',
  'packages/server/test/adapters/fhir/mutations/',
  'packages/workbench/test/browser/page/accessibility.slow.test.ts',
  'test/operations/image.slow.test.ts',
  'packages/server/test/torture/',
  'packages/server/test/seeds/',
  'packages/patient-risk/test/score/changed/',
  'packages/data/test/learn/',
  'test/documents.slow.test.ts',
]
/** What runs in a real browser. */
const BROWSER_TESTS = [
  'packages/workbench/test/browser/',
  'packages/engine/test/anywhere/anywhere',
  'test/browser-example',
]
/** A file with this comment changes global state of its process, so it runs in a separate one. */
const OWN_PROCESS = /^\/\/ Own process: /m

const { values, positionals } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    watch: { type: 'boolean', default: false },
    package: { type: 'string', default: '*' },
  },
  allowPositionals: true,
})
const kind = values.all ? 'slow' : 'fast'
const processesAtOnce = Math.min(8, availableParallelism() + MORE_THAN_CORES[kind])
const fileTimeoutMs = values.all ? 2 * FILE_TIMEOUT_MS : FILE_TIMEOUT_MS
// npm runs the script of a package in its folder. Tests name files from the root.
process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const folders = values.package === '*' ? '{test,packages/*/test}' : `packages/${values.package}/test`
if (values.watch) {
  if (positionals.length === 0) {
    process.stderr.write(
      '--watch needs the files to watch: npm test -- --watch packages/engine/test/units.test.ts\n',
    )
    process.exit(2)
  }
  // Node itself runs them again whenever they change, or what they import.
  const watching = spawn(process.execPath, ['--test', '--watch', ...positionals], { stdio: 'inherit' })
  process.exit(((await once(watching, 'close')) as [number | null])[0] ?? 1)
}
let files =
  positionals.length > 0
    ? positionals
    : globSync(`${folders}/**/*.test.ts`)
        .sort()
        .filter((file) => file.endsWith('.slow.test.ts') === values.all)

// Tests use the built page. It is not in git, and may be older than its sources.
await buildWorkbench('packages/workbench/built')

// The first call unpacks the browser; two files that unpack it at the same time would start an incomplete one.
const needsBrowser = (file: string): boolean => BROWSER_TESTS.some((start) => file.startsWith(start))
const [missingBrowser, postgres] = await Promise.all([
  files.some(needsBrowser) ? (await import('../test/support/browser/launch.ts')).whyNoBrowser() : undefined,
  // A file that runs alone starts a server only if it uses one.
  files.length > 1 ? startSharedServer() : undefined,
])
if (missingBrowser !== undefined) {
  files = files.filter((file) => !needsBrowser(file))
  process.once('exit', () => process.stdout.write(missingBrowser))
}

// These parts of the torture measure times and load the machine: they and other tests would disturb each other.
const isAlone = (file: string): boolean => file.startsWith('packages/server/test/torture/timed/')
const runs = [files.filter((file) => !isAlone(file)), files.filter(isAlone)]
for (const each of runs) if (each.length > 0 && !(await run(each))) process.exitCode = 1
await postgres?.remove()

async function startSharedServer(): Promise<PostgresServer | undefined> {
  try {
    return await startPostgres()
  } catch (error) {
    sayMissing((error as Error).message)
    return undefined
  }
}

async function run(some: readonly string[]): Promise<boolean> {
  const child = spawn(
    process.execPath,
    [
      // Young objects get more room than usual: that saves a tenth of the processor time of a run.
      '--max-semi-space-size=32',
      '--test',
      `--test-timeout=${RUN_TIMEOUT_MS}`,
      `--test-concurrency=${processesAtOnce}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=./test/reporters/slowest-files.ts',
      '--test-reporter-destination=stdout',
      ...writeWorkers(some),
    ],
    {
      stdio: 'inherit',
      env: {
        // Compiled code of the last run halves the start of each process.
        NODE_COMPILE_CACHE: resolve('node_modules/.cache/node'),
        SEED: values.all ? String(Math.floor(Math.random() * 2 ** 31)) : '1',
        // Empty where there is none: the tests that need one skip themselves.
        ...(files.length > 1 ? { [SHARED_SERVER]: postgres?.origin ?? '' } : {}),
        ...process.env,
      },
    },
  )
  const [status] = (await once(child, 'close')) as [number | null]
  return status === 0
}

/**
 * Writes the modules that `node --test` runs, one for each process. A process takes the next file when it has ended one, because
 * a process for each file would cost half a second or more for Node, the service's code and the catalogue.
 */
function writeWorkers(some: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-tests-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const write = (name: string, queue: readonly string[]): string => {
    const path = join(folder, `${name}.test.mjs`)
    writeFileSync(path, workerModule(queue, join(folder, 'taken-')))
    return path
  }
  // The slow ones are few and long, and some of them need the machine's memory for themselves.
  const isAlone = (file: string): boolean => values.all || OWN_PROCESS.test(readFileSync(file, 'utf8'))
  const sorted = [...some].sort((a, b) => rank(a) - rank(b))
  const shared = sorted.filter((file) => !isAlone(file))
  const processes = Math.min(processesAtOnce, shared.length)
  return [
    // Node starts modules in the order of their names.
    ...sorted.filter(isAlone).map((file, at) => write(`alone-${String(at).padStart(4, '0')}`, [file])),
    ...Array.from({ length: processes }, (_, at) => write(`shared-${at}`, shared)),
  ]
}

function rank(file: string): number {
  const first = values.all ? FIRST_SLOW : FIRST
  const at = first.findIndex((start) => file.startsWith(start))
  return at < 0 ? first.length : at
}

/**
 * Runs files one after the other, each as a test with the file's name. To make a folder is how a process takes a file: only one of
 * them can. The suite inside collects the tests of a file, so that none begins before all of the file has been evaluated.
 */
function workerModule(queue: readonly string[], taken: string): string {
  const files = queue.map((file) => [
    file,
    pathToFileURL(resolve(file)).href,
    taken + encodeURIComponent(file),
  ])
  return `
import { mkdirSync } from 'node:fs'
import { describe, test } from 'node:test'

let current
process.on('exit', () => {
  if (current === undefined) return
  process.exitCode = 1
  process.stderr.write('The process ended in ' + current + '\\n')
})
for (const [file, url, taken] of ${JSON.stringify(files)}) {
  try {
    mkdirSync(taken)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    continue
  }
  current = file
  await test(file, { timeout: ${fileTimeoutMs} }, () => void describe('tests', () => import(url)))
  current = undefined
}
// Does not fire unless something else keeps the process from ending, such as a service that a failed test has left open.
setTimeout(() => {
  process.stderr.write('Still open after the last test file: ' + process.getActiveResourcesInfo().join(', ') + '\\n')
  process.exit()
}, ${LEFT_OPEN_MS}).unref()
`
}
