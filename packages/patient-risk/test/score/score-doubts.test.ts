/** A file whose codes or units mean something else: named in the summary, exit code 4, and kept by the manifest. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { runHere } from '../../../../test/support/run-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'doubts-'))
after(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)

/** Women are M, and one man is H, after all rows that a sample would hold. */
const records = Array.from({ length: 500 }, (_each, place) => ({
  idx: place + 1,
  age: 60 + ((place * 7) % 37),
  sex: place === 499 ? 'H' : 'M',
  inpatientAdmissions: (place * 3) % 4,
  emergencyAdmissions: (place * 11) % 5,
  stayDays: 1 + ((place * 5) % 13),
}))
const rows = records.map((record) => Object.values(record).join(','))
const csv = `${Object.keys(records[0] ?? {}).join(',')}\n${rows.join('\n')}\n`
writeFileSync(at('spanish.csv'), csv)
writeFileSync(at('spanish.ndjson'), records.map((record) => `${JSON.stringify(record)}\n`).join(''))
writeFileSync(at('spanish.json'), JSON.stringify(records))
writeFileSync(at('plain.csv'), csv.replace(',H,', ',F,'))
const model = ['--model', 'readmission30'] as const
const DOUBT =
  /Doubts about the data .*\n {2}\S+: sex: this sender also writes codes of another convention, where "M"/

for (const name of ['spanish.csv', 'spanish.ndjson', 'spanish.json']) {
  test(`${name}: one H makes M ambiguous; exit code 4, and the output is written`, async () => {
    const output = at(`${name}.out.csv`)
    const { code, err } = await runHere(['score', at(name), ...model, '--output', output])
    assert.equal(code, 4, err)
    assert.match(err, DOUBT)
    assert.ok(existsSync(output))
  })
}

test('Parquet has the same doubt', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`COPY (FROM read_csv('${at('spanish.csv')}')) TO '${at('spanish.parquet')}'`)
  const { code, err } = await runHere(['score', at('spanish.parquet'), ...model, '--output', at('p.csv')])
  assert.equal(code, 4, err)
  assert.match(err, DOUBT)
})

test('--accept-doubts gives 0 and still says it; 3 goes before 4; the same file without H has neither', async () => {
  const score = ['score', at('spanish.csv'), ...model, '--output', at('a.csv')]
  const accepted = await runHere([...score, '--accept-doubts'])
  assert.equal(accepted.code, 0, accepted.err)
  assert.match(accepted.err, DOUBT)
  assert.equal((await runHere([...score, '--fail-on', 'unscored'])).code, 3)
  const plain = await runHere(['score', at('plain.csv'), ...model, '--output', at('b.csv')])
  assert.doesNotMatch(plain.err, /sex: this sender/)
})

writeFileSync(at('codes.json'), '{"sex":{"H":"M","M":"F"}}')
for (const name of ['spanish.csv', 'spanish.ndjson']) {
  test(`${name}: with --codes the sex of every record is known, and nothing is in doubt`, async () => {
    const args = [...model, '--codes', at('codes.json'), '--output', at(`${name}.coded.csv`)]
    const { code, err } = await runHere(['score', at(name), ...args])
    assert.equal(code, 0, err)
    assert.match(err, /No problems\./)
    assert.doesNotMatch(err, /sex: this sender/)
  })
}

test('--codes takes a file of codes of fields that there are', async () => {
  for (const [text, code] of [
    ['no JSON', 2],
    ['{"sex":1}', 2],
    ['{"sexo":{"H":"M"}}', 1],
    ['{"sex":{"H":"men"}}', 1],
  ] as const) {
    writeFileSync(at('wrong.json'), text)
    const given = await runHere(['score', at('plain.csv'), ...model, '--codes', at('wrong.json')])
    assert.equal(given.code, code, `${text}: ${given.err}`)
  }
})

const withTexts = records.map((record, place) => {
  return {
    ...record,
    sex: place % 2 === 0 ? 'F' : 'M',
    haemoglobin: place % 5 === 0 ? 'NA' : 11 + (((place * 7) % 31) + ((place * 11) % 29)) / 20,
  }
})
writeFileSync(at('texts.ndjson'), withTexts.map((record) => `${JSON.stringify(record)}\n`).join(''))
writeFileSync(
  at('texts.csv'),
  `${[Object.keys(withTexts[0] ?? {}), ...withTexts.map((record) => Object.values(record))].join('\n')}\n`,
)
for (const name of ['texts.ndjson', 'texts.csv']) {
  test(`${name}: a text that stands for a missing value is named as one, with the option that takes it`, async () => {
    const { code, err } = await runHere(['score', at(name), ...model, '--output', at(`${name}.out.csv`)])
    assert.equal(code, 4, err)
    assert.match(
      err,
      /: haemoglobin: many values are a number or a text that systems write where a value is missing/,
    )
    assert.match(err, /haemoglobin \(missing-code\).* --missing TEXT names/)
  })
}

test('with --missing NA nothing of it is left', async () => {
  const args = [...model, '--missing', 'NA', '--output', at('texts.taken.csv')]
  const { err } = await runHere(['score', at('texts.csv'), ...args])
  assert.doesNotMatch(err, /haemoglobin/)
})

test('--changed: the doubt about an input that is not scored again stays', async () => {
  mkdirSync(at('in'))
  writeFileSync(at('in/spanish.csv'), csv)
  const score = ['score', at('in'), ...model, '--output-dir', at('out'), '--changed', '--quiet']
  for (const run of ['first', 'second']) {
    const { code, err } = await runHere(score)
    assert.equal(code, 4, `${run}: ${err}`)
    assert.match(err, DOUBT)
  }
})

test('sql --doubts prints a statement with a row for each doubt', async () => {
  const table = `read_csv('${at('spanish.csv')}')`
  const printed = await runHere(['sql', ...model, '--dialect', 'duckdb', '--doubts', '--table', table])
  assert.equal(printed.code, 0, printed.err)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const found = (await connection.runAndReadAll(printed.out)).getRowObjectsJson()
  assert.ok(found.some((row) => ['sex', 'codes', '1'].every((text, at) => Object.values(row)[at] === text)))
  const refused = await runHere(['sql', ...model, '--dialect', 'duckdb', '--doubts', '--notices'])
  assert.equal(refused.code, 2)
})
