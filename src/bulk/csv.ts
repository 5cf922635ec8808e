/** Reads CSV as RFC 4180 has it: strictly, so that a broken file is refused and never read askew. */
import { BadFile } from './bad-file.ts'

export const DELIMITERS = [',', ';', '\t'] as const

/** The rows of a piece, blank ones left out. `line` is the number of its first line, `width` the cells a row has. */
export function parseCsv(text: string, delimiter: string, line: number, width?: number): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  let currentLine = line
  let lineStart = 0
  let hasQuotes = false
  const fail = (message: string): never => {
    throw new BadFile(message, { line: currentLine, column: at - lineStart + 1 })
  }
  while (at < text.length) {
    if (text[at] === '"') row.push(quotedCell())
    else row.push(plainCell())
    if (text[at] === delimiter) {
      at++
      // A row may end with an empty cell, at the very end of the text too.
      if (at < text.length) continue
      row.push('')
    }
    endRow()
  }
  return rows

  function plainCell(): string {
    let end = at
    while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '"') end++
    const cell = text.slice(at, end)
    at = end
    if (text[at] === '"') fail('a quote stands inside a cell that does not begin with one')
    const isLast = at >= text.length || text[at] === '\n'
    return isLast && cell.endsWith('\r') ? cell.slice(0, -1) : cell
  }

  function quotedCell(): string {
    let cell = ''
    hasQuotes = true
    for (;;) {
      const end = text.indexOf('"', at + 1)
      if (end < 0) fail('a quote is not closed')
      cell += text.slice(at + 1, end)
      for (let feed = text.indexOf('\n', at); feed >= 0 && feed < end; feed = text.indexOf('\n', feed + 1)) {
        currentLine++
        lineStart = feed + 1
      }
      at = end + 1
      if (text[at] !== '"') break
      cell += '"'
    }
    if (text[at] === '\r' && (text[at + 1] === '\n' || at + 1 === text.length)) at++
    if (at < text.length && text[at] !== delimiter && text[at] !== '\n')
      fail('something follows a closed quote')
    return cell
  }

  function endRow(): void {
    // Quotes with nothing in them are a cell; only a line without anything is no row.
    const isBlank = row.length === 1 && !hasQuotes && /^\r*$/.test(row[0] ?? '')
    if (!isBlank) {
      if (width !== undefined && row.length !== width) {
        fail(`the row has ${row.length} ${row.length === 1 ? 'cell' : 'cells'} and the header ${width}`)
      }
      rows.push(row)
    }
    row = []
    hasQuotes = false
    at++
    currentLine++
    lineStart = at
  }
}

/** The delimiter that a header uses: the one that splits it into most cells. */
export function delimiterOf(header: string): string {
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** A cell as a spreadsheet will read it: quoted where it must be, and never a formula. */
export function printCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",;\r\n\t]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe
}
