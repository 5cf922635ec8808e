/**
 * Statements for DuckDB as they were printed before the engine and the SQL had one tree of expressions. They are an independent
 * account of what the rules mean, so they stay as they are: a change of meaning lists the rows that it changes, with its reason.
 */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { NoticeOptions } from '../../src/rules/notice-rules.ts'
import { makePlan } from '../../src/plan/plan.ts'
import type { Output } from '../../src/scorer.ts'
import { Random } from '../../../../test/support/random.ts'
import { DEFINITIONS, catalogueModel } from './cases.ts'
import type { Case } from './compare.ts'
import { type TestColumn, type Value, randomRows } from './rows.ts'

export interface Recorded {
  readonly name: string
  readonly model: string
  readonly output: Output
  readonly seed: number
  readonly columns: readonly TestColumn[]
  readonly notices?: NoticeOptions
  /** Whether the assessments lie on few days, so that some scales have the same one. */
  readonly fewDays?: boolean
}

/** Rows that the statement of today answers in another way than the recorded one, and why. */
export interface KnownDifference {
  readonly statement: string
  readonly reason: string
  readonly positions: readonly number[]
}

export const FOLDER = new URL('recorded/', import.meta.url)

export function recordedStatements(): readonly Recorded[] {
  return JSON.parse(readFileSync(new URL('statements.json', FOLDER), 'utf8')) as readonly Recorded[]
}

export function knownDifferences(): readonly KnownDifference[] {
  return JSON.parse(readFileSync(new URL('differences.json', FOLDER), 'utf8')) as readonly KnownDifference[]
}

export function textOf({ name }: Recorded): string {
  return gunzipSync(readFileSync(new URL(`${name}.sql.gz`, FOLDER))).toString()
}

/** The table that both statements are run on. The seed decides every value. */
export function caseOf(recorded: Recorded, count: number): Case {
  const { columns, seed, output, notices } = recorded
  const model = catalogueModel(recorded.model)
  const random = new Random(seed)
  const rows = randomRows(random, makePlan(DEFINITIONS, model), columns, count)
  const table = { columns, rows: recorded.fewDays === true ? onFewDays(random, columns, rows) : rows }
  return { definitions: DEFINITIONS, model, output, table, ...(notices && { notices }) }
}

function onFewDays(
  random: Random,
  columns: readonly TestColumn[],
  rows: readonly (readonly Value[])[],
): readonly (readonly Value[])[] {
  const isDate = columns.map(({ name }) => name.endsWith('_date'))
  const inOneYear = (value: Value): Value =>
    typeof value === 'string' ? value.replace(/\d{4}/, '2024') : value
  const first = rows[0] ?? []
  return rows.map((row) =>
    row.map((value, at) => {
      if (isDate[at] !== true) return value
      return inOneYear(random.chance(0.5) ? (first[at] ?? null) : value)
    }),
  )
}
