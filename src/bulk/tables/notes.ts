/** What a run says about an input: rows and cells that could not be read, each with its file and line. */
import { makePlan } from '../../engine/plan.ts'
import { hintOf, hintText, unitFields } from '../../engine/score/likely-unit.ts'
import { type TableEngine, identifier, literal } from '../../tables/engine.ts'
import type { Table } from '../../tables/open-table.ts'
import type { ScoreRun } from '../run.ts'
import type { TableSource } from './table-reading.ts'

const MOST_LINES = 10
/** Rows whose units are looked at. */
const MOST_ROWS = 10_000

const ROW_REASONS = {
  tooManyCells: 'the row has more cells than the header',
  tooFewCells: 'the row has fewer cells than the header',
} as const

const CELL_REASONS: Readonly<Record<string, string>> = {
  ambiguous: '1.000 may be one or a thousand; say --decimal-point or --decimal-comma',
  tooManyDigits: 'the number has too many digits to be kept exactly',
}

/** `part` holds the answers of the table, in its order. */
export async function notesOf(
  engine: TableEngine,
  input: string,
  table: Table,
  part: string,
  hasCellFaults: boolean,
): Promise<readonly string[]> {
  const encoding = table.encoding ?? 'utf-8'
  const notes = encoding === 'utf-8' ? [] : [`${input}: read as ${encoding}.`]
  for (const { line, reason } of table.faults.slice(0, MOST_LINES)) {
    notes.push(`${input}, line ${line}: ${ROW_REASONS[reason]}; it is not scored.`)
  }
  notes.push(...more(input, 'rows', table.faultCount))
  if (!hasCellFaults) return notes
  const from = `FROM read_parquet(${literal(part)}, file_row_number = true) WHERE "cell faults" IS NOT NULL`
  const rows = await engine.rows(
    `SELECT file_row_number AS n, "cell faults" AS faults ${from} ORDER BY ALL LIMIT ${MOST_LINES}`,
  )
  for (const { n, faults } of rows) {
    for (const [, column, reason = ''] of String(faults).matchAll(/(.*)\t(.*)\n/g)) {
      const why = CELL_REASONS[reason] ?? 'is not a number'
      notes.push(`${input}, line ${table.lineOf(Number(n))}, column ${column}: ${why}.`)
    }
  }
  const [count] = rows.length < MOST_LINES ? [] : await engine.rows(`SELECT count(*) AS n ${from}`)
  return [...notes, ...more(input, 'rows with such cells', Number(count?.['n'] ?? 0))]
}

/** Which columns are probably in another unit than the one declared, by the median of the first rows. */
export async function unitNotes(
  engine: TableEngine,
  input: string,
  { catalog, deployment }: ScoreRun,
  { source, columns }: TableSource,
): Promise<readonly string[]> {
  const model = deployment.model.definition
  const plan = makePlan(catalog.knowledge, model, deployment.scorerOptions.conversions)
  const notes: string[] = []
  for (const each of unitFields({ plan, units: catalog.units, model })) {
    if (!columns.has(each.field)) continue
    const value = `TRY_CAST(${identifier(each.field)} AS DOUBLE) AS value`
    const [row] = await engine.rows(
      `SELECT count(*) AS n, median(value) AS median FROM (SELECT ${value} FROM ${source} LIMIT ${MOST_ROWS})
 WHERE value > 0 AND isfinite(value)`,
    )
    const hints = hintOf(each, Number(row?.['n'] ?? 0), Number(row?.['median'] ?? 0))
    notes.push(...hints.map((hint) => `${input}: ${hintText(hint)}`))
  }
  return notes
}

function more(input: string, what: string, count: number): readonly string[] {
  return count > MOST_LINES ? [`${input}: ${(count - MOST_LINES).toLocaleString('en')} more ${what}.`] : []
}
