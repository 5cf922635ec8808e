/** Which files of a folder are inputs, what a spreadsheet would run, and what the engine of tables may fetch by itself. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { copyResults } from '../../src/bulk/output/publish.ts'
import { TableEngine } from '../../src/tables/engine.ts'
import { listInputs } from '../../src/tables/open-input.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-inputs-'))
after(() => rmSync(folder, { recursive: true }))

/** A name in a folder of inputs, and whether it is one of them. */
const NAMES = [
  ['a.csv', true],
  ['b.finished.csv', true],
  ['unfinished.csv', true],
  ['in_progress.csv', true],
  ['out.csv.unfinished', false],
  ['out.csv.unfinished.marked', false],
  ['out.csv.unfinished.parts', false],
  ['_SUCCESS', false],
  ['.hidden.csv', false],
] as const

test('a folder is read without hidden files and leftovers of an unfinished run', () => {
  for (const [name] of NAMES) writeFileSync(join(folder, name), '')
  for (const inner of ['day=1', '_temporary', 'out.csv.unfinished.d']) {
    mkdirSync(join(folder, inner))
    writeFileSync(join(folder, inner, 'part.csv'), '')
  }
  const expected = NAMES.filter(([, isInput]) => isInput).map(([name]) => join(folder, name))
  const all = listInputs([folder], () => true)
  assert.deepEqual(all, [...expected, join(folder, 'day=1', 'part.csv')].sort())
  assert.deepEqual(
    listInputs([join(folder, '*')], () => true),
    expected.sort(),
  )
})

/** A text, and whether a spreadsheet would run it. */
const TEXTS = [
  ['=1+1', true],
  ['+1+1', true],
  ['-1+1', true],
  ['@SUM(A1)', true],
  ['\t=1', true],
  ['\r=1', true],
  ['-1.5', false],
  ['-1.5.2', true],
  ['a=1', false],
  ['12', false],
] as const

for (const [to, delimiter] of [
  ['csv', ','],
  ['tsv', '\t'],
] as const) {
  test(`${to}: a text that begins with a sign of formulas gets a leading quote`, async () => {
    using engine = await TableEngine.open(1)
    const path = join(folder, `out.${to}`)
    const rows = TEXTS.map(([text]) => `('${text}', 0.5, NULL, '${text}')`).join(', ')
    const from = `(VALUES ${rows}) AS results(idx, risk, error_message, ward)`
    const columns = { kept: new Map([['ward', 'ward']]), parts: [], source: undefined }
    await copyResults(engine, from, columns, { path, to, compression: undefined, isErrors: false })
    const written = readFileSync(path, 'utf8')
    for (const [text, isFormula] of TEXTS) {
      const plain = [text, '0.5', '', text].join(delimiter)
      const guarded = [`'${text}`, '0.5', '', `'${text}`].join(delimiter)
      const line = written
        .split('\n')
        .find((each) => each.replaceAll('"', '') === (isFormula ? guarded : plain))
      assert.ok(line !== undefined, `${JSON.stringify(text)} in ${JSON.stringify(written)}`)
    }
  })
}

test('the engine installs no extension by itself, and none of others', async () => {
  using engine = await TableEngine.open(1)
  const [row] = await engine.rows(
    `SELECT current_setting('autoinstall_known_extensions') AS own, current_setting('allow_community_extensions') AS others`,
  )
  assert.deepEqual({ ...row }, { own: false, others: false })
})
