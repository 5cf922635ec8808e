/** Scores small spreadsheets of patients for tests. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { testCatalog } from '../../../../test/support/serve.ts'
import type { ColumnOptions } from '../../src/bulk/tables/table-source.ts'
import { scoreFile } from '../bulk/score-file.ts'
import type { XlsxCell } from './xlsx-file.ts'

export const TODAY = 20261118
export const catalog = testCatalog()
export const folder = mkdtempSync(join(tmpdir(), 'spreadsheets-'))
after(() => rmSync(folder, { recursive: true }))

export const HEAD = [
  'idx',
  'age',
  'sex',
  'inpatientAdmissions',
  'emergencyAdmissions',
  'stayDays',
  'haemoglobin',
]
export const patient = (
  idx: number,
  stayDays: XlsxCell,
  haemoglobin: XlsxCell = null,
): readonly XlsxCell[] => [idx, 84, 'F', 2, 1, stayDays, haemoglobin]

export interface Result {
  readonly idx: number
  readonly risk: number | null
  readonly error_message: readonly { readonly Field: string; readonly ExtendError: string }[] | null
}

let files = 0

export async function scored(
  bytes: Uint8Array,
  columnOptions: Partial<ColumnOptions> = {},
): Promise<Result[]> {
  const input = join(folder, `${files++}.xlsx`)
  const output = `${input}.json`
  writeFileSync(input, bytes)
  await scoreFile({ input, from: 'xlsx', output, to: 'json', catalog, today: TODAY, columnOptions })
  return JSON.parse(readFileSync(output, 'utf8')) as Result[]
}

/** The field of each problem, and what is wrong with it. */
export const problemsOf = ({ error_message: problems }: Result): readonly string[] =>
  (problems ?? []).map(({ Field, ExtendError }) => `${Field}: ${ExtendError.replace(/.*\(|\).*/g, '')}`)
