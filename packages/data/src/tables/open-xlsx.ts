/**
 * A spreadsheet as a table of texts. Its cells are read as the page reads them: an error, and a formula whose value was not stored, is a
 * text that no field permits, and never a missing value.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Cell, SpreadsheetFault, type TableRow, readXlsxRows } from '../spreadsheets/index.ts'
import { BadFile } from './bad-file.ts'
import { AMBIGUOUS, type CellForms, MARKS } from './cell-sql.ts'
import { type TableEngine, fileLiteral, literal } from './engine.ts'
import { headerNames } from './header-names.ts'
import type { Table } from './table.ts'

const TOO_LARGE =
  'is too large for a spreadsheet: unpacked it has more than 100 MB, or a cell far away from the others; save it as CSV'
const DAMAGED =
  'cannot be read as XLSX: it is another kind of file, or it is cut off, damaged or locked; copy it again'
const IS_AMBIGUOUS = new RegExp(`^${AMBIGUOUS}$`)

let nextNumber = 0

export async function openXlsx(
  engine: TableEngine,
  path: string,
  { decimal }: Pick<CellForms, 'decimal'>,
): Promise<Table> {
  const [header, ...rows] = await rowsIn(path)
  if (header === undefined) throw new BadFile('is empty')
  const names = headerNames(
    header.cells.map((cell) => textOf(cell, decimal) ?? ''),
    header.line,
  )
  // In SQL the columns are numbered: the engine ignores the case of names.
  const columns = names.map((name, place) => ({ name, sql: `c${place}`, type: 'VARCHAR' }))
  const name = `spreadsheet_${nextNumber++}`
  const copy = join(engine.folder, `${name}.parquet`)
  await engine.run(`CREATE TEMP TABLE ${name} (${columns.map(({ sql }) => `${sql} VARCHAR`).join(', ')})`)
  const appender = await engine.appender(name)
  for (const { cells } of rows) appender.add(cells.map((cell) => textOf(cell, decimal)))
  appender.close()
  await engine.run(`COPY ${name} TO ${literal(copy)} (FORMAT parquet)`)
  await engine.run(`DROP TABLE ${name}`)
  const lines = rows.map(({ line }) => line)
  return {
    columns,
    from: `read_parquet(${fileLiteral(copy)})`,
    isText: true,
    refused: undefined,
    faults: [],
    faultCount: 0,
    encoding: 'utf-8',
    marks: MARKS,
    lineOf: (row) => lines[row] ?? row,
  }
}

async function rowsIn(path: string): Promise<readonly TableRow[]> {
  try {
    return (await readXlsxRows(await readFile(path))).rows
  } catch (error) {
    if (!(error instanceof SpreadsheetFault)) throw error
    throw new BadFile(error.reason === 'tooLarge' ? TOO_LARGE : DAMAGED)
  }
}

/** A number of a spreadsheet is no text, so it is written in the one way that the options leave no doubt about. */
function textOf(cell: Cell, decimal: CellForms['decimal']): string | null {
  if (cell === null || cell === undefined) return null
  if (typeof cell === 'object') return null
  const text = String(cell)
  if (typeof cell !== 'number') return text
  if (decimal === 'comma') return text.replace('.', ',')
  return decimal === undefined && IS_AMBIGUOUS.test(text) ? `${text}0` : text
}
