/** `score` names a field whose values are probably in another unit than the declared one, in tables and in lines. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { run } from '../../../../../test/support/run-command.ts'
import { PROFUND_PATIENT } from '../../../../../test/support/records.ts'

let folder = ''
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'unit-doubts-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const PATIENT = { ...PROFUND_PATIENT, barthel_total: 80 }

type Row = Readonly<Record<string, unknown>>

/** Haemoglobin around a value, under a name of the file's own. */
function rowsAround(middle: number, count: number, name: string): readonly Row[] {
  return Array.from({ length: count }, (_, idx) => ({
    idx,
    ...PATIENT,
    [name]: Number((middle + ((idx % 21) - 10) / 20).toFixed(2)),
  }))
}

const FORMS = {
  ndjson: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  json: (rows) => JSON.stringify(rows, null, 1),
  csv: (rows) =>
    [Object.keys(rows[0] ?? {}), ...rows.map(Object.values)].map((row) => `${row.join(',')}\n`).join(''),
} as const satisfies Record<string, (rows: readonly Row[]) => string>

const HINT = /haemoglobin: the median of (\d+) values is 8\.\d+, which fits mmol\/L better than g\/dL\./
const CASES = [
  { middle: 8.1, count: 100, name: 'haemoglobin', isDoubtful: true },
  { middle: 8.1, count: 100, name: 'Hb', isDoubtful: true },
  { middle: 8.1, count: 49, name: 'haemoglobin', isDoubtful: false },
  { middle: 12.9, count: 100, name: 'haemoglobin', isDoubtful: false },
] as const

for (const form of ['ndjson', 'json', 'csv'] as const) {
  for (const { middle, count, name, isDoubtful } of CASES) {
    test(`${form}: ${count} records with ${name} around ${middle}`, async () => {
      const input = join(folder, `in.${form}`)
      writeFileSync(input, FORMS[form](rowsAround(middle, count, name)))
      const mapped = name === 'haemoglobin' ? [] : ['--map', `haemoglobin=${name}`]
      const args = [
        'score',
        input,
        '--model',
        'profund',
        '--output-kind',
        'number',
        '--output',
        join(folder, 'out.ndjson'),
        ...mapped,
      ]
      // The rows are alike in everything else, which is a doubt of its own.
      const { code, err } = await run([...args, '--accept-doubts', '--quiet'])
      assert.equal(code, 0, err)
      assert.equal(HINT.exec(err)?.[1], isDoubtful ? String(count) : undefined, err)
      assert.equal(err.match(/better than/g)?.length ?? 0, isDoubtful ? 1 : 0)
    })
  }
}
