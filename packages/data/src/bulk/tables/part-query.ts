/** The query that answers the rows of one table, and the functions that DuckDB needs for it. */
import { type FieldPlan, compileTrees, makePlan } from 'patient-risk-engine'
import { type Domain, fieldsOfTrees } from 'patient-risk-engine/definition'
import { duckdb, join, selectFor, sql } from 'patient-risk-engine/sql'
import { type TableEngine, identifier, literal } from '../../tables/engine.ts'
import type { Table } from '../../tables/table.ts'
import type { ScoreRun } from '../run.ts'
import { RISK_NUMBER, hasNumber } from './publish-results.ts'
import { ROW_KEY } from './row-cells.ts'
import { FAULTY_CELLS, MEMBERS, ROW_TOKEN, type TableSource } from './table-source.ts'

/** Engines differ from V8 in the last place of a logarithm, so DuckDB gets V8's. */
const LOGARITHM = 'v8_ln'
const TREES = 'trees'

export async function addFunctions(engine: TableEngine, run: ScoreRun): Promise<void> {
  await engine.addFunction(LOGARITHM, 'DOUBLE', Math.log)
  await addTrees(engine, run)
}

/** The answers of one table. Positions and repeated identifiers are put in when all rows are written. */
export function partQuery(run: ScoreRun, table: Table, source: TableSource): string {
  const { catalog, deployment, today } = run
  const select = selectFor(catalog.definitions, deployment.model, {
    dialect: {
      ...duckdb,
      logarithm: (value) => sql`${LOGARITHM}(${value})`,
      trees: (place, values) => sql`${TREES}${place}(${join(values, ', ')})`,
    },
    ...source,
    output: deployment.output,
    hasNumber: hasNumber(run),
    conversions: deployment.scorerOptions.conversions,
    codes: deployment.scorerOptions.codes,
    today,
    position: literal(ROW_TOKEN),
    isRepeated: 'FALSE',
  })
  if (table.refused === undefined) return withFaultyCells(source, select)
  const message = `ValueError for value Record in idx ${ROW_TOKEN} (not an object)`
  const problem = `[{"Field":"record","FieldDate":"","ExtendError":"${message}"}]`
  const answer = `CASE WHEN "is refused" THEN ${literal(problem)} ELSE error_message END AS error_message`
  const empty = source.keep.filter((name) => name === MEMBERS || name === ROW_KEY)
  const others = ['idx', 'risk', ...(hasNumber(run) ? [RISK_NUMBER] : []), ...empty].map((name) => {
    return `CASE WHEN NOT "is refused" THEN ${identifier(name)} END AS ${identifier(name)}`
  })
  return withFaultyCells(
    source,
    `SELECT * EXCLUDE ("is refused") REPLACE (${[answer, ...others].join(', ')}) FROM (${select})`,
  )
}

/** The cells of a row without a problem are not kept: a part would hold the whole table a second time. */
function withFaultyCells({ written }: TableSource, select: string): string {
  if (written.length === 0) return select
  const names = written.map(identifier).join(', ')
  const cells = `CASE WHEN error_message IS NOT NULL THEN [${names}] END AS ${identifier(FAULTY_CELLS)}`
  return `SELECT * EXCLUDE (${names}), ${cells} FROM (${select})`
}

/** The trees of the model, as the engine walks them: several times as fast as nested CASEs, and of any size. */
async function addTrees(engine: TableEngine, { catalog, deployment }: ScoreRun): Promise<void> {
  const { definition } = deployment.model
  const { fields, slotByName } = makePlan(catalog.definitions, definition)
  const domainOf = (field: string): Domain => (fields[slotByName.get(field) as number] as FieldPlan).domain
  for (const [place, term] of definition.terms.entries()) {
    if (term.kind !== 'trees') continue
    const names = fieldsOfTrees(term)
    if (names.length === 0) continue
    const { points } = compileTrees(term, { slotOf: (field) => names.indexOf(field), domainOf })
    await engine.addNumberFunction(`${TREES}${place}`, names.length, points)
  }
}
