/** Files whose names look like patterns: each is read by its own name, and what the user wrote as a pattern is one. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { score } from '../../src/cli/score/score.ts'
import { TableEngine } from '@patient-risk/data/tables'
import { runHere } from '../../../../test/support/run-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'names-'))
after(() => rmSync(folder, { recursive: true }))

const HEADER = 'idx,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'
const csvOf = (...ids: readonly number[]): string =>
  [HEADER, ...ids.map((idx) => `${idx},84,F,2,1,7`), ''].join('\n')

/** The idx of every row that was answered. */
async function scored(...args: readonly string[]): Promise<readonly number[]> {
  const output = join(folder, 'answers.ndjson')
  assert.equal(await score.run([...args, '--output', output, '--quiet', '--threads', '1']), 0)
  const lines = readFileSync(output, 'utf8').trim().split('\n')
  rmSync(output)
  return lines.map((line) => (JSON.parse(line) as { idx: number }).idx)
}

/** The name of a file · a file that it would match as a pattern. */
const NAMES = [
  ['c[1].csv', 'c1.csv'],
  ['w*d.csv', 'ward.csv'],
  ['w?rd.csv', 'word.csv'],
  ['[a].csv', 'a.csv'],
  ['{a,b}.csv', 'b.csv'],
] as const
for (const [name, other] of NAMES) {
  test(`${name} beside ${other}: the answers are those of the file that was named`, async () => {
    const place = mkdtempSync(join(folder, 'place-'))
    writeFileSync(join(place, name), csvOf(1))
    writeFileSync(join(place, other), csvOf(2))
    assert.deepEqual(await scored(join(place, name)), [1])
    assert.deepEqual(await scored(join(place, other)), [2])
  })
}

for (const [name, other] of [NAMES[0], NAMES[1]] as const) {
  test(`${name} as Parquet, in a folder of that name, and as an output`, async () => {
    const place = mkdtempSync(join(folder, 'place-'))
    for (const [each, idx] of [
      [name, 1],
      [other, 2],
    ] as const) {
      mkdirSync(join(place, each))
      writeFileSync(join(place, each, 'in.csv'), csvOf(idx))
      const parquet = join(place, `${each}.parquet`)
      assert.equal(await score.run([join(place, each), '--output', parquet, '--quiet', '--keep', 'age']), 0)
    }
    assert.deepEqual(await scored(join(place, name)), [1])
    assert.deepEqual(readdirSync(place).sort(), [name, other, `${name}.parquet`, `${other}.parquet`].sort())
    using engine = await TableEngine.open()
    const table = join(place, 'x[1].parquet')
    await engine.run(`COPY (SELECT 1 AS idx, 84 AS age, 'F' AS sex, 2 AS inpatientAdmissions, 1 AS emergencyAdmissions, 7 AS stayDays)
      TO '${table}' (FORMAT parquet)`)
    await engine.run(`COPY (SELECT 2 AS idx) TO '${join(place, 'x1.parquet')}' (FORMAT parquet)`)
    assert.deepEqual(await scored(table), [1])
  })
}

test('a name with a backslash is read, and refused together with a sign of a pattern', async () => {
  const place = mkdtempSync(join(folder, 'place-'))
  for (const name of ['a\\b.csv', 'a\\b[1].csv']) writeFileSync(join(place, name), csvOf(1))
  assert.deepEqual(await scored(join(place, 'a\\b.csv')), [1])
  const output = join(place, 'out.csv')
  await assert.rejects(
    async () => score.run([join(place, 'a\\b[1].csv'), '--output', output, '--quiet']),
    /has a backslash and a sign of a pattern in its path; rename it/,
  )
})

test('a pattern that names no file itself is one', async () => {
  const place = mkdtempSync(join(folder, 'place-'))
  for (const idx of [1, 2, 3]) writeFileSync(join(place, `c${idx}.csv`), csvOf(idx))
  assert.deepEqual(await scored(join(place, 'c[12].csv')), [1, 2])
  assert.deepEqual(await scored(join(place, 'c?.csv')), [1, 2, 3])
})

/** Where results and problems go · files that these names would match as patterns. */
const OUTPUTS = [
  ['in.csv', 'o[1].csv', 'e[1].csv', 'o1.csv', 'e1.csv'],
  ['in.csv', 'o?.parquet', 'e*.ndjson', 'oo.parquet', 'ee.ndjson'],
  ['in.ndjson', 'o[1].parquet', 'e[1].tsv', 'o1.parquet', 'e1.tsv'],
  ['in.ndjson', 'o*.csv.gz', 'e?.csv', 'oo.csv.gz', 'ee.csv'],
] as const
for (const [input, output, errors, ...others] of OUTPUTS) {
  test(`${input} to ${output} and ${errors}: written by these names, and ${others.join(' and ')} are left alone`, async () => {
    const place = mkdtempSync(join(folder, 'place-'))
    const at = (name: string): string => join(place, name)
    writeFileSync(at(input), input === 'in.csv' ? 'idx,a*,ab\n1,x,y\n' : '{"idx":1,"a*":"x","ab":"y"}\n')
    for (const other of others) writeFileSync(at(other), 'another')
    const args = [at(input), '--output', at(output), '--errors', at(errors), '--quiet', '--keep', 'a*']
    assert.equal(await score.run(args), 3)
    assert.deepEqual(readdirSync(place).sort(), [input, output, errors, ...others].sort())
    for (const other of others) assert.equal(readFileSync(at(other), 'utf8'), 'another')
    // A column is kept by its very name too.
    assert.match(readFileSync(at(errors), 'utf8'), /x/)
    assert.doesNotMatch(readFileSync(at(errors), 'utf8'), /\by\b/)
  })
}

test('sql takes names and values of columns as they are written', async () => {
  const place = mkdtempSync(join(folder, 'place-'))
  for (const [name, column] of [
    ['m[1].json', 'years[1]'],
    ['m1.json', 'other'],
  ] as const)
    writeFileSync(join(place, name), JSON.stringify({ age: column }))
  const { code, out } = await runHere(['sql', '--dialect', 'duckdb', '--map', join(place, 'm[1].json')])
  assert.equal(code, 0)
  assert.match(out, /"years\[1\]"/)
  assert.doesNotMatch(out, /"other"/)
})
