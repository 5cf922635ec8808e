/** A file or pasted text as a sheet: columns with names, and rows of cells. Long ones are read in slices. */
import { csvRows, findDelimiter, type Delimiter } from './csv.ts'

export type Cell = string | number | boolean | null | undefined | object

export interface Sheet {
  readonly name: string
  readonly kind: 'csv' | 'json' | 'ndjson'
  /** The sign between columns, also for what is written from this sheet. */
  readonly delimiter: Delimiter
  readonly columns: readonly string[]
  /** Cells may be put right in place. */
  readonly rows: Cell[][]
  /** Rows that had more cells than there are columns. */
  readonly ragged: number
}

/** Why a text is no sheet, with the line where there is one. */
export class SheetFault extends Error {
  override readonly name = 'SheetFault'
  readonly reason: 'empty' | 'json' | 'notRecords' | 'noRows'
  readonly line: number | undefined

  constructor(reason: SheetFault['reason'], line?: number) {
    super(reason)
    this.reason = reason
    this.line = line
  }
}

const SLICE_MS = 24

export async function readSheet(name: string, text: string): Promise<Sheet> {
  const start = /\S/.exec(text.startsWith('\uFEFF') ? text.slice(1) : text)?.[0]
  if (start === undefined) throw new SheetFault('empty')
  if (start === '[') return sheetOfRecords(name, 'json', parseArray(text), ',')
  if (start === '{') return sheetOfRecords(name, 'ndjson', await parseLines(text), ',')
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
  return { name, kind: 'csv', delimiter, columns: columns ?? [], rows, ragged }
}

function parseArray(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (Array.isArray(value)) return value as unknown[]
  } catch {
    throw new SheetFault('json')
  }
  throw new SheetFault('notRecords')
}

async function parseLines(text: string): Promise<readonly unknown[]> {
  const records: unknown[] = []
  const pause = pauses()
  let line = 0
  for (const each of text.replace(/^\uFEFF/, '').split('\n')) {
    line++
    if (each.trim() === '') continue
    try {
      records.push(JSON.parse(each))
    } catch {
      // A single record may be printed over several lines.
      if (records.length === 0) return parseArray(`[${text}]`)
      throw new SheetFault('json', line)
    }
    await pause()
  }
  return records
}

async function sheetOfRecords(
  name: string,
  kind: 'json' | 'ndjson',
  records: readonly unknown[],
  delimiter: Delimiter,
): Promise<Sheet> {
  if (records.length === 0) throw new SheetFault('noRows')
  const places = new Map<string, number>()
  const rows: Cell[][] = []
  const pause = pauses()
  for (const [index, record] of records.entries()) {
    if (typeof record !== 'object' || record === null || Array.isArray(record)) {
      throw new SheetFault('notRecords', index + 1)
    }
    const row: Cell[] = []
    for (const [key, value] of Object.entries(record)) {
      const place = places.get(key) ?? places.size
      places.set(key, place)
      row[place] = value as Cell
    }
    rows.push(row)
    await pause()
  }
  return { name, kind, delimiter, columns: [...places.keys()], rows, ragged: 0 }
}

/** Lets the page breathe now and then while a long text is read. */
function pauses(): () => Promise<void> | undefined {
  let since = performance.now()
  let count = 0
  return () => {
    if (++count % 256 !== 0 || performance.now() - since < SLICE_MS) return undefined
    return new Promise((resolve) =>
      setTimeout(() => {
        since = performance.now()
        resolve()
      }),
    )
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
