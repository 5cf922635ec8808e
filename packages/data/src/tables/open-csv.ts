/**
 * A CSV file as the engine can read it. A file with one kind of line end, no quote and no blank line is read where it is. Any
 * other file is copied once, as plain CSV in UTF-8, so that the engine never has to guess.
 */
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { BadFile } from './bad-file.ts'
import { MARKS, PLAIN_MARKS } from './cell-sql.ts'
import {
  CR,
  LF,
  QUOTE,
  type ScannedRow,
  cellsOf,
  delimiterOf,
  knownDelimiter,
  scanRows,
} from './csv-scanner.ts'
import { separatorIn } from 'patient-risk-engine/cells'
import { fileLiteral, literal } from './engine.ts'
import { headerNames } from './header-names.ts'
import { type Encoding, READ_BYTES, decodeParts, markedEncoding, openInput } from './open-input.ts'
import type { Table } from './table.ts'

const LONGEST_ROW_BYTES = 1024 * 1024
/** What the last column of a copy holds in a row that cannot be read. */
const REFUSED = 'x'
const MOST_FAULTS = 1_000

export interface CsvOptions {
  readonly delimiter?: string | undefined
  readonly encoding?: Encoding | undefined
  /** Whether every row must have been looked at, and not only what the engine does not notice itself. */
  readonly isScanned?: boolean
}

let nextNumber = 0

export async function openCsv(path: string, options: CsvOptions, folder: string): Promise<Table> {
  const { delimiter, encoding, isScanned = false } = options
  // Compressed files and UTF-16 are not UTF-8, so they do not pass.
  const isUtf8 = (encoding ?? 'utf-8') === 'utf-8'
  const simple = !isScanned && isUtf8 ? await openDirectly(path, delimiter) : undefined
  if (simple !== undefined) return simple
  const copy = join(folder, `input-${nextNumber++}.csv`)
  const copyAs = (known: Encoding): Promise<Table | undefined> => copyCsv(path, copy, known, delimiter)
  const table = await copyAs(encoding ?? (await encodingOf(path)) ?? 'utf-8')
  return table ?? ((await copyAs('windows-1252')) as Table)
}

async function encodingOf(path: string): Promise<Encoding | undefined> {
  for await (const part of openInput(path).bytes) return markedEncoding(part)
  return undefined
}

/**
 * Undefined unless the engine reads the file as the scanner does, or fails: UTF-8 with no quote, no blank line and one kind of
 * line end. It does not notice an extra delimiter at the end of a row. This takes a tenth of the time of a scan.
 */
async function openDirectly(path: string, givenDelimiter: string | undefined): Promise<Table | undefined> {
  const marks = new Set<string>()
  let header: readonly string[] = []
  let delimiter = ','
  let ends = 0
  const take = (bytes: Buffer): void => {
    const isStart = header.length === 0
    const start = isStart ? bytes.indexOf(LF) : 0
    if (isStart) {
      const line = bytes.toString('utf8', 0, start).replace(/\r$/, '')
      // The line of a spreadsheet program that names the separator is not part of the table.
      if (separatorIn(`${line}\n`) !== undefined) ends = ENDS.other
      delimiter = givenDelimiter ?? delimiterOf(line)
      header = line.split(delimiter)
    }
    ends |= simpleEnds(bytes, delimiter.charCodeAt(0))
    for (const mark of PLAIN_MARKS) if (bytes.includes(mark, start)) marks.add(mark)
  }
  let rest: Buffer = Buffer.alloc(0)
  for await (const part of decodeParts(createReadStream(path, { highWaterMark: READ_BYTES }), 'utf-8')) {
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part])
    const end = bytes.lastIndexOf(LF) + 1
    if (end === 0) return undefined
    take(bytes.subarray(0, end))
    if (ends > ENDS.crlf) return undefined
    rest = bytes.subarray(end)
  }
  if (header.length === 0) return undefined
  take(rest)
  if (ends !== ENDS.lf && ends !== ENDS.crlf) return undefined
  return csvTable(path, delimiter, header, 1, { marks, lineOf: (row) => row + 2 })
}

/** How rows end, as bits: a file that the engine reads directly has one kind only, and nothing that is `other`. */
const ENDS = { lf: 1, crlf: 2, other: 4 } as const

/** The line ends of whole rows, and of the last one that has none; `ENDS.other` where the engine might read something else. */
function simpleEnds(bytes: Buffer, delimiter: number): number {
  if (bytes.includes(QUOTE) || !isUtf8(bytes)) return ENDS.other
  for (let at = bytes.indexOf(CR); at >= 0; at = bytes.indexOf(CR, at + 1))
    if (bytes[at + 1] !== LF) return ENDS.other
  let ends = 0
  let start = 0
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, start)) {
    const isPair = bytes[at - 1] === CR
    const end = isPair ? at - 1 : at
    if (end === start || bytes[end - 1] === delimiter) return ENDS.other
    ends |= isPair ? ENDS.crlf : ENDS.lf
    start = at + 1
  }
  return bytes.at(-1) === delimiter ? ENDS.other : ends
}

/** Scans the file and copies its rows: without the header, and with one column more. Undefined where it is not in UTF-8. */
async function copyCsv(
  path: string,
  copy: string,
  encoding: Encoding,
  givenDelimiter: string | undefined,
): Promise<Table | undefined> {
  const faults: Table['faults'][number][] = []
  let faultCount = 0
  let header: readonly string[] = []
  let headerLine = 1
  let rows = 0
  /** Rows from which on the line is not the one expected from the row before: the row, and its line less the row. */
  const breaks: { readonly row: number; readonly offset: number }[] = []
  /** Rows that are not yet written, a character for each byte. */
  let copied = ''
  let delimiter = ','
  let hasSeparatorLine = false
  const takeRow = (bytes: Buffer, row: ScannedRow): void => {
    if (hasSeparatorLine && row.line === 1) return
    if (header.length === 0) {
      header = cellsOf(bytes.toString('utf8', row.start, row.end), delimiter)
      headerLine = row.line
      return
    }
    const offset = row.line - rows
    if (breaks[breaks.length - 1]?.offset !== offset) breaks.push({ row: rows, offset })
    rows++
    if (row.cells === header.length) {
      const text = bytes.toString('latin1', row.start, row.end)
      copied += `${row.hasStrayQuote ? quoted(text, delimiter) : text}${delimiter}\n`
      return
    }
    const reason = row.cells > header.length ? 'tooManyCells' : 'tooFewCells'
    if (faultCount++ < MOST_FAULTS) faults.push({ line: row.line, reason })
    copied += `${delimiter.repeat(header.length)}${REFUSED}\n`
  }
  await using file = await open(copy, 'w', 0o600)
  let line = 1
  /** Returns how many bytes are whole rows. */
  const take = async (bytes: Buffer, isLast: boolean): Promise<number> => {
    if (line === 1) {
      const text = bytes.toString()
      const stated = separatorIn(text)
      hasSeparatorLine = stated !== undefined
      delimiter =
        givenDelimiter ?? knownDelimiter(stated?.separator) ?? delimiterOf(text.slice(stated?.length ?? 0))
    }
    const { done, nextLine } = scanRows(bytes, line, isLast, delimiter, (row) => takeRow(bytes, row))
    line = nextLine
    await file.writeFile(copied, 'latin1')
    copied = ''
    return done
  }
  let rest: Buffer = Buffer.alloc(0)
  for await (const part of decodeParts(openInput(path).bytes, encoding)) {
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part])
    const done = await take(bytes, false)
    if (!isUtf8(bytes.subarray(0, done))) return undefined
    rest = bytes.subarray(done)
    if (rest.length > LONGEST_ROW_BYTES)
      throw new BadFile('a row is longer than 1 MiB, or its end is missing', { line })
  }
  await take(rest, true)
  if (!isUtf8(rest)) return undefined
  if (header.length === 0) throw new BadFile('is empty')
  const lineOf = (row: number): number => row + (breaks.findLast((each) => each.row <= row)?.offset ?? 0)
  const refused = faultCount === 0 ? undefined : `coalesce(refused, '') = '${REFUSED}'`
  const found = { marks: MARKS, lineOf, faults, faultCount, encoding, refused, isCopy: true }
  return csvTable(copy, delimiter, header, headerLine, found)
}

function quoted(row: string, delimiter: string): string {
  const cells = cellsOf(row, delimiter).map((cell) => `"${cell.replaceAll('"', '""')}"`)
  return cells.join(delimiter)
}

function csvTable(
  path: string,
  delimiter: string,
  header: readonly string[],
  headerLine: number,
  found: Pick<Table, 'marks' | 'lineOf'> & Partial<Table> & { readonly isCopy?: boolean },
): Table {
  const { isCopy = false, ...known } = found
  const names = headerNames(header, headerLine)
  // In SQL the columns are numbered: the engine ignores the case of names.
  const columns = names.map((name, place) => ({ name, sql: `c${place}`, type: 'VARCHAR' }))
  const inFile = [...columns.map(({ sql }) => sql), ...(isCopy ? ['refused'] : [])]
  // The dialect is fixed, so that the engine does not guess.
  const parameters = [
    fileLiteral(path),
    `max_line_size = ${LONGEST_ROW_BYTES}`,
    'auto_detect = false',
    `header = ${!isCopy}`,
    `delim = ${literal(delimiter)}`,
    `quote = '"'`,
    `escape = '"'`,
    `columns = {${inFile.map((name) => `${name}: 'VARCHAR'`).join(', ')}}`,
    'strict_mode = true',
  ]
  const nothing = { refused: undefined, faults: [], faultCount: 0, encoding: 'utf-8' }
  return {
    columns,
    from: `read_csv(${parameters.join(', ')})`,
    isText: true,
    delimiter,
    ...nothing,
    ...known,
  }
}
