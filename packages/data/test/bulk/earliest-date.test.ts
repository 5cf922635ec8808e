/** A date before 01-01-1900 is out of range in files of every format. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DAYS, EXPECTED, PATIENT, RECORDS } from '../../../../test/support/earliest-date.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { TODAY } from '../../../../test/support/small-definitions.ts'
import { readTableRows, writeParquet } from '../../../../test/support/table-files.ts'
import { scoreFile } from './score-file.ts'

const catalog = testCatalog()
const folder = mkdtempSync(join(tmpdir(), 'earliest-date-'))
after(() => rmSync(folder, { recursive: true }))

function resultsIn(text: string): unknown {
  return JSON.parse(text)
}

const FORMATS = ['ndjson', 'csv', 'parquet', 'parquet of days'] as const
for (const format of FORMATS) {
  test(`files: ${format}`, async () => {
    const from = format === 'parquet of days' ? 'parquet' : format
    const input = join(folder, `in-${format.replaceAll(' ', '-')}.${from}`)
    const rows = RECORDS.map((record, at) =>
      format === 'parquet of days' ? { ...record, barthel_date: DAYS[at]?.[1] } : record,
    )
    if (from === 'ndjson') writeFileSync(input, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    else if (from === 'csv') {
      const lines = rows.map((row) => Object.values(row).join(','))
      writeFileSync(input, `${Object.keys(RECORDS[0] ?? {}).join(',')}\n${lines.join('\n')}\n`)
    } else {
      const day = format === 'parquet' ? 'VARCHAR' : 'DATE'
      const types = Object.fromEntries(
        Object.keys(PATIENT).map((name) => [name, name === 'sex' ? 'VARCHAR' : 'BIGINT']),
      )
      await writeParquet(input, { idx: 'BIGINT', ...types, barthel_date: day }, rows)
    }
    const output = join(folder, `out-${format.replaceAll(' ', '-')}.${from === 'ndjson' ? 'ndjson' : 'csv'}`)
    const to = from === 'ndjson' ? 'ndjson' : 'csv'
    await scoreFile({ input, from, output, to, catalog, today: TODAY })
    const results =
      to === 'ndjson'
        ? (resultsIn(`[${readFileSync(output, 'utf8').trim().replaceAll('\n', ',')}]`) as readonly object[])
        : (await readTableRows(output, 'csv')).map(({ idx, risk, error_message: problems }) => ({
            idx: Number(idx),
            risk: Number(risk),
            error_message: problems === null ? null : resultsIn(problems as string),
          }))
    assert.deepEqual(results, EXPECTED)
  })
}
