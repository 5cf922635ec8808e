/**
 * A CSV file as the engine can read it. A file with one kind of line end and nothing unusual is read where it is. Any
 * other file is copied once, as plain CSV in UTF-8, so that the engine never has to guess.
 */
import { isUtf8 } from 'node:buffer'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { BadFile } from './bad-file.ts'
import { CsvScanner, ENDS, type ScannedRow, cellsOf, delimiterOf, trimCell } from './csv-scanner.ts'
import { type Encoding, decodeParts, markedEncoding } from './decode-text.ts'
import { type TempFolder, compressionOf, isReadOnce, openInput, spoolToTempFile } from './open-input.ts'

const LONGEST_ROW_BYTES = 1024 * 1024
/** What the last column of a copy holds in a row that cannot be read. */
export const REFUSED = 'x'
const MOST_FAULTS = 1_000

export interface CsvOptions {
  readonly delimiter?: string | undefined
  readonly encoding?: Encoding | undefined
}

export interface RowFault {
  readonly line: number
  readonly reason: 'tooManyCells' | 'tooFewCells'
}

export interface CsvFile {
  /** The file to read: the original, or a copy that has no header and one column more. */
  readonly path: string
  readonly isCopy: boolean
  readonly encoding: Encoding
  readonly delimiter: string
  readonly columns: readonly string[]
  readonly hasQuotedNewline: boolean
  /** Rows that are not scored: the first thousand, and how many there are. */
  readonly faults: readonly RowFault[]
  readonly faultCount: number
  /** The line on which a row starts; rows are counted from 0. */
  lineOf(row: number): number
}

export async function openCsv(given: string, options: CsvOptions, folder: TempFolder): Promise<CsvFile> {
  const name = `input-${nextNumber++}`
  const path = isReadOnce(given) ? await spoolToTempFile(given, folder, name) : given
  const copy = join(folder.path, `${name}.csv`)
  const mustCopy = path !== given || (await compressionOf(path)) !== undefined
  const encoding = options.encoding ?? (await encodingOf(path))
  const isDecoded = encoding !== undefined && encoding !== 'utf-8'
  const first = await read(path, options, encoding ?? 'utf-8', mustCopy || isDecoded ? copy : undefined)
  if (!first.isValid) return read(path, options, 'windows-1252', copy)
  return first.isCopy || first.isPlain ? first : read(path, options, first.encoding, copy)
}

let nextNumber = 0

async function encodingOf(path: string): Promise<Encoding | undefined> {
  for await (const part of openInput(path).bytes) return markedEncoding(part)
  return undefined
}

interface ReadFile extends CsvFile {
  readonly isValid: boolean
  /** Whether every reader understands it in the same way. */
  readonly isPlain: boolean
}

async function read(
  path: string,
  options: CsvOptions,
  encoding: Encoding,
  copyTo: string | undefined,
): Promise<ReadFile> {
  const parts = decodeParts(openInput(path).bytes, encoding)
  const writer = copyTo === undefined ? undefined : await CopyWriter.open(copyTo)
  const table = new TableRows(options.delimiter, writer)
  let rest: Buffer = Buffer.alloc(0)
  let isValid = true
  try {
    for await (const part of parts) {
      const bytes = rest.length === 0 ? part : Buffer.concat([rest, part])
      const done = table.take(bytes, false)
      isValid &&= isUtf8(bytes.subarray(0, done))
      rest = bytes.subarray(done)
      if (rest.length > LONGEST_ROW_BYTES) {
        throw new BadFile('a row is longer than 1 MiB, or its end is missing', {
          line: table.scanner?.line ?? 1,
        })
      }
      await writer?.flush()
    }
    table.take(rest, true)
    isValid &&= isUtf8(rest)
    await writer?.flush()
  } finally {
    await writer?.close()
  }
  const { scanner, header } = table
  if (scanner === undefined || header === undefined) throw new BadFile('is empty', undefined, 'empty')
  // The engine skips blank lines too, but not before the header, and not where a row has one cell.
  const hasOddBlanks = header.line > 1 || (scanner.blankLines > 0 && header.cells.length === 1)
  const isOneEnd = scanner.ends === ENDS.lf || scanner.ends === ENDS.crlf
  return {
    path: copyTo ?? path,
    isCopy: copyTo !== undefined,
    encoding,
    delimiter: table.delimiter,
    columns: namesOf(header),
    hasQuotedNewline: scanner.hasQuotedNewline,
    faults: table.faults,
    faultCount: table.faultCount,
    lineOf: (row) => table.lineOf(row),
    isValid,
    isPlain: isOneEnd && !hasOddBlanks && table.faultCount === 0 && !table.hasOddRow,
  }
}

/** An empty name is replaced by the column's place. Repeated names are refused: nobody could say which is meant. */
function namesOf(header: { readonly cells: readonly string[]; readonly line: number }): readonly string[] {
  const names = header.cells.map((cell, place) => (cell === '' ? `column ${place + 1}` : cell))
  const second = names.findIndex((name, place) => names.indexOf(name) !== place)
  if (second < 0) return names
  const first = names.indexOf(names[second] as string)
  throw new BadFile(
    `columns ${first + 1} and ${second + 1} of the header have the same name`,
    { line: header.line },
    'repeatedColumn',
  )
}

/** The rows of a file as they are scanned: the header, the faults, and where lines and rows part. */
class TableRows {
  scanner: CsvScanner | undefined
  delimiter = ','
  header: { readonly cells: readonly string[]; readonly line: number } | undefined
  readonly faults: RowFault[] = []
  faultCount = 0
  hasOddRow = false
  private rows = 0
  private readonly givenDelimiter: string | undefined
  private readonly writer: CopyWriter | undefined
  /** Rows from which on the line is not the one expected from the row before: the row, and its line less the row. */
  private readonly breaks: number[] = []
  private readonly offsets: number[] = []

  constructor(delimiter: string | undefined, writer: CopyWriter | undefined) {
    this.givenDelimiter = delimiter
    this.writer = writer
  }

  take(bytes: Buffer, isLast: boolean): number {
    if (this.scanner === undefined) {
      if (bytes.length === 0) return 0
      this.delimiter = this.givenDelimiter ?? delimiterOf(bytes.toString())
      this.scanner = new CsvScanner(this.delimiter)
    }
    const visit = (row: ScannedRow): void => {
      if (this.header === undefined) this.takeHeader(bytes, row)
      else this.takeRow(bytes, row, this.header.cells.length)
    }
    return this.scanner.scan(bytes, isLast, visit)
  }

  lineOf(row: number): number {
    let low = 0
    let high = this.breaks.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.breaks[middle] as number) <= row) low = middle
      else high = middle
    }
    return row + (this.offsets[low] ?? 0)
  }

  private takeHeader(bytes: Buffer, row: ScannedRow): void {
    const cells = cellsOf(bytes.toString('utf8', row.start, row.end), this.delimiter).map(trimCell)
    this.header = { cells, line: row.line }
    if (row.isOdd || cells.some((cell) => /[\r\n]/.test(cell))) this.hasOddRow = true
  }

  private takeRow(bytes: Buffer, row: ScannedRow, width: number): void {
    const offset = row.line - this.rows
    if (this.offsets.at(-1) !== offset) {
      this.breaks.push(this.rows)
      this.offsets.push(offset)
    }
    this.rows++
    if (row.isOdd) this.hasOddRow = true
    const isRefused = row.cells !== width
    if (isRefused && this.faultCount++ < MOST_FAULTS) {
      this.faults.push({ line: row.line, reason: row.cells > width ? 'tooManyCells' : 'tooFewCells' })
    }
    if (this.writer === undefined) return
    if (isRefused) this.writer.write(Buffer.from(`${this.delimiter.repeat(width)}${REFUSED}\n`), 0)
    else if (row.isOdd) {
      const cells = cellsOf(bytes.toString('utf8', row.start, row.end), this.delimiter)
      const quoted = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(this.delimiter)
      this.writer.write(Buffer.from(`${quoted}${this.delimiter}\n`), 0)
    } else this.writer.writeRow(bytes, row, this.delimiter)
  }
}

const BUFFER_BYTES = 4 * 1024 * 1024

/** Writes rows one after the other through one buffer. */
class CopyWriter {
  private readonly file: FileHandle
  private buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  private filled = 0

  private constructor(file: FileHandle) {
    this.file = file
  }

  static async open(path: string): Promise<CopyWriter> {
    return new CopyWriter(await open(path, 'w', 0o600))
  }

  write(bytes: Buffer, start: number, end = bytes.length): void {
    const needed = this.filled + end - start
    if (needed > this.buffer.length) {
      const larger = Buffer.allocUnsafe(2 * needed)
      this.buffer.copy(larger, 0, 0, this.filled)
      this.buffer = larger
    }
    bytes.copy(this.buffer, this.filled, start, end)
    this.filled = needed
  }

  writeRow(bytes: Buffer, { start, end }: ScannedRow, delimiter: string): void {
    this.write(bytes, start, end)
    this.write(Buffer.from(`${delimiter}\n`), 0)
  }

  async flush(): Promise<void> {
    await this.file.writeFile(this.buffer.subarray(0, this.filled))
    this.filled = 0
  }

  close(): Promise<void> {
    return this.file.close()
  }
}
