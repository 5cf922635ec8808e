/** Which options make `score --changed` score a file again: all that decide what is written, and no others. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Deployment, makeDeployments } from '@patient-risk/catalog'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { optionsDigest } from '../../../src/cli/score/changed-jobs.ts'
import { SCORE_OPTIONS, type ScoreValues, columnOptionsOf } from '../../../src/cli/score/score-options.ts'
import { testCatalog } from '../../../../../test/support/serve.ts'

const folder = mkdtempSync(join(tmpdir(), 'changed-options-'))
after(() => rmSync(folder, { recursive: true }))

const TABLE = { input: { path: 'in/a.parquet', format: 'parquet' }, to: 'csv' } as const
const BASE: DeploymentSettings = { name: 'one', basePath: '/', model: 'readmission30', output: 'number' }

function deploymentWith(settings: Partial<DeploymentSettings> = {}): Deployment {
  return makeDeployments(testCatalog(), [{ ...BASE, ...settings }]).deployments[0] as Deployment
}

const PLAIN = deploymentWith()

async function digestOf(
  values: ScoreValues,
  file: Parameters<typeof optionsDigest>[0] = TABLE,
): Promise<string> {
  return optionsDigest(file, values, PLAIN, await columnOptionsOf(values, testCatalog(), false))
}

function jsonFile(name: string, value: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(value))
  return path
}

/** What an option may be given as, for those that take no text of any kind. */
const SAMPLES: Readonly<Record<string, string>> = {
  encoding: 'utf-8',
  dates: 'DD/MM/YYYY',
  delimiter: ';',
}
/** They decide what is written, and are counted by what they mean. */
const BY_MEANING = new Set(['deployment', 'model', 'output-kind', 'threshold', 'map', 'idx', 'specification'])
/** They decide where a file is written, when and how it is reported; `from` and `to` are counted by the formats that they lead to. */
const DECIDE_NOTHING = new Set([
  'output-dir',
  'changed',
  'remove-gone',
  'resume',
  'quiet',
  'threads',
  'fail-on',
  'accept-doubts',
  'from',
  'to',
])
const { texts, lists, flags } = SCORE_OPTIONS
const GIVEN: readonly (readonly [string, unknown])[] = [
  ...texts.map((name) => [name, SAMPLES[name] ?? 'x'] as const),
  ...lists.map((name) => [name, [SAMPLES[name] ?? 'x']] as const),
  ...flags.map((name) => [name, true] as const),
]
for (const [name, value] of GIVEN.filter(([each]) => !BY_MEANING.has(each))) {
  const isCounted = !DECIDE_NOTHING.has(name)
  test(`--${name} ${isCounted ? 'makes' : 'does not make'} a file another one`, async () => {
    const with_ = await digestOf({ [name]: value })
    assert.equal(with_ !== (await digestOf({})), isCounted)
  })
}

const MEANT: readonly (readonly [string, ScoreValues, ScoreValues, boolean])[] = [
  ['another column', { map: ['age=edad'] }, { map: ['age=años'] }, false],
  ['a column for the idx', { idx: 'nhc' }, {}, false],
  ['the idx as --map', { idx: 'nhc' }, { map: ['idx=nhc'] }, true],
  [
    'the same names from a file',
    { map: ['age=edad'] },
    { map: [jsonFile('map.json', { age: 'edad' })] },
    true,
  ],
  ['another order of kept columns', { keep: ['a', 'b'] }, { keep: ['b', 'a'] }, false],
  ['a number of the first form', { 'decimal-comma': true }, { 'decimal-point': true }, false],
]
for (const [what, one, other, isSame] of MEANT) {
  test(`${what}: ${isSame ? 'the same' : 'another'} file`, async () => {
    assert.equal((await digestOf(one)) === (await digestOf(other)), isSame)
  })
}

test('a map or a specification counts by what it says, not by its name', async () => {
  const map = jsonFile('now.json', { age: 'edad' })
  const before = await digestOf({ map: [map] })
  jsonFile('now.json', { age: 'years' })
  assert.notEqual(await digestOf({ map: [map] }), before)

  const columns = { age: { column: 'edad' } }
  const specification = jsonFile('one.json', { data: { outcome: { column: null }, columns } })
  const said = await digestOf({ specification })
  const renamed = jsonFile('two.json', { data: { outcome: { column: null }, columns } })
  assert.equal(await digestOf({ specification: renamed }), said)
  jsonFile('one.json', { data: { outcome: { column: null }, columns, missing: ['?'] } })
  assert.notEqual(await digestOf({ specification }), said)
})

type File = Parameters<typeof optionsDigest>[0]
const FILES: readonly (readonly [string, File, boolean])[] = [
  ['another format of the output', { ...TABLE, to: 'parquet' }, false],
  ['another format of the input', { ...TABLE, input: { path: 'in/a.parquet', format: 'csv' } }, false],
  ['another folder', { ...TABLE, input: { path: 'other/a.parquet', format: 'parquet' } }, true],
  [
    'a folder that is a column',
    { ...TABLE, input: { path: 'in/sex=F/a.parquet', format: 'parquet' } },
    false,
  ],
]
for (const [what, file, isSame] of FILES) {
  test(`${what}: ${isSame ? 'the same' : 'another'} file`, async () => {
    assert.equal((await digestOf({}, file)) === (await digestOf({})), isSame)
  })
}

/** Settings of a deployment that its digest does not have, and that a file can show. */
for (const [name, limit] of [
  ['depth', 4],
  ['lineBytes', 4096],
] as const) {
  test(`the limit ${name} makes a file another one`, async () => {
    const limited = deploymentWith({ limits: { [name]: limit } })
    assert.equal(limited.digest, PLAIN.digest)
    const columns = await columnOptionsOf({}, testCatalog(), false)
    assert.notEqual(optionsDigest(TABLE, {}, limited, columns), await digestOf({}))
  })
}
