/**
 * Reads CSV by the rules that the command line follows too; `test/csv-cases.json` holds them as cases. A row with more or
 * fewer cells than the header is never shifted into place: it is rejected with its line.
 */
import { type Delimiter, type Encoding, SheetFault } from './sheet.ts'

/** In the order that decides a tie. */
export const DELIMITERS: readonly Delimiter[] = [',', ';', '\t', '|']

export interface CsvRow {
  /** The line that the row starts on, counted from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

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

const LOOKED_AT = 20
type Counts = ReadonlyMap<string, number>

/**
 * The separator: the one that the header has most of outside quotes. A first line that has none, or one that is not that of
 * the lines below, is a title; then the lines below decide.
 */
export function findDelimiter(text: string, headerLine?: number): Delimiter {
  const [first = new Map<string, number>(), ...rest] = countsOf(text, headerLine ?? 1)
  const ofHeader = mostOf((each) => first.get(each) ?? 0)
  const counted = first.get(ofHeader) ?? 0
  const below = (each: string): number =>
    rest.map((counts) => counts.get(each) ?? 0).sort((a, b) => a - b)[Math.floor(rest.length / 2)] ?? 0
  const isTitle = rest.length > 1 && (counted === 0 || below(ofHeader) < counted)
  const found = mostOf(below)
  return headerLine === undefined && isTitle && below(found) > 2 * counted ? found : ofHeader
}

function mostOf(count: (delimiter: string) => number): Delimiter {
  return DELIMITERS.reduce<Delimiter>((best, each) => (count(each) > count(best) ? each : best), ',')
}

/** The signs outside quotes, of the first lines that have any. */
function countsOf(text: string, headerLine: number): readonly Counts[] {
  const lines: Counts[] = []
  let counts = new Map<string, number>()
  let line = 1
  let [isQuoted, isStart, hasText] = [false, true, false]
  let before = ''
  for (const sign of text) {
    const isSecond = sign === '\n' && before === '\r'
    before = sign
    if (isBreak(sign) && !isQuoted) {
      if (isSecond) continue
      if (hasText && line >= headerLine) lines.push(counts)
      if (lines.length === LOOKED_AT) return lines
      counts = new Map()
      hasText = false
      isStart = true
      line++
      continue
    }
    hasText = true
    if (sign === '"' && (isQuoted || isStart)) isQuoted = !isQuoted
    else if (!isQuoted) counts.set(sign, (counts.get(sign) ?? 0) + 1)
    isStart = !isQuoted && DELIMITERS.some((each) => each === sign)
  }
  return hasText ? [...lines, counts] : lines
}

/** The rows of a text, one at a time, so that a long one can be read in slices. Lines with nothing on them are skipped. */
export function* csvRows(text: string, delimiter: Delimiter): Generator<CsvRow, void> {
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

function trimCell(cell: string): string {
  return cell.replace(/^[ \t\u00a0]+|[ \t\u00a0]+$/g, '')
}
