/** What is said of a table besides its answers: encoding, rows and cells that are not read, and units. */
import { hintOf, hintText } from 'patient-risk-engine'
import { type TableEngine, fileLiteral, identifier } from '../../tables/engine.ts'
import { faultsIn } from '../../tables/field-sql.ts'
import { type Table, rowReason } from '../../tables/table.ts'
import type { ScoreRun } from '../run.ts'
import { unitFieldsOf } from '../summary.ts'
import { FILE, FILE_ROW, type TableSource } from './table-source.ts'

const MOST_LINES = 10
/** Rows of a file whose units are checked. */
const SAMPLED_ROWS = 10_000

const CELL_REASONS: Readonly<Record<string, string>> = {
  ambiguous: '1.000 may be one or a thousand; use --decimal-point or --decimal-comma',
  tooManyDigits: 'the number has too many digits to be kept exactly',
}

/** Notes on a table, for lines that begin with its name. */
export function tableNotes({ encoding, faults, faultCount }: Table): readonly string[] {
  const notes = faults.slice(0, MOST_LINES).map(({ line, reason }) => {
    return `, line ${line}: ${rowReason(reason)}; it is not scored.`
  })
  return [...(encoding === 'utf-8' ? [] : [`: read as ${encoding}.`]), ...notes, ...more('rows', faultCount)]
}

/** The cells that are refused. `part` holds the answers of the table, in its order. */
export async function cellNotes(engine: TableEngine, table: Table, part: string): Promise<readonly string[]> {
  const from = `read_parquet(${fileLiteral(part)}, file_row_number = true) WHERE "cell faults" IS NOT NULL`
  const rows = await engine.rows(
    `SELECT file_row_number AS n, "cell faults" AS faults FROM ${from} ORDER BY ALL LIMIT ${MOST_LINES}`,
  )
  const notes = rows.flatMap(({ n, faults }) => {
    return faultsIn(faults).map(([column, reason]) => {
      const why = CELL_REASONS[reason] ?? 'is not a number'
      return `, line ${table.lineOf(Number(n))}, column ${column}: ${why}.`
    })
  })
  const count = rows.length < MOST_LINES ? 0 : await engine.count(from)
  return [...notes, ...more('rows with such cells', count)]
}

/** What the median of a field's values above 0 says of its unit, by file. Joined files are read once for each field. */
export async function unitNotes(
  run: ScoreRun,
  engine: TableEngine,
  { isJoined = false }: Table,
  { source, columns }: TableSource,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const notes = new Map<number, readonly string[]>()
  const place = isJoined ? identifier(FILE) : '0'
  const first = isJoined ? `WHERE ${identifier(FILE_ROW)} < ${SAMPLED_ROWS}` : `LIMIT ${SAMPLED_ROWS}`
  for (const each of unitFieldsOf(run).filter(({ field }) => columns.has(field))) {
    const value = `TRY_CAST(${identifier(each.field)} AS DOUBLE)`
    const rows = await engine.rows(
      `SELECT file, count(*) AS n, median(value) AS median FROM (SELECT ${place} AS file, ${value} AS value FROM ${source} ${first})
 WHERE value > 0 AND isfinite(value) GROUP BY file`,
    )
    for (const { file, n, median } of rows) {
      const hints = hintOf(each, Number(n), Number(median)).map((hint) => `: ${hintText(hint)}`)
      notes.set(Number(file), [...(notes.get(Number(file)) ?? []), ...hints])
    }
  }
  return notes
}

function more(what: string, count: number): readonly string[] {
  return count > MOST_LINES ? [`: ${(count - MOST_LINES).toLocaleString('en')} more ${what}.`] : []
}
