/**
 * A CSV file as the engine can read it. A file with one kind of line end and nothing unusual is read where it is. Any
 * other file is copied once, as plain CSV in UTF-8, so that the engine never has to guess.
 */
import { isUtf8 } from 'node:buffer'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { BadFile } from './bad-file.ts'
import { CsvScanner, ENDS, type ScannedRow, cellsOf, delimiterOf, trimCell } from './csv-scanner.ts'
import { literal } from './engine.ts'
import { type Encoding, decodeParts, markedEncoding } from './decode-text.ts'
import { type TempFolder, compressionOf, isReadOnce, openInput, spoolToTempFile } from './open-input.ts'

const LONGEST_ROW_BYTES = 1024 * 1024
/** What the last column of a copy holds in a row that cannot be read. */
const REFUSED = 'x'
const MOST_FAULTS = 1_000

export interface CsvOptions {
  readonly delimiter?: string | undefined
  readonly encoding?: Encoding | undefined
}

export interface RowFault {
  readonly line: number
  readonly reason: 'tooManyCells' | 'tooFewCells'
}

let nextNumber = 0

export async function openCsv(given: string, options: CsvOptions, folder: TempFolder): Promise<CsvFile> {
  const name = `input-${nextNumber++}`
  const path = isReadOnce(given) ? await spoolToTempFile(given, folder, name) : given
  const copy = join(folder.path, `${name}.csv`)
  const encoding = options.encoding ?? (await encodingOf(path)) ?? 'utf-8'
  const mustCopy = encoding !== 'utf-8' || (await compressionOf(path)) !== undefined
  const first = new CsvFile(path, encoding, mustCopy ? copy : undefined)
  await first.read(options.delimiter)
  const isFinal = first.isValid && (mustCopy || first.isPlain)
  const file = isFinal ? first : new CsvFile(path, first.isValid ? encoding : 'windows-1252', copy)
  if (file !== first) await file.read(options.delimiter)
  refuseRepeatedNames(file)
  return file
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
      this.columns = cells.map((cell, place) => {
        return { name: trimCell(cell) || `column ${place + 1}`, sql: `c${place}`, type: 'VARCHAR' }
      })
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

/** Nobody could say which of two columns with the same name is meant. */
function refuseRepeatedNames({ columns, headerLine: line }: CsvFile): void {
  const names = columns.map(({ name }) => name)
  const second = names.findIndex((name, place) => names.indexOf(name) !== place)
  if (second < 0) return
  const first = names.indexOf(names[second] as string)
  const message = `columns ${first + 1} and ${second + 1} of the header have the same name`
  throw new BadFile(message, { line }, 'repeatedColumn')
}
