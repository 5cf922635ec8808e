/** The image without tables, which is the default, and the one with them: built by the steps of the Dockerfile, and started. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { endGroups, firstStart, spawnGroup } from '../support/own-group.ts'
import { type Image, buildImages } from './dockerfile.ts'

// Without the checkout's own Node in front: what a user's shell would find.
const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'))
const env = { ...process.env, PATH: path.join(delimiter) }
const canInstall = spawnSync('npm', ['view', 'node@24', 'version'], { env }).status === 0

const RECORD = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const RESULT = '{"idx":1,"risk":0.2294,"error_message":null}'
const FILES = {
  'a.ndjson': `${JSON.stringify(RECORD)}\n`,
  'a.csv': `${Object.keys(RECORD).join()}\n${Object.values(RECORD).join()}\n`,
}

/** The value of TABLES · exit code of `score` for a CSV file · what it prints. */
const FORMS: readonly (readonly [string | undefined, number, RegExp])[] = [
  [undefined, 1, /^Tables \(CSV, Parquet, XLSX\) need DuckDB, which is not installed here .*\n$/],
  ['yes', 0, /^\{"idx":1,"risk":0\.2294,"error_message":null\}\n$/],
]

const skip = canInstall ? false : 'the npm registry cannot be reached'
describe('images', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'image-'))
  let images: readonly Image[] = []
  before(() => {
    const values = FORMS.map(([value]) => value)
    images = buildImages(folder, 'TABLES', values, env)
  })
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }))

  for (const [place, [value, code, printed]] of FORMS.entries()) {
    const name = `with TABLES=${value ?? 'its default'}`

    test(`${name}, the image starts, is healthy, scores, streams and serves the page`, async () => {
      const { root, workdir, variables, words } = images[place] as Image
      const [program = '', ...args] = [...words('ENTRYPOINT'), ...words('CMD')]
      const data = join(root, variables['DATA_DIR'] ?? '')
      const settings = { ...variables, HOST: '127.0.0.1', PORT: '0', DATA_DIR: data }
      const server = spawnGroup(program, args, { cwd: workdir, env: settings })
      try {
        const { origin, key } = await firstStart(server.stdout)
        const [probe = '', ...probeArgs] = words('HEALTHCHECK')
        const asked = probeArgs.map((word) => word.replace('http://127.0.0.1:8080', origin))
        assert.equal(spawnSync(probe, asked, { env: {} }).status, 0)
        for (const [type, body, answer] of [
          ['application/json', JSON.stringify([RECORD]), `[${RESULT}]`],
          ['application/x-ndjson', JSON.stringify(RECORD), `${RESULT}\n`],
        ] as const) {
          const headers = { authorization: `Bearer ${key}`, 'content-type': type }
          const response = await fetch(`${origin}/risk/api/do/v0`, { method: 'POST', headers, body })
          assert.equal(await response.text(), answer)
        }
        assert.match(await (await fetch(`${origin}/`)).text(), /^<!doctype html>/i)
      } finally {
        endGroups()
      }
    })

    test(`${name}, commands work, and a CSV file exits with ${code}`, () => {
      const image = images[place] as Image
      for (const [file, text] of Object.entries(FILES)) writeFileSync(join(image.workdir, file), text)
      assert.deepEqual(command(image, 'check').status, 0)
      assert.deepEqual(command(image, 'score a.ndjson --quiet').printed, `${RESULT}\n`)
      assert.match(command(image, 'sql --dialect postgres --model lace').printed, /SELECT/)
      const scored = command(image, 'score a.csv --quiet')
      assert.match(scored.printed, printed)
      assert.equal(scored.status, code)
    })

    test(`${name}, the image holds no development package and no second Node`, () => {
      const { workdir } = images[place] as Image
      for (const each of ['typescript', 'esbuild', 'node', '.bin/node'])
        assert.equal(existsSync(join(workdir, 'node_modules', each)), false, each)
      assert.equal(existsSync(join(workdir, 'node_modules/@duckdb/node-api')), value === 'yes')
    })
  }

  test('the image without tables passes the contract tests', () => {
    const { workdir, words } = images[0] as Image
    for (const folder of ['test', 'packages/server/test'])
      cpSync(folder, join(workdir, folder), { recursive: true })
    // The tests need a package that is not part of the image. A folder above it is searched after its own packages.
    const packages = join(dirname(workdir), 'node_modules')
    mkdirSync(packages)
    symlinkSync(resolve('node_modules/ajv'), join(packages, 'ajv'))
    // The test of coverage reads the tests of all packages.
    const files = globSync('packages/server/test/contract/[0-9]*.test.ts')
    const [program = ''] = words('ENTRYPOINT')
    const { status, stdout } = spawnSync(program, ['--test', ...files], {
      cwd: workdir,
      env: {},
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout)
    assert.match(stdout, /^ℹ pass [1-9]\d\d+$/m)
  })
})

function command(
  { workdir, words }: Image,
  line: string,
): { readonly status: number | null; readonly printed: string } {
  const [program = '', ...args] = [...words('ENTRYPOINT'), ...line.split(' ')]
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: workdir, env: {}, encoding: 'utf8' })
  return { status, printed: stdout + stderr }
}
