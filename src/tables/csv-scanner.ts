/** Finds the rows of CSV in its bytes, and every fault of its quotes. It follows `test/csv-cases.json`. */
import { BadFile } from './bad-file.ts'

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d

/** How rows ended, as bits: a file that the engine reads directly has one kind only. */
export const ENDS = { lf: 1, crlf: 2, cr: 4 } as const

/** A row in the bytes that are being scanned. The same object for every row. */
export interface ScannedRow {
  start: number
  /** Behind the last cell, before the line end. */
  end: number
  cells: number
  /** The line on which it starts, counted from 1. */
  line: number
  /** Whether an unquoted cell contains a quote, which other readers take for something else. */
  isOdd: boolean
}

export class CsvScanner {
  /** The line on which the next row starts. */
  line = 1
  ends = 0
  blankLines = 0
  hasQuotedNewline = false
  private readonly delimiter: number

  constructor(delimiter: string) {
    this.delimiter = delimiter.charCodeAt(0)
  }

  /** Visits every whole row and returns where the first incomplete one starts. `isLast`: no bytes follow these. */
  scan(bytes: Uint8Array, isLast: boolean, visit: (row: ScannedRow) => void): number {
    const { delimiter } = this
    const { length } = bytes
    const row: ScannedRow = { start: 0, end: 0, cells: 0, line: 0, isOdd: false }
    let at = 0
    while (at < length) {
      const start = at
      let line = this.line
      let cells = 1
      let isOdd = false
      let byte = 0
      for (;;) {
        if (bytes[at] === QUOTE) {
          const opened = line
          for (at++; ; at++) {
            if (at >= length) break
            byte = bytes[at] as number
            if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) line++
            else if (byte === QUOTE) {
              if (bytes[at + 1] !== QUOTE) break
              at++
            }
          }
          if (at >= length || (at + 1 === length && !isLast)) {
            if (!isLast) return start
            throw new BadFile('the quote is not closed', { line: opened }, 'unclosedQuote')
          }
          byte = bytes[++at] as number
          if (at < length && byte !== delimiter && byte !== LF && byte !== CR) {
            throw new BadFile('text follows a closed quote', { line }, 'textAfterQuote')
          }
        } else {
          for (; at < length; at++) {
            byte = bytes[at] as number
            if (byte === delimiter || byte === LF || byte === CR) break
            if (byte === QUOTE) isOdd = true
          }
        }
        if (at >= length || byte !== delimiter) break
        cells++
        at++
      }
      const end = at
      if (at >= length ? !isLast : byte === CR && at + 1 === length && !isLast) return start
      if (at < length) {
        const isPair = byte === CR && bytes[at + 1] === LF
        this.ends |= byte === LF ? ENDS.lf : isPair ? ENDS.crlf : ENDS.cr
        at += isPair ? 2 : 1
      }
      if (line !== this.line) this.hasQuotedNewline = true
      if (end === start) this.blankLines++
      else {
        row.start = start
        row.end = end
        row.cells = cells
        row.line = this.line
        row.isOdd = isOdd
        visit(row)
      }
      this.line = line + 1
    }
    return length
  }
}

const SPACES = /^[ \t\u00a0]+|[ \t\u00a0]+$/g

/** A cell without the spaces, tabs and no-break spaces around it. */
export function trimCell(text: string): string {
  return text.replace(SPACES, '')
}

/** The cells of one row that a scanner has found, as they are written, quotes removed. */
export function cellsOf(row: string, delimiter: string): string[] {
  const cells: string[] = []
  for (let at = 0; ; at++) {
    let end: number
    if (row[at] === '"') {
      end = at + 1
      while (row[end] !== '"' || row[end + 1] === '"') end += row[end] === '"' ? 2 : 1
      cells.push(row.slice(at + 1, end).replaceAll('""', '"'))
      end++
    } else {
      end = row.indexOf(delimiter, at)
      if (end < 0) end = row.length
      cells.push(row.slice(at, end))
    }
    if (end >= row.length) return cells
    at = end
  }
}

const DELIMITERS = [',', ';', '\t', '|'] as const

/** The delimiter that a header has most of outside quotes; on a tie the first of the list. */
export function delimiterOf(text: string): string {
  const counts = DELIMITERS.map(() => 0)
  let isQuoted = false
  let hasText = false
  for (const char of text) {
    if (char === '"') isQuoted = !isQuoted
    if (!isQuoted && (char === '\n' || char === '\r')) {
      if (hasText) break
      continue
    }
    hasText = true
    const place = isQuoted ? -1 : DELIMITERS.indexOf(char as ',')
    if (place >= 0) counts[place] = (counts[place] ?? 0) + 1
  }
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}
