/** Codes of a deployment in files: tables of text and with types, JSON and lines, and what a specification says instead. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Codes } from 'patient-risk-engine'
import { testCatalog } from '../../../../../test/support/serve.ts'
import { writeParquet } from '../../../../../test/support/table-files.ts'
import type { ColumnOptions } from '../../../src/bulk/tables/table-source.ts'
import type { Format } from '../../../src/tables/formats.ts'
import { deploymentOf, scoreFile } from '../score-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'codes-'))
after(() => rmSync(folder, { recursive: true }))
const catalog = testCatalog()
const output = join(folder, 'out.ndjson')

interface Scored {
  readonly risk: number | null
  readonly notices?: unknown
}

async function risks(
  input: string,
  from: Format,
  codes: Codes,
  model: string,
  columnOptions: Partial<ColumnOptions> = {},
): Promise<readonly Scored[]> {
  const deployment = deploymentOf(catalog, { model, codes })
  const common = { catalog, deployment, today: 20_260_601, to: 'ndjson', output } as const
  await scoreFile({ ...common, input, from, columnOptions, parts: ['range'] })
  const withParts = readFileSync(output, 'utf8')
  await scoreFile({ ...common, input, from, columnOptions })
  const lines = readFileSync(output, 'utf8').trim().split('\n')
  const results = lines.map((line) => JSON.parse(line) as Scored)
  const again = withParts
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Scored & { readonly range: unknown })
  // What it rests on comes from the engine, and the risk from SQL: a code means the same to both.
  assert.deepEqual(
    again.map(({ risk }) => risk),
    results.map(({ risk }) => risk),
  )
  for (const { risk, range } of again) if (risk !== null) assert.equal(range, null)
  return results
}

const RECORD = { age: 84, inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const CODES: Codes = { sex: { H: 'M', M: 'F', 1: 'M', 2: 'F', 9: null } }
const TEXTS = ['H', 'M', ' M ', 'X', 'F', '1', '1.0', '2', '2.00', '9', '3', 'h', '']
const F = 'F'
const M = 'M'
const MEANT = [M, F, F, 'X', undefined, M, M, F, F, undefined, undefined, undefined, undefined]

async function plainRisk(sex: string | undefined): Promise<number | null> {
  if (sex === undefined) return null
  const path = join(folder, 'plain.ndjson')
  writeFileSync(path, `${JSON.stringify({ idx: 1, ...RECORD, sex })}\n`)
  const [result] = await risks(path, 'ndjson', {}, 'readmission30')
  return result?.risk ?? null
}

test('cells of CSV', async () => {
  const path = join(folder, 'in.csv')
  const rows = TEXTS.map((sex, idx) => [idx, ...Object.values(RECORD), sex].join(';'))
  writeFileSync(path, ['idx;age;inpatientAdmissions;emergencyAdmissions;stayDays;sex', ...rows].join('\n'))
  const expected: (number | null)[] = []
  for (const each of MEANT) expected.push(await plainRisk(each))
  const results = await risks(path, 'csv', CODES, 'readmission30')
  assert.deepEqual(
    results.map(({ risk }) => risk),
    expected,
  )
})

test('JSON and lines', async () => {
  const values: readonly unknown[] = ['H', 'M', 1, 1.0, '1', 2, 9, 'F', true, null]
  const meant = [M, F, M, M, M, F, undefined, undefined, undefined, undefined]
  const records = values.map((sex, idx) => ({ idx, ...RECORD, sex }))
  const expected: (number | null)[] = []
  for (const each of meant) expected.push(await plainRisk(each))
  for (const [name, from, text] of [
    ['in.json', 'json', JSON.stringify(records)],
    ['in.ndjson', 'ndjson', records.map((each) => JSON.stringify(each)).join('\n')],
  ] as const) {
    const path = join(folder, name)
    writeFileSync(path, text)
    const results = await risks(path, from, CODES, 'readmission30')
    assert.deepEqual(
      results.map(({ risk }) => risk),
      expected,
    )
  }
})

test('numbers in a column of Parquet', async () => {
  const path = join(folder, 'in.parquet')
  const names = ['idx', ...Object.keys(RECORD), 'sex']
  const rows = [1, 2, 9, 3, null].map((sex, idx) => ({ idx, ...RECORD, sex }))
  await writeParquet(path, Object.fromEntries(names.map((name) => [name, 'INTEGER'])), rows)
  const results = await risks(path, 'parquet', CODES, 'readmission30')
  const expected = [await plainRisk(M), await plainRisk(F), null, null, null]
  assert.deepEqual(
    results.map(({ risk }) => risk),
    expected,
  )
})

/** Codes of a yes/no field; cells, and what each means. */
const YES_NO: readonly (readonly [Codes, readonly (readonly [string, boolean | undefined])[]])[] = [
  [
    { unmarried: { S: true, N: false } },
    [
      ['S', true],
      ['N', false],
      // A code stands for it, so the word could mean either.
      ['yes', undefined],
      ['true', undefined],
      ['0', undefined],
    ],
  ],
  [
    { unmarried: { 1: false, 2: true } },
    [
      ['1', false],
      ['2', true],
      ['1.0', false],
      ['s', undefined],
    ],
  ],
  [
    { unmarried: { J: true } },
    [
      ['J', true],
      ['no', false],
      ['FALSE', false],
      ['yes', undefined],
    ],
  ],
  // A code that is called like a word of ours: other words for the same do not become that code.
  [
    { unmarried: { true: false } },
    [
      ['true', false],
      ['yes', undefined],
      ['no', undefined],
    ],
  ],
]
for (const [codes, cells] of YES_NO) {
  test(`yes and no in CSV with ${JSON.stringify(codes)}`, async () => {
    const head = 'idx,age,charlson_total,inpatientAdmissions,primaryCareVisits12Months,unmarried'
    const scoreCells = async (
      texts: readonly string[],
      using: Codes,
    ): Promise<readonly (number | null)[]> => {
      const path = join(folder, 'yes-no.csv')
      const rows = texts.map((text, idx) => `${idx},84,2,1,3,${text}`)
      writeFileSync(path, [head, ...rows].join('\n'))
      return (await risks(path, 'csv', using, 'inouye')).map(({ risk }) => risk)
    }
    const [yes, no] = await scoreCells(['true', 'false'], {})
    assert.notEqual(yes, no)
    const expected = cells.map(([, meant]) => (meant === undefined ? null : meant ? yes : no))
    assert.deepEqual(
      await scoreCells(
        cells.map(([text]) => text),
        codes,
      ),
      expected,
    )
  })
}

test('a value map of a specification gives values of ours, and codes are not applied to them again', async () => {
  const path = join(folder, 'mapped.csv')
  const rows = ['Hombre', 'Mujer'].map((sex, idx) => [idx, ...Object.values(RECORD), sex].join(','))
  writeFileSync(path, ['idx,age,inpatientAdmissions,emergencyAdmissions,stayDays,sexo', ...rows].join('\n'))
  const rules = { sex: { column: 'sexo', map: { Hombre: 'M', Mujer: 'F' } } }
  const results = await risks(path, 'csv', CODES, 'readmission30', { rules })
  assert.deepEqual(
    results.map(({ risk }) => risk),
    [await plainRisk(M), await plainRisk(F)],
  )
})
