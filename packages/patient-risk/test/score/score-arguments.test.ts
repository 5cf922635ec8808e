/** Wrong arguments of `score` are refused before anything is read, each with what to do. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { UsageError } from '../../src/cli/command.ts'
import { nearNames } from 'patient-risk-engine/definition'
import { score } from '../../src/cli/score/score.ts'
import { asLines, cleanRecords } from '../../../../test/support/records.ts'

const folder = mkdtempSync(join(tmpdir(), 'arguments-'))
after(() => rmSync(folder, { recursive: true }))
const input = join(folder, 'in.ndjson')
const output = join(folder, 'out.ndjson')
writeFileSync(input, asLines(cleanRecords(3)))

const YES_NO = ['--model', 'readmission30', '--output-kind', 'yes-no']
const NO_FRACTION = ['', ' ', 'abc', 'NaN', '1e999', '-0.1', '1.1', '0x1', '0,5', ' 0.5', 'Infinity']
const REFUSED: readonly (readonly [readonly string[], RegExp])[] = [
  ...NO_FRACTION.map(
    (word) => [[...YES_NO, `--threshold=${word}`], /--threshold takes a number from 0 to 1/] as const,
  ),
  [['--threshold', '0.5'], /--threshold goes with --model only/],
  [['--output-kind', 'yes-no'], /--output-kind goes with --model only/],
  [['--deployment', 'readmission', '--threshold', '0.5'], /--threshold goes with --model only/],
  [['--deployment', 'readmission', '--output-kind', 'number'], /--output-kind goes with --model only/],
  [['--deployment', 'readmission', '--model', 'readmission30'], /either --deployment or --model/],
  [['--model', 'readmission30', '--threshold', '0.5'], /--threshold goes with --output-kind yes-no/],
  [['--model', 'readmission30', '--output-kind', ''], /--output-kind takes number, yes-no/],
  ...['', ' ', '0', 'abc', 'NaN', '1e3', '1.5', '-1'].map(
    (word) => [[`--threads=${word}`], /--threads takes a number from 1 to 999/] as const,
  ),
  [['--map', 'ages=edad'], /no model has a field ages.*Did you mean age\?/],
  [['--map', 'edad=age'], /no model has a field edad.*our name first/],
  [['--map', 'age='], /--map age= names no column/],
  [['--idx', ''], /--map idx= names no column/],
  [['--keep', 'risk'], /--keep risk: the results already have a column of that name\.$/],
  [['--notices', '--keep', 'notices'], /--keep notices: the results already have/],
  [['--range', '--keep', 'range_low'], /--keep range_low: the results already have/],
  [['--range', '--to', 'csv', '--keep', 'Range'], /--keep Range: .* are not case-sensitive/],
  [['--keep', 'ward', '--keep', 'ward'], /--keep ward: the results already have/],
  [['--to', 'csv', '--keep', 'ward', '--keep', 'Ward'], /--keep Ward: .* are not case-sensitive/],
  ...['', ' ', ',,', ':', 't'].map(
    (word) => [['--from', 'csv', `--delimiter=${word}`], /--delimiter takes a comma/] as const,
  ),
  [['--output', 'out.xlsx'], /XLSX is read, not written; name the output \.csv or \.parquet/],
  [['--errors', 'errors.csv', '--keep', 'Idx'], /--keep Idx: .* are not case-sensitive/],
]
for (const [args, message] of REFUSED) {
  test(`wrong usage: ${args.join(' ')}`, async () => {
    await assert.rejects(
      async () => score.run([input, '--output', output, '--quiet', ...args]),
      (error: Error) => {
        assert.ok(error instanceof UsageError)
        assert.match(error.message, message)
        return true
      },
    )
    assert.deepEqual(readdirSync(folder), ['in.ndjson'])
  })
}

for (const word of ['0', '1', '0.15', '.15', '1.0', '1e-2']) {
  test(`--threshold ${word} is a threshold`, async () => {
    const args = [input, '--output', output, '--quiet', '--threads', '1', ...YES_NO, '--threshold', word]
    assert.equal(await score.run(args), 0)
    rmSync(output)
  })
}

test('JSON keeps names that differ in case only', async () => {
  const args = [input, '--output', output, '--quiet', '--keep', 'age', '--keep', 'Age']
  assert.equal(await score.run(args), 0)
  assert.match(readFileSync(output, 'utf8'), /"age":\d+,"Age":null\}\n/)
  rmSync(output)
})

const NEAR = [
  ['ages', ['age', 'sex'], ['age']],
  ['Sex', ['age', 'sex'], ['sex']],
  ['barthel_totl', ['barthel_total', 'mna_total'], ['barthel_total']],
  ['edad', ['age', 'sex'], []],
] as const
for (const [typed, known, near] of NEAR) {
  test(`${typed} may mean ${near.join() || 'nothing known'}`, () =>
    assert.deepEqual(nearNames(typed, known), near))
}
