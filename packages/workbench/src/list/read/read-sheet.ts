/** A file or pasted text as a sheet. Long ones are read in slices, so that the page stays responsive. */
import { separatorIn } from 'patient-risk-engine/cells'
import { cellText } from '../match/convert-cell.ts'
import { pauses } from './pauses.ts'
import { csvRows, decodeText, DELIMITERS, findDelimiter } from './read-csv.ts'
import { parseArray, parseLines, sheetOfRecords } from './read-json.ts'
import { SheetFault, type Cell, type ReadOptions, type RowFault, type Sheet, type TableRow } from './sheet.ts'

export interface Source {
  readonly name: string
  readonly bytes: Uint8Array
}

export async function readSheet(source: Source, options: ReadOptions = {}): Promise<Sheet> {
  const { name, bytes } = source
  if (startsWith(bytes, ZIP)) return readSpreadsheet(source, options)
  if (startsWith(bytes, OLE2)) throw new SheetFault('xls')
  const { text: all, encoding } = decodeText(bytes, options.encoding)
  // Spreadsheet programs name the separator in a line of its own. It stays a line, so that the others keep their numbers.
  const stated = separatorIn(all)
  const text = stated === undefined ? all : `\n${all.slice(stated.length)}`
  const start = /\S/.exec(text.startsWith('\uFEFF') ? text.slice(1) : text)?.[0]
  if (start === undefined) throw new SheetFault('empty')
  if (text.includes('\0')) throw new SheetFault('binary')
  if (start === '<') throw new SheetFault('html')
  if (start === '[') return sheetOfRecords(name, 'json', parseArray(text))
  if (start === '{') return sheetOfRecords(name, 'ndjson', await parseLines(text))
  const delimiter =
    options.delimiter ??
    DELIMITERS.find((each) => each === stated?.separator) ??
    findDelimiter(text, options.headerLine)
  return tableOf(
    { name, kind: 'csv', delimiter, encoding, options },
    { [Symbol.iterator]: () => csvRows(text, delimiter) },
  )
}

/** Spreadsheets are ZIP archives; those of older programs, and locked ones, are not. */
const ZIP = [0x50, 0x4b, 3, 4]
const OLE2 = [0xd0, 0xcf, 0x11, 0xe0]

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((each, index) => bytes[index] === each)
}

async function readSpreadsheet({ name, bytes }: Source, options: ReadOptions): Promise<Sheet> {
  const { SpreadsheetFault, readXlsxRows } = await import('@patient-risk/data/spreadsheets')
  const { rows, workbook } = await readXlsxRows(bytes, options.sheet).catch((error: unknown) => {
    const isTooLarge = error instanceof SpreadsheetFault && error.reason === 'tooLarge'
    throw new SheetFault(isTooLarge ? 'xlsxTooLarge' : 'xlsx')
  })
  const hidden = new Set(options.isWithoutHidden === true ? workbook.hiddenLines : [])
  const used = rows.filter(({ line }) => !hidden.has(line))
  try {
    return await tableOf({ name, kind: 'xlsx', delimiter: ',', options, workbook }, used)
  } catch (error) {
    // Another sheet may have the list.
    if (error instanceof SheetFault) error.workbook = workbook
    throw error
  }
}

type TableParts = Pick<Sheet, 'name' | 'kind' | 'delimiter' | 'encoding' | 'options' | 'workbook'>

/** Rows below a header. Rows above it are left out. */
async function tableOf(parts: TableParts, all: Iterable<TableRow>): Promise<Sheet> {
  const headerLine = parts.options?.headerLine ?? likelyHeader(all)
  const rows: Cell[][] = []
  const lines: number[] = []
  const rejected = new Map<number, RowFault>()
  const pause = pauses()
  let header: { readonly line: number; readonly columns: readonly string[] } | undefined
  for (const { line, cells } of all) {
    if (header === undefined) {
      if (line >= headerLine) header = { line, columns: namesOf(cells, line) }
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

const LOOKED_AT = 20

/** The line of the first row that is not a title: a title has less than half as many cells as the rows further down. */
function likelyHeader(all: Iterable<TableRow>): number {
  const seen: { readonly line: number; readonly filled: number }[] = []
  for (const { line, cells } of all) {
    seen.push({ line, filled: cells.filter((cell) => cellText(cell).trim() !== '').length })
    if (seen.length === LOOKED_AT) break
  }
  const below = seen.slice(Math.floor(seen.length / 2)).map(({ filled }) => filled)
  const usual = below.sort((a, b) => a - b)[Math.floor((below.length - 1) / 2)] ?? 0
  return seen.find(({ filled }) => filled * 2 >= usual)?.line ?? 0
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
