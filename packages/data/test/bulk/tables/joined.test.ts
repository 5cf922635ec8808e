/** Small Parquet files of one shape are scored together: the results are those of the same rows in CSV files, which are not. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { runHere } from '../../../../../test/support/run-command.ts'
import { writeParquet } from '../../../../../test/support/table-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'joined-'))
after(() => rmSync(folder, { recursive: true }))

const TYPES = {
  idx: 'BIGINT',
  age: 'BIGINT',
  sex: 'VARCHAR',
  inpatientAdmissions: 'BIGINT',
  emergencyAdmissions: 'BIGINT',
  stayDays: 'BIGINT',
  haemoglobin: 'DOUBLE',
}
type Row = Readonly<Partial<Record<keyof typeof TYPES | 'file_row_number', number | string | null>>>

const row = (idx: number | null, more: Row = {}): Row => ({
  idx,
  age: 70,
  sex: 'F',
  inpatientAdmissions: 1,
  emergencyAdmissions: 1,
  stayDays: 5,
  haemoglobin: 12.5,
  ...more,
})

type Files = Readonly<Record<string, readonly Row[]>>
const several = (first: number, more: Row = {}): readonly Row[] =>
  Array.from({ length: 60 }, (_each, place) => row(first + place, more))

/** DuckDB's own column of that name says which row it is, and so which rows are looked at for a unit. */
const FAR = { file_row_number: 9_000_000 }

/** What is scored · its files · columns that they all lack · options. */
const CASES: readonly (readonly [string, Files, readonly string[], readonly string[]])[] = [
  [
    'rows without an idx, an idx twice, and a kept column',
    { a: [row(1), row(null), row(2)], b: [row(null), row(1, { age: 300 }), row(null)] },
    [],
    ['--keep', 'sex'],
  ],
  ['numbered rows', { a: [row(0), row(0, { age: 17 })], b: [], c: [row(0, { age: 300 })] }, ['idx'], []],
  [
    'files with another unit',
    { a: several(0), b: several(100, { haemoglobin: 8.1 }) },
    [],
    ['--deployment', 'mortality'],
  ],
]

function csvOf(rows: readonly Row[], names: readonly string[]): string {
  const cells = rows.map((each) => names.map((name) => each[name as keyof Row] ?? '').join(','))
  return `${[names.join(','), ...cells].join('\n')}\n`
}

for (const [what, files, without, options] of CASES) {
  test(`${what}: as in CSV`, async () => {
    const place = mkdtempSync(join(folder, 'case-'))
    const types = Object.fromEntries(Object.entries(TYPES).filter(([name]) => !without.includes(name)))
    const farTypes = { ...types, file_row_number: 'BIGINT' }
    const isFar = what.includes('unit')
    mkdirSync(join(place, 'far'))
    for (const [name, rows] of Object.entries(files)) {
      writeFileSync(join(place, `${name}.csv`), csvOf(rows, Object.keys(types)))
      await writeParquet(join(place, `${name}.parquet`), types, rows)
      if (!isFar) continue
      const far = rows.map((each) => ({ ...each, ...FAR }))
      await writeParquet(join(place, 'far', `${name}.parquet`), farTypes, far)
    }
    const scored = async (format: string, from = place) => {
      const inputs = Object.keys(files).map((name) => join(from, `${name}.${format}`))
      const output = join(place, `out-${format}.ndjson`)
      const { code, err } = await runHere([
        'score',
        ...inputs,
        '--output',
        output,
        '--threads',
        '1',
        ...options,
      ])
      // How text was read is said of CSV alone.
      const said = err
        .replaceAll(`.${format}`, '')
        .replaceAll('/far/', '/')
        .replace('Ignored columns (not fields): file_row_number.\n', '')
        .replaceAll(/^.*: CSV in .*\n/gm, '')
        // A slow machine shows its progress.
        .replaceAll(/^\d+ %.* left\n/gm, '')
        .replace(/^[\d.]+ s, .*\n/m, '')
      return { code, said, results: readFileSync(output, 'utf8') }
    }
    const expected = await scored('csv')
    assert.deepEqual(await scored('parquet'), expected)
    if (!isFar) return
    assert.match(expected.said, /\/b: haemoglobin/)
    assert.deepEqual(await scored('parquet', join(place, 'far')), expected)
  })
}

test('another shape between, and Hive folders of other types: every row in its place', async () => {
  const place = mkdtempSync(join(folder, 'shapes-'))
  const write = async (
    name: string,
    idx: number,
    types: Readonly<Record<string, string>> = TYPES,
  ): Promise<string> => {
    const path = join(place, name)
    mkdirSync(dirname(path), { recursive: true })
    await writeParquet(path, types, [row(idx)])
    return path
  }
  const inputs = [
    await write('a.parquet', 5),
    await write('b.parquet', 4),
    await write('c.parquet', 3, { ...TYPES, age: 'DOUBLE' }),
    await write('d.parquet', 2, { ...TYPES, file_row_number: 'BIGINT' }),
    await write('e.parquet', 1, { ...TYPES, file_row_number: 'BIGINT' }),
    await write('ward=1/f.parquet', 0),
    await write('ward=x/f.parquet', 9),
  ]
  const output = join(place, 'out.csv')
  const { code, err } = await runHere(['score', ...inputs, '--output', output, '--quiet'])
  assert.deepEqual([code, err], [0, ''])
  const ids = readFileSync(output, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[0])
  assert.deepEqual(ids, ['5', '4', '3', '2', '1', '0', '9'])
})

test('a damaged file among many is named', async () => {
  const place = mkdtempSync(join(folder, 'damaged-'))
  for (const name of ['a', 'b', 'c']) await writeParquet(join(place, `${name}.parquet`), TYPES, several(0))
  const bytes = readFileSync(join(place, 'b.parquet'))
  writeFileSync(join(place, 'b.parquet'), bytes.fill(0, 4, bytes.length / 2))
  const { code, err } = await runHere(['score', place, '--output', join(folder, 'out.csv'), '--quiet'])
  assert.equal(code, 1)
  assert.match(err, /damaged-\w+\/b\.parquet: cannot be read as Parquet/)
})
