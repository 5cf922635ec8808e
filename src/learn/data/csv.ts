/** Rows of a CSV file with a header. Commas, semicolons or tabs part the cells, as the header shows. */
import { statSync } from 'node:fs'
import { BadFile } from '../../tables/bad-file.ts'
import type { CellPlaces } from '../../tables/cell-places.ts'
import { CHUNK_BYTES } from '../../tables/chunk.ts'
import { CsvRows } from '../../tables/csv-rows.ts'
import { allRows, delimiterOf } from '../../tables/csv-texts.ts'
import { openInput } from '../../tables/open-input.ts'
import { splitCsv } from '../../tables/split-csv.ts'
import { placesOf } from './places.ts'
import type { Cell, OnProgress, Row, Visit } from './row.ts'

export async function readCsv(
  path: string,
  wanted: readonly string[],
  visit: Visit,
  onProgress: OnProgress,
): Promise<void> {
  const { size } = statSync(path)
  const { bytes, readBytes } = openInput(path)
  const pieces = splitCsv(bytes, CHUNK_BYTES)
  const header = await pieces.next()
  if (header.done === true) throw new BadFile('is empty')
  const delimiter = delimiterOf(header.value.bytes)
  const [names = []] = allRows(header.value.bytes, delimiter, header.value.line)
  const places = placesOf(
    path,
    wanted,
    names.map((name) => name.trim()),
  )
  for await (const piece of pieces) {
    const rows = new CsvRows(piece.bytes, delimiter, piece.line, names.length)
    const row = new CsvRow(rows.cells, places)
    while (rows.next()) {
      row.line = rows.line
      visit(row)
    }
    onProgress(readBytes(), size)
  }
}

class CsvRow implements Row {
  line = 0
  private readonly cells: CellPlaces
  private readonly places: readonly number[]

  constructor(cells: CellPlaces, places: readonly number[]) {
    this.cells = cells
    this.places = places
  }

  cell(place: number): Cell {
    return this.cells.text(this.places[place] as number)
  }

  number(place: number): number {
    return this.cells.number(this.places[place] as number)
  }
}
