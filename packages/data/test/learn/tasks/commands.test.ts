/** The commands of learn: invalid arguments, models that must pass their checks, and files that are written completely or not at all. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  UsageError,
  learnDrift,
  learnValidate,
  learnFit,
  refuseTaken,
  writeModel,
  writeWhole,
} from 'patient-risk/cli'
import { DataError } from '../../../src/tables/data-error.ts'
import { driftModel } from '../../../src/learn/tasks/drift-model.ts'
import { fitModel } from '../../../src/learn/tasks/fit-model.ts'
import type { Report } from '../../../src/learn/report/report.ts'
import { readSpecification } from '../../../src/learn/data/specification.ts'
import { runHere } from '../../../../../test/support/run-command.ts'
import {
  CATALOG,
  SPECIFICATION,
  csvOf,
  fileWith,
  fitInput,
  inventRows,
  newFolder,
} from '../../../../../test/support/learning.ts'

const WRONG_NUMBERS = {
  '--threshold': ['0', '1', '1.5', '-0.2', 'half', ''],
  '--samples': ['-1', '2.5', 'many'],
} as const
for (const [option, wrong] of Object.entries(WRONG_NUMBERS)) {
  for (const word of wrong) {
    test(`${option} ${word} is wrong usage`, async () => {
      const args = ['--model', 'lace', '--data', 'a.csv', '--outcome', 'died', `${option}=${word}`]
      await assert.rejects(learnValidate.run(args), UsageError)
    })
  }
}

test('a specification with a key that is written twice is refused, and the line is named', () => {
  const path = fileWith(
    'twice.json',
    '{"data":{"outcome":{"column":null}},\n"data":{"outcome":{"column":null}}}',
  )
  assert.throws(() => readSpecification(path), /twice\.json: the key "data" occurs twice .* in line 2/)
})

const input = fitInput(fileWith('rows.csv', csvOf(inventRows(400, 8))))
const made = await fitModel(input)

test('a model that fails one of its cases is not written', () => {
  const out = join(newFolder(), 'out')
  const [first, ...others] = made.cases
  const cases = [{ ...first, risk: 0.9999, unrounded: 0.9999 }, ...others] as typeof made.cases
  assert.throws(() => writeModel(CATALOG, { ...made, cases }, out), DataError)
  assert.equal(existsSync(out), false)
})

test('a folder that is there, and a version that the catalogue has, are refused', () => {
  const out = newFolder()
  mkdirSync(join(out, 'models', 'mine@1.0.0'), { recursive: true })
  assert.throws(() => refuseTaken(CATALOG, 'mine@1.0.0', out, false), /mine@1\.0\.0 exists already/)
  assert.throws(
    () => refuseTaken(CATALOG, 'lace@1.1.1', newFolder(), false),
    /has a model lace@1\.1\.1 already/,
  )
})

test('a folder that cannot be written whole is not written at all', () => {
  const folder = newFolder()
  const files = { 'a.json': '{}', 'no/such/folder.json': '{}' }
  assert.throws(() => writeWhole({ [join(folder, 'models', 'x')]: files }), /cannot be written \(ENOENT\)/)
  assert.deepEqual(readdirSync(join(folder, 'models')), [])
  const taken = join(folder, 'taken')
  mkdirSync(taken)
  assert.throws(() => writeWhole({ [taken]: 'x', [join(folder, 'b')]: 'y' }), /taken cannot be written/)
  assert.deepEqual(readdirSync(folder).sort(), ['models', 'taken'])
})

const WRITTEN = [
  ['a folder', `writeWhole({ [folder + '/x']: files('a.json', 'b.json') })`, ['x']],
  ['a report', `writeWhole(files(folder + '/a.json', folder + '/b.html'))`, ['a.json', 'b.html']],
] as const
for (const [name, call, expected] of WRITTEN) {
  test(`Ctrl-C while ${name} is written waits until it is whole`, () => {
    const folder = newFolder()
    const source = new URL('../../../../patient-risk/src/cli/learn/write-output.ts', import.meta.url).href
    const script = `
      import { writeWhole } from ${JSON.stringify(source)}
      const folder = ${JSON.stringify(folder)}
      const files = (one, other) => ({
        [one]: '{}',
        get [other]() { process.kill(process.pid, 'SIGINT'); return '{}' },
      })
      ${call}`
    const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', script])
    assert.equal(status, 0)
    assert.deepEqual(readdirSync(folder), expected)
  })
}

test('a model without a profile has nothing to drift from', async () => {
  const lace = CATALOG.models.get('lace@1.1.1')
  assert.ok(lace !== undefined)
  await assert.rejects(driftModel(input, lace.definition), /carries no development profile/)
})

test('drift: an input that no record carries lies above every limit', async () => {
  const rows = inventRows(300, 4)
  const line = (row: (typeof rows)[number], stay: string): string =>
    `${row.age},${row.sex},${row.admissions},0,${stay}`
  const header = 'age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'
  const file = (stay: (own: number) => string): string =>
    fileWith('a.csv', `${[header, ...rows.map((row) => line(row, stay(row.stay)))].join('\n')}\n`)
  const args = ['--model', 'readmission30', '--limit', '100', '--json', '--data']
  assert.equal(await learnDrift.run([...args, file(String)]), 0)
  assert.equal(await learnDrift.run([...args, file(() => '')]), 1)
})

test('drift names an input that is probably in another unit', async () => {
  const profund = CATALOG.models.get('profund@1.0.2')
  assert.ok(profund !== undefined)
  const risk = { cuts: [], shares: [1] }
  const inputs = { haemoglobin: { cuts: [10, 12, 15], shares: [0.1, 0.2, 0.6, 0.1], missing: 0 } }
  const model = { ...profund.definition, profile: { data: 'd', rows: 100, inputs, risk } }
  const doubtsAt = async (haemoglobin: number): Promise<readonly string[]> => {
    const names = Object.keys(model.inputs)
    const row = names.map((name) => (name === 'haemoglobin' ? haemoglobin : '')).join(',')
    const path = fileWith('hb.csv', `${names.join(',')}\n${`${row}\n`.repeat(100)}`)
    return (await driftModel({ ...input, path, data: { outcome: { column: null } } }, model)).doubts
  }
  assert.deepEqual(await doubtsAt(13), [])
  // What the range refuses counts too: these are the values in another unit.
  assert.match((await doubtsAt(121))[0] ?? '', /fits g\/L better/)
  const [doubt, ...others] = await doubtsAt(8.1)
  assert.match(
    doubt ?? '',
    /^haemoglobin: the median of 100 values is 8\.\d+, which fits mmol\/L better than g\/dL/,
  )
  assert.deepEqual(others, [])
})

test('a specification without a model cannot be fitted', async () => {
  const specification = fileWith('spec.json', JSON.stringify({ data: SPECIFICATION.data }))
  const out = newFolder()
  const args = ['learn', 'fit', '--specification', specification, '--data', input.path, '--out', out]
  const { code, err } = await runHere(args)
  assert.deepEqual(
    [code, err],
    [1, `${specification}: has no \`model\` to be fitted\nNothing was written.\n`],
  )
  assert.deepEqual(readdirSync(out), [])
})

test('a fit keeps its specification: validation finds it there and corrects for optimism, and drift its columns', async () => {
  const out = newFolder()
  const specification = fileWith('spec.json', JSON.stringify(SPECIFICATION))
  assert.equal(await learnFit.run(['--specification', specification, '--data', input.path, '--out', out]), 0)
  const kept = JSON.parse(
    readFileSync(join(out, 'models/invented@1.0.0/specification.json'), 'utf8'),
  ) as object
  assert.deepEqual(kept, SPECIFICATION)
  const config = join(out, 'config.json')
  const deployment = { name: 'own', basePath: '/', model: 'invented', output: 'number' }
  writeFileSync(config, JSON.stringify({ clinical: [out], deployments: [deployment] }))
  const report = join(out, 'report')
  process.env['CONFIG'] = config
  try {
    const args = ['--model', 'invented', '--data', input.path, '--samples', '20', '--report', report]
    assert.equal(await learnValidate.run(args), 0)
    // Records in service: the columns of the specification, without outcome and patient.
    const [, ...lines] = readFileSync(input.path, 'utf8').trimEnd().split('\n')
    const records = ['age,sex,admissions,stay', ...lines.map((line) => line.split(',').slice(1, 5).join(','))]
    const service = fileWith('service.csv', `${records.join('\n')}\n`)
    assert.equal(await learnDrift.run(['--model', 'invented', '--data', service, '--limit', '0.01']), 0)
  } finally {
    delete process.env['CONFIG']
  }
  const { optimism } = JSON.parse(readFileSync(`${report}.json`, 'utf8')) as Report
  assert.equal(optimism?.ownData, true)
  assert.ok(optimism.cStatistic.corrected < optimism.cStatistic.apparent)
})

test('rows that lack an input with a stated value are counted in the report', async () => {
  const rows = inventRows(400, 8).map((row, index) => ({
    ...row,
    stay: index % 5 === 0 ? ('' as never) : row.stay,
  }))
  const whenAbsent = { ...SPECIFICATION.model.inputs, stayDays: { whenAbsent: 4, why: 'Not known.' } }
  const model = { ...SPECIFICATION.model, inputs: whenAbsent }
  const { report } = await fitModel(fitInput(fileWith('a.csv', csvOf(rows)), { model }))
  assert.deepEqual(report.data.assumed, [{ input: 'stayDays', rows: 80 }])
})

test('the example of an own model is fitted from its file, Windows line ends, commas and all', async () => {
  const folder = 'examples/own-model'
  assert.match(readFileSync(`${folder}/discharges.csv`, 'utf8'), /^\uFEFFpatient;[^\n]*\r\n/)
  const { data, model, fit } = readSpecification(`${folder}/specification.json`)
  assert.ok(model !== undefined)
  const path = `${folder}/discharges.csv`
  const { report, definition } = await fitModel({
    ...input,
    data,
    model,
    options: { ...fit, bootstrap: 0 },
    path,
  })
  assert.deepEqual(report.data.leftOut, [
    { reason: 'died in hospital', rows: 17 },
    { reason: 'age missing', rows: 10 },
  ])
  assert.equal(report.figures.patients, 646)
  assert.deepEqual(
    definition.terms.map(({ kind }) => kind),
    ['spline', 'category', 'logarithm', 'logarithm', 'banded', 'linear', 'absent'],
  )
})
