/** Files whose women are M and whose last man is H, for tests of the doubts that their rows name. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { testCatalog } from '../../../../test/support/serve.ts'
import { writeParquet } from '../../../../test/support/table-files.ts'
import type { Format } from '../../src/tables/formats.ts'
import { xlsxOf } from '../spreadsheets/xlsx-file.ts'
import { deploymentOf } from './score-file.ts'

const TODAY = 20261118
export const RECORDS = 120
const catalog = testCatalog()
const folder = mkdtempSync(join(tmpdir(), 'feed-notices-'))
after(() => rmSync(folder, { recursive: true }))
export const at = (name: string): string => join(folder, name)

interface Result {
  readonly idx: number
  readonly notices: readonly { readonly code: string; readonly field: string; readonly text: string }[]
}

/** Women are M, and the last man is H. */
export const records = Array.from({ length: RECORDS }, (_each, place) => ({
  idx: place + 1,
  age: 60 + ((place * 7) % 37),
  sex: place === RECORDS - 1 ? 'H' : place % 3 === 0 ? 'F' : 'M',
  inpatientAdmissions: (place * 3) % 4,
  emergencyAdmissions: (place * 11) % 5,
  stayDays: 1 + ((place * 5) % 13),
}))
export const right = records.map((record) => ({ ...record, sex: record.sex === 'F' ? 'F' : 'M' }))
const names = Object.keys(records[0] ?? {})
const TYPES = Object.fromEntries(names.map((name) => [name, name === 'sex' ? 'VARCHAR' : 'BIGINT']))

/** Every M is in doubt, and no other row. */
export const EXPECTED = records.map(({ sex }) => (sex === 'M' ? ['sex'] : []))

export async function write(format: Format, rows: typeof records, name = `in.${format}`): Promise<string> {
  const path = at(name)
  const cells = rows.map((record) => Object.values(record))
  if (format === 'parquet') await writeParquet(path, TYPES, rows)
  if (format === 'xlsx') writeFileSync(path, xlsxOf([names, ...cells]))
  if (format === 'csv') writeFileSync(path, [names, ...cells].map((row) => `${row.join()}\n`).join(''))
  if (format === 'json') writeFileSync(path, JSON.stringify(rows))
  if (format === 'ndjson') writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return path
}

export function doubtsIn(path: string): readonly (readonly string[])[] {
  const results = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Result)
  return results.map(({ notices }) =>
    notices.filter(({ code }) => code === 'feed-doubt').map(({ field }) => field),
  )
}

export const RUN = {
  to: 'ndjson',
  catalog,
  deployment: deploymentOf(catalog, { model: 'readmission30', output: 'number' }),
  today: TODAY,
  parts: ['notices'],
} as const
