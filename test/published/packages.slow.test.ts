/**
 * The three published packages: packed, and installed into empty folders with their own dependencies only. `patient-risk` passes
 * the contract tests on the oldest Node that it names and on the newest of each later line.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Tarballs, pack } from '../../scripts/pack.ts'
import { type Program, commandOf, node } from '../clients/runtimes.ts'
import { endGroups, firstStart, spawnGroup } from '../support/own-group.ts'
import { addContractTests } from './contract-tests.ts'
import { install, userEnv } from './install.ts'

const RECORD = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const RESULT = '{"idx":1,"risk":0.2294,"error_message":null}'
const BIN = 'node_modules/patient-risk/bin/patient-risk.js'
const TSC = resolve('node_modules/typescript/bin/tsc')

interface Manifest {
  readonly engines: { readonly node: string }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}
const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

const canInstall = spawnSync('npm', ['view', 'node@24', 'version']).status === 0
const skip = canInstall ? false : 'the npm registry cannot be reached'

describe('published packages', { skip }, () => {
  const root = mkdtempSync(join(tmpdir(), 'published-'))
  const engine = join(root, 'engine')
  const service = join(root, 'service')
  const withTables = join(root, 'with-tables')
  let tarballs: Tarballs
  before(async () => {
    tarballs = await pack(join(root, 'packed'))
    install(engine, resolve(tarballs.engine))
    install(service, resolve(tarballs.service))
    writeFileSync(join(service, 'a.ndjson'), `${JSON.stringify(RECORD)}\n`)
    writeFileSync(join(service, 'a.csv'), `${Object.keys(RECORD).join()}\n${Object.values(RECORD).join()}\n`)
  })
  after(() => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }))

  test('the engine has no dependency, and is installed alone', () => {
    const manifest = readManifest(join(engine, 'node_modules/patient-risk-engine'))
    assert.deepEqual(manifest.dependencies ?? {}, {})
    assert.deepEqual(visible(join(engine, 'node_modules')), ['patient-risk-engine'])
  })

  for (const runtime of [node('20.0.0'), node('24')]) {
    onRuntime(`the engine is imported in ${runtime.name}`, runtime, (program) => {
      const doors = Object.keys((readJson('packages/engine/package.json') as { exports: object }).exports)
      const names = doors.map((door) => `patient-risk-engine${door.slice(1)}`)
      const script = `for (const name of ${JSON.stringify(names)}) console.log(Object.keys(await import(name)).length > 0)`
      const printed = execFileSync(program, ['--input-type=module', '--eval', script], { cwd: engine })
      assert.equal(String(printed), 'true\n'.repeat(names.length))
    })
  }

  test('the service is installed with its own dependencies, and without a Node, DuckDB or a development package', () => {
    const packages = visible(join(service, 'node_modules'))
    for (const name of ['node', '@duckdb', 'typescript', 'esbuild', '@patient-risk', 'patient-risk-engine'])
      assert.equal(packages.includes(name), false, name)
    assert.equal(existsSync(join(service, 'node_modules/.bin/node')), false)
    assert.equal(existsSync(join(service, 'node_modules/.bin/patient-risk')), true)
    const { engines } = readManifest(join(service, 'node_modules/patient-risk'))
    assert.equal(engines.node, readManifest('packages/patient-risk').engines.node)
  })

  test('a strict program compiles with the types of the three packages', () => {
    const program = join(root, 'types')
    install(program, resolve(tarballs.service), resolve(tarballs.engine), resolve(tarballs.client))
    writeFileSync(
      join(program, 'program.ts'),
      `import { type RiskScorer, createScorer } from 'patient-risk'
import { RiskClient } from 'patient-risk-client'
import { roundRisk } from 'patient-risk-engine'
const scorer: RiskScorer<number> = createScorer()
const risk: number | null | undefined = scorer.score([{ idx: 1, age: 84 }])[0]?.risk
// @ts-expect-error: the command line is not exported.
type Cli = typeof import('patient-risk/cli')
export const made: readonly unknown[] = [risk, RiskClient, roundRisk, null as Cli]
`,
    )
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2024', 'dom'],
      strict: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [resolve('node_modules/@types')],
    }
    writeFileSync(join(program, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    const { status, stdout } = spawnSync(process.execPath, [TSC, '--project', program], { encoding: 'utf8' })
    assert.equal(status, 0, stdout)
  })

  test('an older Node is told which one is needed', async (context) => {
    const { command, skip: missing } = await commandOf(node('20.20.2'))
    if (missing !== undefined) {
      context.skip(missing)
      return
    }
    const { status, stderr } = spawnSync(command[0] ?? '', [BIN, 'check'], { cwd: service, encoding: 'utf8' })
    assert.match(stderr, /^patient-risk needs Node 22\.20, 24\.7 or newer, and this is v20\.20\.2\.\n$/)
    assert.equal(status, 2)
  })

  // The first versions that `engines` names, and the newest line.
  const RUNTIMES = [node('22.20.0'), node('24.7.0'), node('26')]
  for (const runtime of RUNTIMES) {
    onRuntime(
      `in ${runtime.name}, the service checks, scores, serves and shows its page`,
      runtime,
      async (program) => {
        const checked = commandIn(service, program, 'check')
        assert.match(checked.stdout, /^All valid/)
        assert.equal(checked.stderr, '')
        assert.equal(commandIn(service, program, 'score a.ndjson --quiet').stdout, `${RESULT}\n`)
        const env = {
          ...userEnv(program),
          NODE_ENV: 'production',
          PORT: '0',
          DATA_DIR: `data-${runtime.name}`,
        }
        const server = spawnGroup('npx', ['--no', 'patient-risk', 'serve'], { cwd: service, env })
        try {
          const { origin, key } = await firstStart(server.stdout)
          const response = await fetch(`${origin}/risk/api/do/v0`, {
            method: 'POST',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            body: JSON.stringify([RECORD]),
          })
          assert.equal(await response.text(), `[${RESULT}]`)
          assert.match(await (await fetch(`${origin}/`)).text(), /^<!doctype html>/i)
        } finally {
          endGroups()
        }
      },
    )
  }

  test('without DuckDB, a table exits with 1 and one line that installs it; that line makes it work', () => {
    const { status, stdout, stderr } = commandIn(service, process.execPath, 'score a.csv --quiet')
    assert.equal(status, 1)
    assert.equal(stdout, '')
    const words = /^Tables .* need DuckDB, which is not installed here .*: run npm (install \S+)\n$/.exec(
      stderr,
    )?.[1]
    assert.ok(words, stderr)
    cpSync(service, withTables, { recursive: true, verbatimSymlinks: true })
    execFileSync('npm', [...words.split(' '), '--no-audit', '--no-fund', '--silent', '--prefer-offline'], {
      cwd: withTables,
      env: userEnv(process.execPath),
    })
  })

  for (const runtime of RUNTIMES) {
    onRuntime(`in ${runtime.name} and with DuckDB, a table is scored and written`, runtime, (program) => {
      const { stdout, stderr } = commandIn(withTables, program, 'score a.csv --quiet')
      assert.equal(stdout, `${RESULT}\n`, stderr)
      const written = commandIn(withTables, program, 'score a.csv --output out.ndjson.zst --quiet')
      assert.equal(written.status, 0, written.stderr)
    })
  }

  describe('contract tests', () => {
    const folder = join(root, 'contract')
    let files: readonly string[] = []
    before(() => {
      cpSync(service, folder, { recursive: true, verbatimSymlinks: true })
      files = addContractTests(join(folder, 'node_modules/patient-risk'))
    })
    for (const runtime of RUNTIMES) {
      onRuntime(`the installed package passes them in ${runtime.name}`, runtime, (program) => {
        const { status, stdout } = spawnSync(program, ['--test', '--test-reporter=spec', ...files], {
          cwd: join(folder, 'node_modules/patient-risk'),
          env: userEnv(program),
          encoding: 'utf8',
        })
        assert.equal(status, 0, stdout.slice(-5_000))
        assert.match(stdout, /^ℹ pass [1-9]\d\d+$/m)
      })
    }
  })
})

function onRuntime(name: string, runtime: Program, work: (program: string) => void | Promise<void>): void {
  test(name, async (context) => {
    const { command, skip: missing } = await commandOf(runtime)
    if (missing === undefined) await work(command[0] ?? '')
    else context.skip(missing)
  })
}

function commandIn(
  cwd: string,
  program: string,
  line: string,
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  return spawnSync(program, [BIN, ...line.split(' ')], { cwd, env: userEnv(program), encoding: 'utf8' })
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
const visible = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => !name.startsWith('.'))
