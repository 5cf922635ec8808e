/**
 * `npm test`: every test that is short and has a fixed seed. `npm run test:all`: what that leaves out, which is the files
 * `*.slow.test.ts`, with random seeds. File names after `--` run those files alone.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

/** A file that has not ended after this time is stuck, and is named as such. */
const FILE_TIMEOUT_MS = 600_000
/**
 * Files of a folder share processes, because a process of its own costs each file half a second or more for Node, the
 * service's code and the catalogue. More processes than this many files would leave a core idle at the end of the run.
 */
const FILES_A_PROCESS = 8
/** One more than the two cores that the time of a run is given for: tests of a browser or a stop wait now and then. */
const PROCESSES = 3
/** What takes longest starts first, so that no core is idle while the other one ends it. */
const FIRST = ['test/browser', 'test/cli', 'test/adapters/fhir']
/** A file with this comment changes its process for others, so it gets a process of its own. */
const OWN_PROCESS = /^\/\/ Own process: /m

const { values, positionals } = parseArgs({
  options: { all: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const files =
  positionals.length > 0
    ? positionals
    : globSync('test/**/*.test.ts')
        .sort()
        .filter((file) => file.endsWith('.slow.test.ts') === values.all)

// Two files that unpack the browser at the same time would start a half-written one.
if (process.platform === 'linux' && process.arch === 'x64' && process.env['CHROMIUM_PATH'] === undefined) {
  const { default: packaged } = await import('@sparticuz/chromium')
  await packaged.executablePath()
}

// The torture kills processes and fills disks on purpose: beside other tests it would disturb them.
const isAlone = (file: string): boolean => file.startsWith('test/torture/')
const runs = [files.filter((file) => !isAlone(file)), files.filter(isAlone)]
for (const each of runs) if (each.length > 0 && !run(each)) process.exitCode = 1

function run(some: readonly string[]): boolean {
  const { status } = spawnSync(
    process.execPath,
    [
      '--test',
      `--test-timeout=${FILE_TIMEOUT_MS}`,
      `--test-concurrency=${PROCESSES}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=./test/reporters/slowest-files.ts',
      '--test-reporter-destination=stdout',
      ...groupFiles(some),
    ],
    {
      stdio: 'inherit',
      env: {
        // Compiled code of the last run halves the start of each process.
        NODE_COMPILE_CACHE: 'node_modules/.cache/node',
        SEED: values.all ? String(Math.floor(Math.random() * 2 ** 31)) : '1',
        ...process.env,
      },
    },
  )
  return status === 0
}

/**
 * Writes one module for each process; it runs its files one after the other, each as a test with the file's name. The suite
 * inside collects the tests of the file, so that none begins before all of the file has been evaluated, as in a process of its own.
 */
function groupFiles(some: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-groups-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return groupsOf(some).map((group, index) => {
    const path = join(folder, `${String(index).padStart(3, '0')}.test.mjs`)
    const tests = group.map((file) => {
      const [name, url] = [file, pathToFileURL(resolve(file))].map((text) => JSON.stringify(text))
      return `test(${name}, () => void describe('tests', () => import(${url})))\n`
    })
    writeFileSync(
      path,
      `import { after, describe, test } from 'node:test'\n${tests.join('')}${guardOf(group)}`,
    )
    return path
  })
}

/** A process that ends before its last file is a failure. Without a browser the tests of the page end theirs, on purpose. */
function guardOf(group: readonly string[]): string {
  if (group.every((file) => file.startsWith('test/browser/'))) return ''
  return `
let isWhole = false
after(() => (isWhole = true))
process.on('exit', () => {
  if (isWhole) return
  process.exitCode = 1
  process.stderr.write('The process ended in one of: ${group.join(', ')}\\n')
})
`
}

function groupsOf(some: readonly string[]): readonly (readonly string[])[] {
  // The slow ones are few and long, and some of them need the machine's memory for themselves.
  if (values.all) return some.map((file) => [file])
  const groups: string[][] = []
  for (const together of Map.groupBy(some, dirname).values()) {
    const [alone = [], shared = []] = [true, false].map((isOwn) =>
      together.filter((file) => OWN_PROCESS.test(readFileSync(file, 'utf8')) === isOwn),
    )
    groups.push(...alone.map((file) => [file]))
    const count = Math.ceil(shared.length / FILES_A_PROCESS)
    // Neighbours in the alphabet are often of one kind and length, so they are dealt out.
    for (let at = 0; at < count; at++) groups.push(shared.filter((_, index) => index % count === at))
  }
  const rank = (group: readonly string[]): number => {
    const at = FIRST.findIndex((folder) => group[0]?.startsWith(`${folder}/`))
    return at < 0 ? FIRST.length : at
  }
  return groups.sort((a, b) => rank(a) - rank(b))
}
