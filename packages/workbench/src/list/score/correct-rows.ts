/** Corrects cells of a list and scores their rows again. */
import { convertCell, PLAIN_READING } from '../match/convert-cell.ts'
import { change } from '../history/history.ts'
import { list, textOfCell } from '../list-state.ts'
import type { Cell } from '../read/sheet.ts'

/** Corrects one cell, and offers the same for the other rows with that value. */
export function correctOne(row: number, column: number, text: string): void {
  const { sheet, results } = list.get()
  if (sheet === undefined) return
  const from = textOfCell(sheet, row, column)
  const rows: number[] = []
  const field = list.get().matches[column] ?? ''
  for (let each = 0; each < sheet.rows.length; each++) {
    const isSame = each !== row && textOfCell(sheet, each, column) === from && !sheet.rejected.has(each)
    // A value that is right elsewhere is left alone.
    if (isSame && results.problemsOf(each).some((item) => item.Field === field)) rows.push(each)
  }
  correctRows([row], column, text)
  if (rows.length > 0) list.patch({ offer: { column, from, to: text, rows } })
}

export function correctRows(rows: readonly number[], column: number, text: string): void {
  change(rows, column, typedCell(column, text))
}

/** Values of JSON are sent as they are, so a corrected one is converted when it is typed. */
function typedCell(column: number, text: string): Cell {
  const { sheet, matches, scoredBy } = list.get()
  if (sheet?.kind !== 'json' && sheet?.kind !== 'ndjson') return text
  const field = scoredBy?.catalogue.fields.find(({ name }) => name === matches[column])
  if (field === undefined) return text
  const converted = convertCell(field, text, PLAIN_READING)
  return 'value' in converted ? converted.value : text
}
