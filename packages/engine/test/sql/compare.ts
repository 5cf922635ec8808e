/** Compares a printed SELECT with the engine, row by row. */
import type { ModelDefinition } from '../../src/definition/model.ts'
import { type NoticeOptions, RECORD_NOTICE_CODES } from '../../src/rules/notice-rules.ts'
import type { Notice } from '../../src/explain/notices.ts'
import type { Codes } from '../../src/plan/codes.ts'
import { type Conversions, type Definitions, makePlan } from '../../src/plan/plan.ts'
import { type Output, type Scorer, createScorer } from '../../src/scorer.ts'
import type { Dialect } from '../../src/sql/dialect.ts'
import { type SelectOptions, selectFor } from '../../src/sql/select.ts'
import { Random } from '../../../../test/support/random.ts'
import type { SqlRow } from './duckdb.ts'
import { type Table, bodyOf, randomTable } from './rows.ts'

export const TODAY = 20_260_131

export interface Case {
  readonly definitions: Definitions
  readonly model: ModelDefinition
  readonly output: Output
  readonly table: Table
  /** Where the notices are compared too. */
  readonly notices?: NoticeOptions
  readonly conversions?: Conversions
  readonly codes?: Codes
}

/** The seed decides the columns, their types and every value; `isTyped`, where it is given, whether there are cells. */
export function randomCase(
  definitions: Definitions,
  model: ModelDefinition,
  seed: number,
  count: number,
  isTyped?: boolean,
): Case {
  const random = new Random(seed)
  const plan = makePlan(definitions, model)
  const output: Output = random.chance(0.2) ? { kind: 'yes-no', threshold: 0.15 } : { kind: 'number' }
  const isTypedBySeed = random.chance(0.5)
  const table = randomTable(random, plan, model, count, isTyped ?? isTypedBySeed)
  return { definitions, model, output, table }
}

export function printFor(
  { definitions, model, output, table, notices, conversions, codes }: Case,
  dialect: Dialect,
  source: string,
  form: Pick<SelectOptions, 'isLookup' | 'isRepeated'> = {},
): string {
  return selectFor(
    definitions,
    { definition: model, digest: 'test' },
    {
      dialect,
      source: dialect.identifier(source),
      columns: new Map(table.columns.map((column) => [column.name, column])),
      output,
      notices,
      conversions,
      codes,
      today: TODAY,
      position: 'pos',
      keep: ['pos'],
      ...form,
    },
  )
}

interface Result {
  readonly idx: number | null
  readonly risk: number | string | null
  readonly error_message: unknown
  readonly notices?: readonly Notice[]
}

const OPTIONS = {
  reportUnknown: false,
  maxRecords: 100_000,
  maxDepth: 8,
  maxKeys: 1_024,
  maxLineBytes: 1 << 20,
}
const scorers = new WeakMap<ModelDefinition, Map<Output['kind'], Scorer>>()

/** The scorer of a model for one kind of output, which the tables of a model share. */
function scorerFor({ definitions, model, output, notices, conversions = {}, codes }: Case): Scorer {
  if (codes !== undefined) return createScorer(definitions, model, { output, conversions, codes, ...OPTIONS })
  if (notices !== undefined)
    return createScorer(definitions, model, { output, conversions, ...OPTIONS, ...notices })
  const known = scorers.get(model) ?? new Map<Output['kind'], Scorer>()
  scorers.set(model, known)
  const scorer = known.get(output.kind) ?? createScorer(definitions, model, { output, ...OPTIONS })
  known.set(output.kind, scorer)
  return scorer
}

const answered = new WeakMap<Case, readonly Result[]>()

/** What the engine answers; worked out once for all databases. */
export function engineResults(given: Case): readonly Result[] {
  const known = answered.get(given)
  if (known !== undefined) return known
  const { definitions, model, table, notices } = given
  const call = notices === undefined ? 'score' : 'explain'
  const answer = scorerFor(given)[call](bodyOf(table, makePlan(definitions, model)), TODAY)
  const all = JSON.parse(new TextDecoder().decode(answer.bytes)) as readonly Result[]
  // SQL gives no ranges, so it says nothing of those that were not computed.
  const results =
    notices === undefined ? all : all.map((each) => ({ ...each, notices: recordNotices(each.notices) }))
  answered.set(given, results)
  return results
}

/** Those that SQL gives too. */
export function recordNotices(notices: readonly Notice[] = []): readonly Notice[] {
  const codes: readonly string[] = RECORD_NOTICE_CODES
  return notices.filter(({ code }) => codes.includes(code))
}

/** The differences between the engine and the rows of a query, described. */
export function differences(given: Case, rows: readonly SqlRow[]): readonly string[] {
  const results = engineResults(given)
  if (rows.length !== results.length) return [`${rows.length} rows in place of ${results.length}`]
  const found: string[] = []
  for (const row of rows) {
    const expected = describe(results[row.pos] as Result)
    const actual = `${row.idx} ${row.risk} ${row.message}${given.notices ? ` ${row.notices}` : ''}`
    if (actual !== expected)
      found.push(`row ${row.pos}: ${describeInput(given, row.pos)}\n  engine ${expected}\n  sql    ${actual}`)
  }
  return found
}

function describe({ idx, risk, error_message: problems, notices }: Result): string {
  const said = notices && ` ${notices.map(({ code, field }) => `${code}:${field}`).join('; ') || null}`
  return `${idx} ${risk} ${problems === null ? null : JSON.stringify(problems)}${said ?? ''}`
}

function describeInput({ table }: Case, position: number): string {
  const row = table.rows[position] ?? []
  return JSON.stringify(Object.fromEntries(table.columns.map(({ name }, place) => [name, row[place]])))
}
