/**
 * A CSV file as the engine can read it. A file with one kind of line end and nothing unusual is read where it is. Any
 * other file is copied once, as plain CSV in UTF-8, so that the engine never has to guess.
 */
import { isUtf8 } from 'node:buffer'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { BadFile } from './bad-file.ts'
import {
  CR,
  CsvScanner,
  ENDS,
  LF,
  QUOTE,
  type ScannedRow,
  cellsOf,
  delimiterOf,
  trimCell,
} from './csv-scanner.ts'
import { literal } from './engine.ts'
import { type Encoding, decodeParts, markedEncoding } from './decode-text.ts'
import { type TempFolder, compressionOf, openInput } from './open-input.ts'

const LONGEST_ROW_BYTES = 1024 * 1024
/** What the last column of a copy holds in a row that cannot be read. */
const REFUSED = 'x'
const MOST_FAULTS = 1_000
/** The engine takes each of these for a part of a number, or reads past it. Only a quoted cell can hold a line end. */
const PLAIN_MARKS = ['_', 'e', 'E', '+', ' ', '\t', '\v', '\f'] as const
export const MARKS = [...PLAIN_MARKS, '\n', '\r'] as const

export interface CsvOptions {
  readonly delimiter?: string | undefined
  readonly encoding?: Encoding | undefined
  /** Whether every row must have been looked at, and not only what the engine itself does not notice. */
  readonly isScanned?: boolean
}

export interface RowFault {
  readonly line: number
  readonly reason: 'tooManyCells' | 'tooFewCells'
}

let nextNumber = 0

export async function openCsv(path: string, options: CsvOptions, folder: TempFolder): Promise<CsvFile> {
  const copy = join(folder.path, `input-${nextNumber++}.csv`)
  const encoding = options.encoding ?? (await encodingOf(path)) ?? 'utf-8'
  const mustCopy = encoding !== 'utf-8' || (await compressionOf(path)) !== undefined
  if (!mustCopy && options.isScanned !== true) {
    const simple = new CsvFile(path, encoding, undefined)
    if (await simple.look(options.delimiter)) return refuseRepeatedNames(simple)
  }
  const first = new CsvFile(path, encoding, mustCopy ? copy : undefined)
  await first.read(options.delimiter)
  const isFinal = first.isValid && (mustCopy || first.isPlain)
  const file = isFinal ? first : new CsvFile(path, first.isValid ? encoding : 'windows-1252', copy)
  if (file !== first) await file.read(options.delimiter)
  return refuseRepeatedNames(file)
}

async function encodingOf(path: string): Promise<Encoding | undefined> {
  for await (const part of openInput(path).bytes) return markedEncoding(part)
  return undefined
}

/** A file as it was scanned: its header, its faults, and which row is on which line. It is a table for the engine. */
class CsvFile {
  readonly isText = true
  readonly encoding: Encoding
  /**
   * An empty name is replaced by the column's place. In SQL the columns are numbered: the engine does not tell upper from lower
   * case in names.
   */
  columns: readonly { readonly name: string; readonly sql: string; readonly type: string }[] = []
  headerLine = 1
  /** Rows that are not scored: the first thousand, and how many there are. */
  readonly faults: RowFault[] = []
  faultCount = 0
  /** Whether all of it is in its encoding. */
  isValid = true
  /** Those of `MARKS` that some cell may have. */
  readonly marks = new Set<string>()
  /** Whether the engine understands it in the same way. */
  isPlain = true
  private readonly original: string
  /** Where a copy is made and read instead, which has no header and one column more. */
  private readonly copy: string | undefined
  private delimiter = ','
  /** Rows that are not yet copied, a character for each byte. */
  private copied = ''
  private rows = 0
  /** Rows from which on the line is not the one expected from the row before: the row, and its line less the row. */
  private readonly breaks: number[] = []
  private readonly offsets: number[] = []

  constructor(original: string, encoding: Encoding, copy: string | undefined) {
    this.original = original
    this.encoding = encoding
    this.copy = copy
  }

  get refused(): string | undefined {
    return this.copy !== undefined && this.faultCount > 0 ? `coalesce(refused, '') = '${REFUSED}'` : undefined
  }

  /** The dialect is fixed, so that the engine does not guess. */
  get from(): string {
    const names = [...this.columns.map(({ sql }) => sql), ...(this.copy === undefined ? [] : ['refused'])]
    const parameters = [
      literal(this.copy ?? this.original),
      `max_line_size = ${LONGEST_ROW_BYTES}`,
      'auto_detect = false',
      `header = ${this.copy === undefined}`,
      `delim = ${literal(this.delimiter)}`,
      `quote = '"'`,
      `escape = '"'`,
      `columns = {${names.map((name) => `${name}: 'VARCHAR'`).join(', ')}}`,
      'strict_mode = true',
    ]
    return `read_csv(${parameters.join(', ')})`
  }

  /** The line on which a row starts; rows are counted from 0. */
  lineOf(row: number): number {
    return row + (this.offsets[this.breaks.findLastIndex((from) => from <= row)] ?? 0)
  }

  /**
   * Whether the engine reads the file as the scanner does, or fails: UTF-8 with no quote, no blank line and one kind of line
   * end. It does not notice a delimiter too many at the end of a row. This takes a tenth of the time of a scan.
   */
  async look(givenDelimiter: string | undefined): Promise<boolean> {
    let ends = 0
    const take = (bytes: Buffer): void => {
      const isStart = this.columns.length === 0
      const start = isStart ? bytes.indexOf(LF) : 0
      if (isStart) {
        const header = bytes.toString('utf8', 0, start).replace(/\r$/, '')
        this.delimiter = givenDelimiter ?? delimiterOf(header)
        this.takeHeader(header.split(this.delimiter))
      }
      ends |= simpleEnds(bytes, this.delimiter.charCodeAt(0))
      for (const mark of PLAIN_MARKS) if (bytes.includes(mark, start)) this.marks.add(mark)
    }
    let rest: Buffer = Buffer.alloc(0)
    for await (const part of decodeParts(openInput(this.original).bytes, 'utf-8')) {
      const bytes = rest.length === 0 ? part : Buffer.concat([rest, part])
      const end = bytes.lastIndexOf(LF) + 1
      if (end === 0) return false
      take(bytes.subarray(0, end))
      if (ends > ENDS.crlf) return false
      rest = bytes.subarray(end)
    }
    if (this.columns.length === 0) return false
    take(rest)
    this.breaks.push(0)
    this.offsets.push(2)
    return ends === ENDS.lf || ends === ENDS.crlf
  }

  async read(givenDelimiter: string | undefined): Promise<void> {
    const file = this.copy === undefined ? undefined : await open(this.copy, 'w', 0o600)
    let scanner: CsvScanner | undefined
    const take = async (bytes: Buffer, isLast: boolean): Promise<number> => {
      if (bytes.length === 0) return 0
      if (scanner === undefined) {
        this.delimiter = givenDelimiter ?? delimiterOf(bytes.toString())
        scanner = new CsvScanner(this.delimiter)
      }
      const done = scanner.scan(bytes, isLast, (row) => this.takeRow(bytes, row))
      for (const mark of MARKS) this.marks.add(mark)
      this.isValid &&= isUtf8(bytes.subarray(0, done))
      await file?.writeFile(this.copied, 'latin1')
      this.copied = ''
      return done
    }
    try {
      let rest: Buffer = Buffer.alloc(0)
      for await (const part of decodeParts(openInput(this.original).bytes, this.encoding)) {
        const bytes = rest.length === 0 ? part : Buffer.concat([rest, part])
        rest = bytes.subarray(await take(bytes, false))
        if (rest.length > LONGEST_ROW_BYTES)
          throw new BadFile('a row is longer than 1 MiB, or its end is missing', { line: scanner?.line ?? 1 })
      }
      await take(rest, true)
    } finally {
      await file?.close()
    }
    if (this.columns.length === 0) throw new BadFile('is empty', undefined, 'empty')
    const { ends = 0, blankLines = 0 } = scanner ?? {}
    const isOneEnd = ends === ENDS.lf || ends === ENDS.crlf
    // The engine skips blank lines too, but not where a row has one cell.
    this.isPlain &&= isOneEnd && this.faultCount === 0 && !(blankLines > 0 && this.columns.length === 1)
  }

  private takeRow(bytes: Buffer, row: ScannedRow): void {
    if (row.isOdd) this.isPlain = false
    if (this.columns.length === 0) {
      const cells = cellsOf(bytes.toString('utf8', row.start, row.end), this.delimiter)
      // Nor does the engine skip blank lines before the header.
      if (row.line > 1 || cells.some((cell) => /[\r\n]/.test(cell))) this.isPlain = false
      this.takeHeader(cells)
      this.headerLine = row.line
      return
    }
    const offset = row.line - this.rows
    if (this.offsets.at(-1) !== offset) {
      this.breaks.push(this.rows)
      this.offsets.push(offset)
    }
    this.rows++
    const width = this.columns.length
    const isRefused = row.cells !== width
    if (isRefused && this.faultCount++ < MOST_FAULTS) {
      this.faults.push({ line: row.line, reason: row.cells > width ? 'tooManyCells' : 'tooFewCells' })
    }
    if (this.copy !== undefined) this.copied += `${this.copyOf(bytes, row, isRefused)}\n`
  }

  private takeHeader(cells: readonly string[]): void {
    this.columns = cells.map((cell, place) => {
      return { name: trimCell(cell) || `column ${place + 1}`, sql: `c${place}`, type: 'VARCHAR' }
    })
  }

  private copyOf(bytes: Buffer, row: ScannedRow, isRefused: boolean): string {
    const { delimiter } = this
    if (isRefused) return `${delimiter.repeat(this.columns.length)}${REFUSED}`
    const text = bytes.toString('latin1', row.start, row.end)
    if (!row.isOdd) return `${text}${delimiter}`
    return cellsOf(text, delimiter)
      .map((cell) => `"${cell.replaceAll('"', '""')}"${delimiter}`)
      .join('')
  }
}

/** The line ends of whole rows, and of the last one that has none; `ENDS.cr` where the engine might read something else. */
function simpleEnds(bytes: Buffer, delimiter: number): number {
  if (bytes.includes(QUOTE) || !isUtf8(bytes)) return ENDS.cr
  for (let at = bytes.indexOf(CR); at >= 0; at = bytes.indexOf(CR, at + 1))
    if (bytes[at + 1] !== LF) return ENDS.cr
  let ends = 0
  let start = 0
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, start)) {
    const isPair = bytes[at - 1] === CR
    const end = isPair ? at - 1 : at
    if (end === start || bytes[end - 1] === delimiter) return ENDS.cr
    ends |= isPair ? ENDS.crlf : ENDS.lf
    start = at + 1
  }
  return bytes.at(-1) === delimiter ? ENDS.cr : ends
}

/** Nobody could say which of two columns with the same name is meant. */
function refuseRepeatedNames(file: CsvFile): CsvFile {
  const { columns, headerLine: line } = file
  const names = columns.map(({ name }) => name)
  const second = names.findIndex((name, place) => names.indexOf(name) !== place)
  if (second < 0) return file
  const first = names.indexOf(names[second] as string)
  const message = `columns ${first + 1} and ${second + 1} of the header have the same name`
  throw new BadFile(message, { line }, 'repeatedColumn')
}
