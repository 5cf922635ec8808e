/** A file or pasted text as a sheet. Long ones are read in slices. */
import { csvRows, findDelimiter } from './csv.ts'
import { pauses } from './pauses.ts'
import { parseArray, parseLines, sheetOfRecords } from './read-json.ts'
import { SheetFault, type Cell, type Sheet } from './sheet.ts'

export async function readSheet(name: string, text: string): Promise<Sheet> {
  const start = /\S/.exec(text.startsWith('\uFEFF') ? text.slice(1) : text)?.[0]
  if (start === undefined) throw new SheetFault('empty')
  if (start === '[') return sheetOfRecords(name, 'json', parseArray(text))
  if (start === '{') return sheetOfRecords(name, 'ndjson', await parseLines(text))
  return readCsv(name, text)
}

async function readCsv(name: string, text: string): Promise<Sheet> {
  const delimiter = findDelimiter(text)
  const rows: Cell[][] = []
  const pause = pauses()
  let columns: string[] | undefined
  let ragged = 0
  for (const row of csvRows(text, delimiter)) {
    if (columns === undefined) {
      columns = row.map((cell, index) => (cell.trim() === '' ? `column ${index + 1}` : cell.trim()))
      continue
    }
    if (row.length > columns.length) ragged++
    rows.push(row.length > columns.length ? row.slice(0, columns.length) : row)
    await pause()
  }
  if (rows.length === 0) throw new SheetFault('noRows')
  return {
    name,
    kind: 'csv',
    delimiter,
    columns: columns ?? [],
    rows,
    ragged,
    strays: new Map(),
    repeated: new Map(),
  }
}

/** A file's text: UTF-8, or the coding of older spreadsheets where it is not. */
export function decodeText(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
