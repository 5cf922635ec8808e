/** Finds the rows of CSV in its bytes, and every fault of its quotes. It follows `test/support/csv-cases.json`. */
import { BadFile } from './bad-file.ts'

export const QUOTE = 0x22
export const LF = 0x0a
export const CR = 0x0d

export interface ScannedRow {
  readonly start: number
  /** After the last cell, before the line end. */
  readonly end: number
  readonly cells: number
  /** The line on which it starts, counted from 1. */
  readonly line: number
  /** Whether an unquoted cell contains a quote, which other readers treat differently. */
  readonly hasStrayQuote: boolean
}

/**
 * Visits every whole row of bytes that start on a line. Returns where the first incomplete row starts, and its line. `isLast`: no
 * bytes follow these.
 */
export function scanRows(
  bytes: Uint8Array,
  firstLine: number,
  isLast: boolean,
  separator: string,
  visit: (row: ScannedRow) => void,
): { readonly done: number; readonly nextLine: number } {
  const delimiter = separator.charCodeAt(0)
  let nextLine = firstLine
  const { length } = bytes
  for (let at = 0; at < length;) {
    const start = at
    let line = nextLine
    let hasStrayQuote = false
    let cells = 1
    for (;;) {
      if (bytes[at] === QUOTE) {
        const opened = line
        let isClosed = false
        for (at++; at < length && !isClosed; at++) {
          const byte = bytes[at]
          if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) line++
          else if (byte === QUOTE && bytes[at + 1] === QUOTE) at++
          else isClosed = byte === QUOTE
        }
        // The byte after the last one may be a second quote, or close this one.
        if (at >= length && !isLast) return { done: start, nextLine }
        if (!isClosed) throw new BadFile('the quote is not closed', { line: opened })
        if (at < length && bytes[at] !== delimiter && bytes[at] !== LF && bytes[at] !== CR)
          throw new BadFile('text follows a closed quote', { line })
      } else {
        for (; at < length; at++) {
          const byte = bytes[at]
          if (byte === delimiter || byte === LF || byte === CR) break
          if (byte === QUOTE) hasStrayQuote = true
        }
      }
      if (bytes[at] !== delimiter) break
      cells++
      at++
    }
    const end = at
    const isReturn = bytes[at] === CR
    if (!isLast && (at >= length || (isReturn && at + 1 === length))) return { done: start, nextLine }
    if (at < length) at += isReturn && bytes[at + 1] === LF ? 2 : 1
    if (end > start) visit({ start, end, cells, line: nextLine, hasStrayQuote })
    nextLine = line + 1
  }
  return { done: length, nextLine }
}

const SPACES = /^[ \t\u00a0]+|[ \t\u00a0]+$/g

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

/** One of those that separate cells; undefined for any other sign. */
export function knownDelimiter(sign: string | undefined): string | undefined {
  return DELIMITERS.find((each) => each === sign)
}

/** The delimiter that a header has most of outside quotes; on a tie the first of the list. */
export function delimiterOf(text: string): string {
  const [header = ''] = /[^\r\n]+/.exec(text.replace(/"[^"]*("|$)/g, '"')) ?? []
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}
