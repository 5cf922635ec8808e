/** A file or pasted text as a sheet. Long ones are read in slices, so that the page stays responsive. */
import { cellText } from '../match/convert-cell.ts'
import { pauses } from './pauses.ts'
import { csvRows, decodeText, findDelimiter, type CsvRow } from './read-csv.ts'
import { parseArray, parseLines, sheetOfRecords } from './read-json.ts'
import { SheetFault, type Cell, type Delimiter, type Encoding, type RowFault, type Sheet } from './sheet.ts'

export interface Source {
  readonly name: string
  readonly bytes: Uint8Array
}

/** What the reader says about a file; the page decides where it is left out. */
export interface ReadOptions {
  readonly headerLine?: number
  readonly delimiter?: Delimiter
  readonly encoding?: Encoding
}

export async function readSheet(source: Source, options: ReadOptions = {}): Promise<Sheet> {
  const { name, bytes } = source
  if (isZip(bytes)) return readSpreadsheet(source, options)
  const { text, encoding } = decodeText(bytes, options.encoding)
  const start = /\S/.exec(text.startsWith('\uFEFF') ? text.slice(1) : text)?.[0]
  if (start === undefined) throw new SheetFault('empty')
  if (start === '[') return sheetOfRecords(name, 'json', parseArray(text))
  if (start === '{') return sheetOfRecords(name, 'ndjson', await parseLines(text))
  const delimiter = options.delimiter ?? findDelimiter(text, options.headerLine)
  return tableOf({ name, kind: 'csv', delimiter, encoding }, csvRows(text, delimiter), options.headerLine)
}

/** Spreadsheets are ZIP archives. */
function isZip([first, second, third, fourth]: Uint8Array): boolean {
  return first === 0x50 && second === 0x4b && third === 3 && fourth === 4
}

async function readSpreadsheet({ name, bytes }: Source, { headerLine }: ReadOptions): Promise<Sheet> {
  const rows = await import('./read-xlsx.ts')
    .then(({ readXlsxRows }) => readXlsxRows(bytes))
    .catch(() => {
      throw new SheetFault('xlsx')
    })
  return tableOf({ name, kind: 'xlsx', delimiter: ',' }, rows, headerLine)
}

interface TableRow {
  readonly line: number
  readonly cells: readonly Cell[]
}

type TableParts = Pick<Sheet, 'name' | 'kind' | 'delimiter' | 'encoding'>

/** Rows below a header. Rows above the chosen header are left out. */
async function tableOf(
  parts: TableParts,
  all: Iterable<CsvRow | TableRow>,
  headerLine: number | undefined,
): Promise<Sheet> {
  const rows: Cell[][] = []
  const lines: number[] = []
  const rejected = new Map<number, RowFault>()
  const pause = pauses()
  let header: { readonly line: number; readonly columns: readonly string[] } | undefined
  for (const { line, cells } of all) {
    if (header === undefined) {
      if (headerLine === undefined || line >= headerLine) header = { line, columns: namesOf(cells, line) }
      continue
    }
    const { length } = header.columns
    if (cells.length !== length) {
      const reason = cells.length > length ? 'tooManyCells' : 'tooFewCells'
      rejected.set(rows.length, { reason, cells: cells.map(cellText) })
    }
    rows.push(cells.length === length ? [...cells] : [])
    lines.push(line)
    await pause()
  }
  if (header === undefined) throw new SheetFault('empty')
  if (rows.length === 0) throw new SheetFault('noRows')
  return {
    ...parts,
    headerLine: header.line,
    columns: header.columns,
    rows,
    lines,
    rejected,
    nonRecords: new Map(),
    repeated: new Map(),
    corrected: new Map(),
  }
}

/** An empty name becomes the place of the column. A name given twice would leave open which column is meant. */
export function namesOf(cells: readonly Cell[], line: number): readonly string[] {
  const names = cells.map((cell, index) => {
    const name = cellText(cell).trim()
    return name === '' ? `column ${index + 1}` : name
  })
  if (new Set(names).size < names.length) throw new SheetFault('repeatedColumn', line)
  return names
}
