/** A command starts quickly because it loads little: each one loads its own code, and libraries only where its input needs them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { validFiles, writeFiles } from '../../../test/support/valid-folder.ts'

const BIN = fileURLToPath(new URL('../../../bin/patient-risk.js', import.meta.url))
const TYPE_STRIPPER = 'NativeModule internal/deps/amaro/dist/index'

const folder = mkdtempSync(join(tmpdir(), 'start-'))
after(() => rmSync(folder, { recursive: true }))

const records = join(folder, 'records.ndjson')
writeFileSync(
  records,
  '{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}\n',
)

const clinical = join(folder, 'clinical')
writeFiles(clinical, validFiles())

const LOADED = join(folder, 'loaded.json')
/** Loaded before the command: writes down the modules that were loaded, when the command has ended. */
const WATCH = `
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
const urls = []
registerHooks({ load(url, context, next) { urls.push(url); return next(url, context) } })
const isStripping = () => process.moduleLoadList.includes(${JSON.stringify(TYPE_STRIPPER)})
process.on('exit', () => writeFileSync(${JSON.stringify(LOADED)}, JSON.stringify({ urls, isStripping: isStripping() })))`

interface Loaded {
  /** The packages under node_modules. */
  readonly packages: readonly string[]
  /** The folders of src. */
  readonly folders: readonly string[]
  /** Whether the library was loaded that takes the types out of TypeScript. */
  readonly isStripping: boolean
}

/** What starts have loaded, by their arguments and configuration: several tests look at the same start. */
const known = new Map<string, Loaded>()

function loadedBy(...start: readonly [readonly string[], object?]): Loaded {
  const found = known.get(JSON.stringify(start)) ?? loadedAgain(...start)
  known.set(JSON.stringify(start), found)
  return found
}

function loadedAgain(args: readonly string[], config?: object): Loaded {
  const file = join(folder, 'config.json')
  if (config !== undefined) writeFileSync(file, JSON.stringify(config))
  const watch = `data:text/javascript,${encodeURIComponent(WATCH)}`
  const { status, stderr } = spawnSync(process.execPath, ['--import', watch, BIN, ...args], {
    cwd: folder,
    // Without NODE_COMPILE_CACHE: the command itself says where compiled code is kept.
    env: config === undefined ? {} : { CONFIG: file },
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  const { urls, isStripping } = JSON.parse(readFileSync(LOADED, 'utf8')) as {
    urls: readonly string[]
    isStripping: boolean
  }
  const found = (pattern: RegExp): readonly string[] =>
    [...new Set(urls.flatMap((url) => pattern.exec(url)?.[1] ?? []))].sort()
  return { packages: found(/.*\/node_modules\/([^/]+)/), folders: found(/\/src\/([^/.]+)\//), isStripping }
}

const score = ['score', records, '--output', join(folder, 'risks.ndjson'), '--quiet']
const deployments = [{ name: 'one', basePath: '/', model: 'readmission30', output: 'number' }]

/** What is started, and the packages that it loads. */
const STARTS: readonly (readonly [string, readonly string[], object | undefined, readonly string[]])[] = [
  ['the overview', ['--help'], undefined, []],
  ['score of NDJSON', score, undefined, []],
  ['models', ['models'], undefined, []],
  ['sql', ['sql', '--model', 'lace', '--dialect', 'duckdb'], undefined, []],
  ['score with a configuration file', score, { deployments }, ['typebox']],
  ['score with clinical files of one’s own', score, { clinical: [clinical], deployments }, ['typebox']],
]
for (const [name, args, config, packages] of STARTS) {
  test(`${name} loads ${packages.join() || 'no package'}`, () => {
    assert.deepEqual(loadedBy(args, config).packages, packages)
  })
}

test('score of NDJSON loads nothing of the service', () => {
  const { folders } = loadedBy(score)
  assert.ok(folders.includes('bulk'))
  for (const unneeded of ['adapters', 'cluster', 'http', 'metrics', 'sql', 'store'])
    assert.ok(!folders.includes(unneeded), unneeded)
})

test('a second start compiles nothing: not even the first file of TypeScript', () => {
  loadedBy(['--help'])
  assert.equal(loadedAgain(['--help']).isStripping, false)
})
