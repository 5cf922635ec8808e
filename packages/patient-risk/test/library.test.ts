/** The commands that show and validate the clinical library, as a user types them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { copyCheckout } from '../../../test/support/checkout-copy.ts'
import { change, validFiles, writeFiles } from '../../../test/support/valid-folder.ts'
import { type Ran, runHere } from '../../../test/support/run-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'library-'))
after(() => rmSync(folder, { recursive: true }))

const ENVIRONMENT = { DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'silent', PORT: '0' }

const run = (args: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
  runHere(args, { ...ENVIRONMENT, ...env })

/** The same as a person types it, for what must end a process. */
function runProgram(args: readonly string[], env: Record<string, string>, program: string): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...ENVIRONMENT, ...env },
    timeout: 120_000,
  })
  return { code: status, out: stdout, err: stderr }
}

const sound = join(folder, 'sound')
writeFiles(sound, validFiles())
const bad = join(folder, 'bad')
const badFiles = validFiles()
change(badFiles, 'scales/grip/grip.json', '/bands/0/bands/1/from', 5)
change(badFiles, 'models/toy/toy.json', '/inputs/dizzy/why', undefined)
change(badFiles, 'models/toy/toy.json', '/inputs/falls/from', -1)
writeFiles(bad, badFiles)
const config = (clinical: string, model: string): string => {
  const file = join(folder, `${model}-${clinical.split('/').at(-1)}.json`)
  const deployments = [{ name: 'own', basePath: '/', model, output: 'number' }]
  writeFileSync(file, JSON.stringify({ clinical: [clinical], deployments }))
  return file
}

/** Words · exit code · what stdout says · what stderr says. */
const RUNS: readonly (readonly [readonly string[], number, RegExp, RegExp])[] = [
  [
    ['check'],
    0,
    /^All valid: \d+ fields, 49 scales, 7 models, 3 deployments; all cases pass\.\nStore: not created yet; the first start creates it with layout \d+\.\n$/,
    /^$/,
  ],
  [['check', 'clinical'], 0, /^All valid/, /^$/],
  [['check', 'clinical/scales/barthel'], 0, /^All valid/, /^$/],
  [['check', 'clinical/models/lace/lace.json'], 0, /^All valid/, /^$/],
  [['check', sound], 0, /^All valid: \d+ fields, 51 scales, 8 models/, /^$/],
  [['check', join(sound, 'models/toy')], 0, /^All valid/, /^$/],
  [['check', join(sound, 'scales/grip/cases.json')], 0, /^All valid/, /^$/],
  [['check', config(sound, 'toy')], 0, /1 deployments/, /^$/],
  [['check', config(sound, 'tay')], 1, /^$/, /there is no model tay.*\[unknown-model\]/],
  [
    ['check', bad],
    1,
    /^$/,
    /grip\.json at \/bands\/0\/bands: .*\[band-gap\]\n.*toy\.json at .*\[[\s\S]*faults found\.\n$/,
  ],
  [
    ['check', join(bad, 'scales/grip')],
    1,
    /^$/,
    /^.*grip\.json at \/bands\/0\/bands: no band holds 4, .*\[band-gap\]\n1 fault found\.\n$/,
  ],
  [['check', join(folder, 'nothing')], 2, /^$/, /There is nothing at .*\nTry: patient-risk check --help/],
  [['check', '--loud'], 2, /^$/, /--loud/],
  [['check', '--help'], 0, /^Usage: patient-risk check/, /^$/],
  [['models'], 0, /^MODEL +TITLE +HORIZON +READY\n(.*\n){7}$/, /^$/],
  [
    ['models', 'lace'],
    0,
    /^# LACE index, 2010\n[\s\S]*## From score to risk[\s\S]*\| 19 +\| 43\.7 % \|/,
    /^$/,
  ],
  [['models', 'lace@1.1.1'], 0, /^# LACE index, 2010\n/, /^$/],
  [['models', 'nope'], 1, /^$/, /There is no model called nope\. There are charlson10y@1\.0\.2/],
  [['models', 'lace', 'walter'], 2, /^$/, /One name at a time/],
  [['models', 'lace', '--tree', '1'], 1, /^$/, /lace has no tree 1\./],
  [['models', '--help'], 0, /^Usage: patient-risk models/, /^$/],
  [['scales'], 0, /^SCALE +VERSION +TITLE +ITEMS +VERIFIED\n(.*\n){49}$/, /^$/],
  [['scales', 'zarit'], 0, /> \*\*Not verified\.\*\*/, /^$/],
  [['scales', 'Barthel'], 1, /^$/, /There is no scale called Barthel\. Did you mean barthel\?/],
  [['scales', '--help'], 0, /^Usage: patient-risk scales/, /^$/],
  [['template', 'nope'], 1, /^$/, /There is no model called nope/],
  [
    ['sql', '--dialect', 'duckdb', '--model', 'nope'],
    1,
    /^$/,
    /^There is no model called nope\. There are charlson10y/,
  ],
  [['template'], 2, /^$/, /Name one model/],
  [['template', '--help'], 0, /^Usage: patient-risk template/, /^$/],
  [
    ['template', 'inouye', '--csv'],
    0,
    /^idx,age,charlson_total,inpatientAdmissions,primaryCareVisits12Months,unmarried\n$/,
    /^$/,
  ],
]
for (const [args, code, out, err] of RUNS) {
  test(`patient-risk ${args.join(' ').replaceAll(folder, '…')} exits ${code}`, async () => {
    const result = await run(args)
    assert.match(result.err, err)
    assert.match(result.out, out)
    assert.equal(result.code, code)
  })
}

test('one file alone is checked beside the library, and takes the place of its own twin', async () => {
  const alone = join(folder, 'alone')
  mkdirSync(alone)
  cpSync('clinical/scales/barthel/barthel.json', join(alone, 'mine.json'))
  cpSync('clinical/scales/barthel/cases.json', join(alone, 'cases.json'))
  assert.equal((await run(['check', join(alone, 'mine.json')])).code, 0)
  for (const text of ['{"hello": 1}', 'null', '[]', '7']) {
    writeFileSync(join(alone, 'note.json'), text)
    const { code, out, err } = await run(['check', join(alone, 'note.json')])
    assert.match(err, /note\.json: .*\[unknown-kind\]/, text)
    assert.deepEqual([code, out], [1, ''])
  }
  assert.match((await run(['check', alone])).err, /\[file-missing\]/)
})

test('faults as JSON carry file, path, rule and message', async () => {
  const { code, out } = await run(['check', join(bad, 'models/toy'), '--json'])
  assert.equal(code, 1)
  const faults = JSON.parse(out) as Record<string, string>[]
  assert.deepEqual(
    faults.map(({ path, rule }) => [path, rule]),
    [
      ['/inputs/falls/from', 'narrowing'],
      ['/inputs/dizzy', 'absence'],
      ['/inputs/grip_total', 'unknown-field'],
      ['/scales/grip', 'unknown-scale'],
    ],
  )
  for (const fault of faults) assert.deepEqual(Object.keys(fault).sort(), ['file', 'message', 'path', 'rule'])
  assert.equal((await run(['check', '--json'])).out, '[]\n')
})

test('models and scales of a further folder are shown too, also as JSON', async () => {
  const env = { CONFIG: config(sound, 'toy') }
  assert.match((await run(['models', 'toy'], env)).out, /^# Toy\n/)
  const [own] = (JSON.parse((await run(['models', '--json'], env)).out) as Record<string, unknown>[]).filter(
    ({ id }) => id === 'toy',
  )
  assert.deepEqual([own?.['version'], own?.['ready'], own?.['released']], ['1.0.0', true, false])
  const scale = JSON.parse((await run(['scales', 'grip', '--json'], env)).out) as {
    fields: { name: string; values: number[] }[]
  }
  assert.deepEqual(
    scale.fields.find(({ name }) => name === 'grip_total')?.values,
    [0, 1, 2, 3, 4, 5, 6, 7, 8],
  )
})

test('a template that is not filled in gets no number, and names every field', async () => {
  const [record = {}] = JSON.parse((await run(['template', 'profund', '--items'])).out) as Record<
    string,
    unknown
  >[]
  assert.equal(record['idx'], 1)
  assert.equal(Object.keys(record).filter((name) => name.startsWith('barthel_')).length, 10)
  assert.ok(Object.entries(record).every(([name, value]) => name === 'idx' || /^<.+>$/.test(String(value))))
})

test('the service does not start with a bad definition in an extra folder', () => {
  const { code, err, out } = runProgram(['serve'], { CONFIG: config(bad, 'toy') }, 'bin/patient-risk.js')
  assert.equal(code, 1)
  assert.match(err, /grip\.json at \/bands\/0\/bands: .*\[band-gap\]/)
  assert.equal(out, '')
})

test('the service does not start with a bad definition in clinical/', () => {
  const copy = join(folder, 'checkout')
  copyCheckout(copy)
  cpSync(join(bad, 'scales/grip'), join(copy, 'clinical/scales/grip'), { recursive: true })
  const { code, err, out } = runProgram(['serve'], {}, join(copy, 'bin/patient-risk.js'))
  assert.equal(code, 1)
  assert.match(err, /clinical\/scales\/grip\/grip\.json at \/bands\/0\/bands: .*\[band-gap\]/)
  assert.equal(out, '')
})
