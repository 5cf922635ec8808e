/** Problems that the page itself finds in a list, in the form in which the service reports its own. */
import type { ErrorItem, Result } from '../../shapes/answers.ts'
import { convertCell, type Reading } from '../match/convert-cell.ts'
import type { Cell, Sheet } from '../read/sheet.ts'
import type { SentColumn } from './row-text.ts'

/** The result of a row that is not scored, because its cells do not fit the header. */
export function rowProblem(sheet: Sheet, row: number): Result {
  const fault = sheet.rejected.get(row)
  const kind = fault?.reason ?? 'tooFewCells'
  const given = fault?.cells.length ?? 0
  const needed = sheet.columns.length
  const ExtendError = `Not scored: line ${sheet.lines[row] ?? 0} has ${given} cells and the header has ${needed}`
  return { idx: null, risk: null, error_message: [{ Field: 'row', FieldDate: '', ExtendError, kind }] }
}

/** A number that can be read in two ways was sent as text and refused as such. The page knows the better reason. */
export function withOwnReasons<R extends Result>(
  result: R,
  cells: readonly Cell[],
  columns: readonly SentColumn[],
): R {
  if (result.error_message === null) return result
  const explain = (item: ErrorItem): ErrorItem => {
    const sent = columns.find(({ field }) => field.name === item.Field)
    if (sent === undefined || !isAmbiguous(sent, cells[sent.column], sent.reading)) return item
    return { ...item, kind: 'ambiguous' }
  }
  return { ...result, error_message: result.error_message.map(explain) }
}

function isAmbiguous({ field }: SentColumn, cell: Cell, reading: Reading): boolean {
  const converted = convertCell(field, cell, reading)
  return 'fault' in converted && converted.fault === 'ambiguous'
}
