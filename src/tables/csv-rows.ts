/**
 * Rows of CSV as RFC 4180 has it, read where they lie, one after the other. Strict, so that a broken file is
 * refused and never read askew.
 */
import { isUtf8 } from 'node:buffer'
import { BadFile } from './bad-file.ts'
import { CellPlaces, HAS_QUOTES, IS_WIDE } from './cell-places.ts'
import { utf8Fault } from './utf8-fault.ts'

const QUOTE = 0x22
const NEWLINE = 0x0a
const RETURN = 0x0d

export class CsvRows {
  /** The line of the file that the row begins on, from 1. */
  line: number
  /** The cells of the row, until the next one. */
  readonly cells: CellPlaces
  private readonly bytes: Buffer
  private readonly delimiter: number
  private readonly width: number
  private at = 0
  private nextLine: number
  private lineStart = 0

  /** `line` is the number of the first line; `width` the cells that each row must have, where that is known. */
  constructor(bytes: Uint8Array, delimiter: string, line: number, width = -1) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (!isUtf8(bytes)) throw new BadFile('is not valid UTF-8', placeOfFault(this.bytes, line))
    this.cells = new CellPlaces(this.bytes)
    this.delimiter = delimiter.charCodeAt(0)
    this.width = width
    this.line = line
    this.nextLine = line
  }

  /** Goes to the next row that is not blank; false behind the last one. */
  next(): boolean {
    const { cells, width } = this
    while (this.at < this.bytes.length) {
      this.line = this.nextLine
      cells.count = 0
      const isBlank = this.readRow()
      if (!isBlank && width >= 0 && cells.count !== width) {
        this.fail(
          `the row has ${cells.count} ${cells.count === 1 ? 'cell' : 'cells'} and the header ${width}`,
        )
      }
      this.at++
      this.nextLine++
      this.lineStart = this.at
      if (!isBlank) return true
    }
    return false
  }

  /** Only a line without anything is no row; quotes with nothing in them are a cell. */
  private readRow(): boolean {
    const { bytes, cells, delimiter } = this
    const { length } = bytes
    const start = this.at
    for (;;) {
      if (bytes[this.at] === QUOTE) this.quotedCell()
      else this.plainCell()
      if (this.at >= length || bytes[this.at] !== delimiter) break
      this.at++
      if (this.at < length) continue
      // A row may end with an empty cell, at the very end of the text too.
      cells.add(length, length, 0)
      break
    }
    if (cells.count > 1) return false
    for (let at = start; at < this.at; at++) if (bytes[at] !== RETURN) return false
    return true
  }

  private plainCell(): void {
    const { bytes, delimiter } = this
    const { length } = bytes
    const start = this.at
    let at = start
    let all = 0
    let byte = 0
    for (; at < length; at++) {
      byte = bytes[at] as number
      if (byte === delimiter || byte === NEWLINE || byte === QUOTE) break
      all |= byte
    }
    this.at = at
    if (byte === QUOTE && at < length) {
      this.fail('a quote stands inside a cell that does not begin with one')
    }
    const isLast = at >= length || byte === NEWLINE
    const end = isLast && at > start && bytes[at - 1] === RETURN ? at - 1 : at
    this.cells.add(start, end, all > 0x7f ? IS_WIDE : 0)
  }

  private quotedCell(): void {
    const { bytes } = this
    const { length } = bytes
    const start = this.at + 1
    let { nextLine, lineStart } = this
    let kind = 0
    let at = start
    for (; ; at++) {
      if (at >= length) this.fail('a quote is not closed')
      const byte = bytes[at] as number
      if (byte === NEWLINE) {
        nextLine++
        lineStart = at + 1
      } else if (byte > 0x7f) kind |= IS_WIDE
      else if (byte === QUOTE) {
        if (bytes[at + 1] !== QUOTE) break
        kind |= HAS_QUOTES
        at++
      }
    }
    this.cells.add(start, at, kind)
    at++
    if (bytes[at] === RETURN && (bytes[at + 1] === NEWLINE || at + 1 === length)) at++
    this.at = at
    this.nextLine = nextLine
    this.lineStart = lineStart
    if (at < length && bytes[at] !== this.delimiter && bytes[at] !== NEWLINE) {
      this.fail('something follows a closed quote')
    }
  }

  private fail(message: string): never {
    const before = this.bytes.toString('utf8', this.lineStart, this.at)
    throw new BadFile(message, { line: this.nextLine, column: before.length + 1 })
  }
}

/** `line` is the number of the first line. */
function placeOfFault(bytes: Buffer, line: number): { readonly line: number; readonly column: number } {
  const before = bytes.toString('utf8', 0, utf8Fault(bytes))
  const lines = before.split('\n').length
  return { line: line + lines - 1, column: before.length - before.lastIndexOf('\n') }
}
