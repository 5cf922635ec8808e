/** Data and specifications that cannot be used: a sentence with the place, exit code 1, and nothing written. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { DataError } from '../../../src/tables/data-error.ts'
import { fitModel } from '../../../src/learn/tasks/fit-model.ts'
import { checkSpecification } from '../../../src/learn/data/specification.ts'
import { writeParquet } from '../../../../../test/support/table-files.ts'
import { COMPILED, runHere } from '../../../../../test/support/run-command.ts'
import { until } from '../../../../../test/support/until.ts'
import {
  HEADER,
  SPECIFICATION,
  csvOf,
  fileWith,
  fitInput,
  inventRows,
  newFolder,
} from '../../../../../test/support/learning.ts'

const rows = inventRows(300, 3)
const good = csvOf(rows)
const lines = good.trimEnd().split('\n')

async function learn(args: readonly string[]): Promise<{ status: number | null; text: string }> {
  const { code, out, err } = await runHere(['learn', ...args])
  return { status: code, text: out + err }
}

async function fit(
  data: string,
  specification: object,
): Promise<{ status: number | null; text: string; out: string }> {
  const out = join(newFolder(), 'out')
  const args = [
    'fit',
    '--specification',
    fileWith('spec.json', JSON.stringify(specification)),
    '--data',
    data,
    '--out',
    out,
  ]
  return { ...(await learn(args)), out }
}

const change = (part: object, model: object = {}): object => ({
  ...SPECIFICATION,
  data: { ...SPECIFICATION.data, ...part },
  model: { ...SPECIFICATION.model, ...model },
})
const withLine = (number: number, text: string): string => lines.with(number - 1, text).join('\n')
const mapped = (map: (row: (typeof rows)[number]) => (typeof rows)[number]): string => csvOf(rows.map(map))

const ONE_COLUMN = {
  ...SPECIFICATION,
  data: {
    ...SPECIFICATION.data,
    patient: undefined,
    columns: Object.fromEntries(
      Object.keys(SPECIFICATION.data.columns).map((field) => [field, { constant: null }]),
    ),
  },
}
const twoRows = fileWith('two-rows.parquet', '')
await writeParquet(twoRows, { age: 'INTEGER', died: 'INTEGER' }, [
  { age: 70, died: 0 },
  { age: 71, died: 1 },
])
const noRows = fileWith('no-rows.parquet', '')
await writeParquet(noRows, { died: 'INTEGER' }, [])

const JSON_ROW = '{"patient":1,"age":70,"sex":"F","admissions":0,"stay":2,"died":0}'

const REFUSED: readonly (readonly [string, () => string, object, RegExp])[] = [
  [
    'an unknown column',
    () => fileWith('a.csv', good),
    change({ patient: 'nobody' }),
    /there is no column nobody; there are patient, age, sex/,
  ],
  [
    'several unknown columns at once',
    () => fileWith('a.ndjson', '{"age":70}\n'),
    SPECIFICATION,
    /there is no column died, patient, sex, admissions, stay; there are age\. A specification says/,
  ],
  [
    'a column that stands there twice',
    () => fileWith('a.csv', good.replace('patient,age', 'age,age')),
    change({ patient: undefined }),
    /line 1: columns 1 and 2 of the header have the same name/,
  ],
  [
    'an unknown column of a Parquet file',
    () => twoRows,
    SPECIFICATION,
    /there is no column patient, sex, admissions, stay; there are age, died/,
  ],
  ['a Parquet file without rows', () => noRows, ONE_COLUMN, /no rows are left to learn from/],
  [
    'NDJSON without an object',
    () => fileWith('a.ndjson', '[1,2]\nage,sex\n'),
    SPECIFICATION,
    /a\.ndjson: no line is a JSON object; the file may have another format/,
  ],
  ['an empty file of NDJSON', () => fileWith('a.ndjson', '\n \n'), SPECIFICATION, /a\.ndjson: is empty/],
  [
    'a text of NDJSON that the map does not list, and an outcome that is not listed',
    () =>
      fileWith(
        'a.ndjson',
        `${JSON_ROW}\n\n${JSON_ROW.replace('"F"', '"X"').replace('"died":0', '"died":"maybe"')}`,
      ),
    change({ columns: { ...SPECIFICATION.data.columns, sex: { column: 'sex', map: { F: 'F' } } } }),
    /line 3, column died: the outcome is listed neither[^]*line 3, column sex: has a value that `map` does not list/,
  ],
  [
    'a text that the map does not list',
    () => fileWith('a.csv', good),
    change({ columns: { ...SPECIFICATION.data.columns, sex: { column: 'sex', map: { F: 'F' } } } }),
    /column sex: has a value that `map` does not list/,
  ],
  [
    'a decimal comma that nobody announced',
    () => fileWith('a.csv', withLine(8, '1,"70,5",F,0,3,0')),
    SPECIFICATION,
    /line 8, column age: is not a number;.*where a comma marks the decimals, say "decimalComma": true/,
  ],
  [
    'a decimal point where the comma marks the decimals',
    () => fileWith('a.csv', withLine(8, '1,70,F,0,1.5,0')),
    change({ decimalComma: true }),
    /line 8, column stay: is not a number/,
  ],
  [
    'a number that may be one or a thousand',
    () => fileWith('a.csv', withLine(8, '1,70,F,0,1.000,0')),
    SPECIFICATION,
    /line 8, column stay: may be one or a thousand/,
  ],
  [
    'a group of too many values',
    () => fileWith('a.csv', good),
    change({ groups: ['patient'] }),
    /column patient: has more than 60 values/,
  ],
  [
    'a curve over too few values',
    () =>
      fileWith(
        'a.csv',
        mapped((row) => ({ ...row, stay: 1 + (row.stay % 2) })),
      ),
    change(
      {},
      { terms: [...SPECIFICATION.model.terms.slice(0, 3), { kind: 'spline', field: 'stayDays', knots: 4 }] },
    ),
    /stayDays takes too few values for a curve with 4 knots/,
  ],
  [
    'a term whose field is no input',
    () => fileWith('a.csv', good),
    change({}, { terms: [...SPECIFICATION.model.terms, { kind: 'linear', field: 'emergencyAdmissions' }] }),
    /emergencyAdmissions has a term and is not among the inputs/,
  ],
  [
    'text in a number',
    () => fileWith('a.csv', withLine(8, '1,old,F,0,3,0')),
    SPECIFICATION,
    /line 8, column age: is not a number/,
  ],
  [
    'an outcome that is not listed',
    () => fileWith('a.csv', withLine(5, '1,70,F,0,3,maybe')),
    SPECIFICATION,
    /line 5, column died: the outcome is listed neither/,
  ],
  [
    'an outcome with one value',
    () =>
      fileWith(
        'a.csv',
        mapped((row) => ({ ...row, died: 0 })),
      ),
    SPECIFICATION,
    /column died: the outcome has one value only \(0 events in 300 rows\)/,
  ],
  [
    'a constant input',
    () =>
      fileWith(
        'a.csv',
        mapped((row) => ({ ...row, stay: 4 })),
      ),
    SPECIFICATION,
    /“stayDays” is the same in every row/,
  ],
  [
    'perfect separation',
    () =>
      fileWith(
        'a.csv',
        mapped((row) => ({ ...row, died: row.sex === 'M' ? 1 : row.died })),
      ),
    SPECIFICATION,
    /“sex = M” predicts the outcome perfectly/,
  ],
  [
    'collinear inputs',
    () => fileWith('a.csv', good),
    change({}, { terms: [...SPECIFICATION.model.terms, { kind: 'linear', field: 'age' }] }),
    /“age” follows from “age”|collinear/,
  ],
  [
    'a line cut off',
    () => fileWith('a.csv', `${good}12,70,F`),
    SPECIFICATION,
    /line 302: the row has fewer cells than the header; the file may be cut off/,
  ],
  [
    'an open quote',
    () => fileWith('a.csv', `${good}12,"70,F,0,3,1\n`),
    SPECIFICATION,
    /line 302: the quote is not closed; the file may be cut off/,
  ],
  [
    'a gzipped file cut off',
    () => fileWith('a.csv.gz', gzipSync(good).subarray(0, 900)),
    SPECIFICATION,
    /is not a whole gzip file: it is cut off or damaged/,
  ],
  [
    'a file that is no Parquet',
    () => fileWith('a.parquet', good),
    SPECIFICATION,
    /cannot be read as Parquet/,
  ],
  ['an empty file', () => fileWith('a.csv', ''), SPECIFICATION, /is empty/],
  ['a header alone', () => fileWith('a.csv', `${HEADER}\n`), SPECIFICATION, /no rows are left to learn from/],
  ['no file', () => '/nowhere/a.csv', SPECIFICATION, /there is no such file/],
  ['another kind of file', () => fileWith('a.docx', 'x'), SPECIFICATION, /the name must end in \.csv/],
  [
    'a code without rows',
    () => fileWith('a.csv', good),
    change({}, { inputs: { ...SPECIFICATION.model.inputs, sex: {} } }),
    /“sex = X” is the same in every row/,
  ],
  [
    'a field that nobody knows',
    () => fileWith('a.csv', good),
    change({}, { inputs: { ...SPECIFICATION.model.inputs, shoeSize: {} } }),
    /there is no field called shoeSize/,
  ],
  [
    'an unknown kind of term',
    () => fileWith('a.csv', good),
    change({}, { terms: [{ kind: 'cubic', field: 'age' }] }),
    /\/model\/terms\/0\/kind: must be one of linear/,
  ],
  [
    'an unknown figure in a text',
    () => fileWith('a.csv', good),
    change({}, { card: { ...SPECIFICATION.model.card, development: '{rowz}' } }),
    /there is no figure \{rowz\}; there are rows/,
  ],
]

async function reasonsOf(data: string, specification: object): Promise<string> {
  try {
    await fitModel(fitInput(data, checkSpecification(specification)))
    return 'not refused'
  } catch (error) {
    if (!(error instanceof DataError)) throw error
    return error.reasons.join('\n')
  }
}

for (const [name, data, specification, message] of REFUSED) {
  test(`refused: ${name}`, async () => assert.match(await reasonsOf(data(), specification), message))
}

test('a refusal ends with exit code 1, says so, and nothing is written', async () => {
  const { status, text, out } = await fit(fileWith('a.csv', withLine(8, '1,old,F,0,3,0')), SPECIFICATION)
  assert.match(text, /line 8, column age: is not a number/)
  assert.match(text, /Nothing was written\./)
  assert.equal(status, 1)
  assert.equal(existsSync(out), false)
})

test('no value of the data is quoted in a refusal', async () => {
  const text = await reasonsOf(fileWith('a.csv', withLine(8, '1,Sra. García,F,0,3,0')), SPECIFICATION)
  assert.doesNotMatch(text, /García/)
})

test('at most ten faults are listed, each with its line', async () => {
  const bad = lines
    .map((line, index) => (index > 0 && index < 40 ? line.replace(/^\d+,\d+/, '1,x') : line))
    .join('\n')
  const text = await reasonsOf(fileWith('a.csv', bad), SPECIFICATION)
  assert.equal(text.match(/is not a number/g)?.length, 10)
  assert.match(text, /line 2, column age/)
})

test('a name that is taken is refused before any work, and --replace writes over it', async () => {
  const out = newFolder()
  const specification = fileWith('spec.json', JSON.stringify(SPECIFICATION))
  const args = ['fit', '--specification', specification, '--data', fileWith('a.csv', good), '--out', out]
  assert.equal((await learn(args)).status, 0)
  const again = await learn(args)
  assert.equal(again.status, 1)
  assert.match(again.text, /exists already|has a model invented@1\.0\.0 already/)
  assert.equal((await learn([...args, '--replace'])).status, 0)
  assert.deepEqual(readdirSync(join(out, 'models')), ['invented@1.0.0'])
})

test('Ctrl-C in the middle leaves no files', async () => {
  const folder = newFolder()
  const data = join(folder, 'a.csv')
  writeFileSync(data, csvOf(inventRows(30_000, 1)))
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  const out = join(folder, 'out')
  const specification = fileWith('spec.json', JSON.stringify({ ...SPECIFICATION, fit: { bootstrap: 5000 } }))
  const args = [
    'packages/patient-risk/src/cli/main.ts',
    'learn',
    'fit',
    '--specification',
    specification,
    '--data',
    data,
    '--out',
    out,
  ]
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: { ...COMPILED, TMPDIR: temporary } })
  const ended = new Promise<string | null>((resolve) => child.on('exit', (_code, signal) => resolve(signal)))
  // The folder for temporary files is there while the table is read; then the samples are drawn.
  await until(() => readdirSync(temporary).length > 0, { what: 'the table to be opened' })
  await until(() => readdirSync(temporary).length === 0, { what: 'the table to be read' })
  child.kill('SIGINT')
  assert.equal(await ended, 'SIGINT')
  assert.equal(existsSync(out), false)
})

const WRONG_USAGE = [
  ['fit'],
  ['validate', '--model', 'lace'],
  ['recalibrate', '--model', 'lace', '--data', 'a.csv', '--out', 'o', '--method', 'guess'],
  ['validate', '--model', 'lace', '--data', 'a.csv'],
]
for (const args of WRONG_USAGE) {
  test(`wrong usage: learn ${args.join(' ')}`, async () => assert.equal((await learn(args)).status, 2))
}
