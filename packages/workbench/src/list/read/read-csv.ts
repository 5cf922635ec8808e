/**
 * Reads CSV by the rules that the command line follows too; `test/support/csv-cases.json` holds them as cases. A row with more or
 * fewer cells than the header is never shifted into place: it is rejected with its line.
 */
import { type Delimiter, type Encoding, SheetFault, type TableRow } from './sheet.ts'

/** In the order that decides a tie. */
export const DELIMITERS: readonly Delimiter[] = [',', ';', '\t', '|']

/** The encoding of a file: a byte order mark decides, then valid UTF-8, else the encoding of older spreadsheets. */
export function decodeText(
  bytes: Uint8Array,
  chosen?: Encoding,
): { readonly text: string; readonly encoding: Encoding } {
  const encoding = chosen ?? markedEncoding(bytes) ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')
  return { text: new TextDecoder(encoding).decode(bytes), encoding }
}

function markedEncoding([first, second, third]: Uint8Array): Encoding | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return undefined
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

const LOOKED_AT = { lines: 20, letters: 100_000 }

/**
 * The separator: the one that the header has most of outside quotes. A first line that has none, or not that of the lines
 * below it, is a title; then the lines below decide.
 */
export function findDelimiter(text: string, headerLine?: number): Delimiter {
  const plain = text.slice(0, LOOKED_AT.letters).replace(/(^|[,;\t|])"(?:[^"]|"")*"/gm, '$1')
  const lines = plain
    .split(/\r\n|\r|\n/)
    .slice((headerLine ?? 1) - 1)
    .filter((line) => line !== '')
  const [first = '', ...rest] = lines.slice(0, LOOKED_AT.lines)
  const countIn = (line: string, sign: string): number => line.split(sign).length - 1
  const below = (sign: string): number =>
    rest.map((line) => countIn(line, sign)).sort((a, b) => a - b)[Math.floor(rest.length / 2)] ?? 0
  const most = (count: (sign: string) => number): Delimiter =>
    DELIMITERS.reduce<Delimiter>((best, each) => (count(each) > count(best) ? each : best), ',')
  const ofHeader = most((sign) => countIn(first, sign))
  const ofRest = most(below)
  const counted = countIn(first, ofHeader)
  const isTitle = headerLine === undefined && rest.length > 1 && (counted === 0 || below(ofHeader) < counted)
  return isTitle && below(ofRest) > 2 * counted ? ofRest : ofHeader
}

/** The rows of a text, one at a time, so that a long one can be read in slices. Lines with nothing on them are skipped. */
export function* csvRows(text: string, delimiter: Delimiter): Generator<TableRow, void> {
  let at = text.startsWith('\uFEFF') ? 1 : 0
  let line = 1
  while (at < text.length) {
    const start = { at, line }
    const cells: string[] = []
    for (;;) {
      if (text[at] === '"') {
        const quoted = readQuoted(text, at, line)
        cells.push(trimCell(quoted.cell))
        at = quoted.end
        line = quoted.line
        const next = text[at]
        if (next !== undefined && next !== delimiter && !isBreak(next)) {
          throw new SheetFault('textAfterQuote', line)
        }
      } else {
        const from = at
        while (at < text.length && text[at] !== delimiter && !isBreak(text[at])) at++
        cells.push(trimCell(text.slice(from, at)))
      }
      if (text[at] !== delimiter) break
      at++
    }
    const isBlank = at === start.at
    at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1
    line++
    if (!isBlank) yield { line: start.line, cells }
  }
}

function isBreak(sign: string | undefined): boolean {
  return sign === '\n' || sign === '\r'
}

/** A quoted cell from its first quote on; a doubled quote stands for one. */
function readQuoted(
  text: string,
  from: number,
  line: number,
): { readonly cell: string; readonly end: number; readonly line: number } {
  let cell = ''
  let at = from + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) throw new SheetFault('unclosedQuote', line)
    cell += text.slice(at, quote)
    at = quote + 1
    if (text[at] !== '"') break
    cell += '"'
    at++
  }
  return { cell, end: at, line: line + (cell.match(/\r\n|\r|\n/g) ?? []).length }
}

export function trimCell(cell: string): string {
  return cell.replace(/^[ \t\u00a0]+|[ \t\u00a0]+$/g, '')
}
