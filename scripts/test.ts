/**
 * `npm test`: every test that is short and has a fixed seed. `npm run test:all`: what that leaves out, which is the files
 * `*.slow.test.ts`, with random seeds. File names after `--` run those files alone.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

/** A file that has not ended after this time is stuck, and is named as such. */
const FILE_TIMEOUT_MS = 600_000

const { values, positionals } = parseArgs({
  options: { all: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const isSlow = (file: string): boolean => file.endsWith('.slow.test.ts')
const found = globSync('test/**/*.test.ts').sort()
// Files that another one imports run in its process: the service, playwright and a browser are loaded once for all of them.
const imported = new Set(
  globSync('test/browser/together/*.test.ts').flatMap((file) =>
    Array.from(
      readFileSync(file, 'utf8').matchAll(/^import '\.\.\/(.+)'$/gm),
      ([, name]) => `test/browser/${name ?? ''}`,
    ),
  ),
)
const files =
  positionals.length > 0
    ? positionals
    : found.filter((file) => isSlow(file) === values.all && !imported.has(file))

// Two files that unpack the browser at the same time would start a half-written one.
if (process.platform === 'linux' && process.arch === 'x64' && process.env['CHROMIUM_PATH'] === undefined) {
  const { default: packaged } = await import('@sparticuz/chromium')
  await packaged.executablePath()
}

// The torture kills processes and fills disks on purpose: beside other tests it would disturb them.
const isAlone = (file: string): boolean => file.startsWith('test/torture/')
const groups = [files.filter((file) => !isAlone(file)), files.filter(isAlone)]
for (const group of groups) if (group.length > 0 && !run(group)) process.exitCode = 1

function run(group: readonly string[]): boolean {
  const { status } = spawnSync(
    process.execPath,
    [
      '--test',
      `--test-timeout=${FILE_TIMEOUT_MS}`,
      '--test-concurrency=2',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=./test/reporters/slowest-files.ts',
      '--test-reporter-destination=stdout',
      ...group,
    ],
    {
      stdio: 'inherit',
      env: {
        // Compiled code of the last run halves the start of each file.
        NODE_COMPILE_CACHE: 'node_modules/.cache/node',
        SEED: values.all ? String(Math.floor(Math.random() * 2 ** 31)) : '1',
        ...process.env,
      },
    },
  )
  return status === 0
}
