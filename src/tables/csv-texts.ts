/** CSV as texts: all rows of a piece, and what parts the cells of a header. */
import { CsvRows } from './csv-rows.ts'

const DELIMITERS = [',', ';', '\t'] as const
const QUOTED = /"[^"]*("|$)/g

export function allRows(bytes: Uint8Array, delimiter: string, line: number, width?: number): string[][] {
  const rows = new CsvRows(bytes, delimiter, line, width)
  const { cells } = rows
  const all: string[][] = []
  while (rows.next()) {
    const row = new Array<string>(cells.count)
    for (let place = 0; place < row.length; place++) row[place] = cells.text(place)
    all.push(row)
  }
  return all
}

/** The delimiter that a header uses: the one that splits it into most cells. */
export function delimiterOf(header: Uint8Array): string {
  // What stands in quotes parts nothing.
  const text = Buffer.from(header).toString('utf8').replace(QUOTED, '')
  const counts = DELIMITERS.map((delimiter) => text.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}
