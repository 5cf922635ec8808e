/** Reads a CSV text into records. A cell becomes a number only where it is plainly one; the engine judges everything else. */
import type { PatientRecord } from 'patient-risk-engine'

/** A text that cannot be read as a table of records. The message is for the person who chose the file. */
export class CsvError extends Error {
  override readonly name = 'CsvError'
}

const DELIMITERS = [',', ';', '\t'] as const
// No leading zeros and no thousands: 007 and 1,000 stay texts, which a number field refuses.
const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/
const QUOTE = '"'

/** Rows without an idx are numbered from 1. */
export function readCsv(text: string): readonly PatientRecord[] {
  const plain = text.replace(/^\uFEFF/, '')
  const [names = [], ...rows] = rowsOf(plain, delimiterOf(plain))
  const header = names.map((name) => name.trim())
  if (header.every((name) => name === '')) throw new CsvError('The file is empty.')
  const twice = header.find((name, at) => name !== '' && header.indexOf(name) !== at)
  if (twice !== undefined) throw new CsvError(`The column "${twice}" is there twice.`)
  if (rows.length === 0) throw new CsvError('The file has a header and no rows.')
  return rows.map((cells, row) => {
    if (cells.length !== header.length)
      throw new CsvError(
        `Line ${row + 2} has ${cells.length} cells, and the header has ${header.length}. Nothing was scored.`,
      )
    const values = header.map((name, at) => [name, valueOf(cells[at] ?? '')] as const)
    const given = values.filter(([name, value]) => name !== '' && value !== '')
    return { idx: row + 1, ...Object.fromEntries(given) }
  })
}

function valueOf(cell: string): number | boolean | string {
  const text = cell.trim()
  if (PLAIN_NUMBER.test(text)) return Number(text)
  if (text === 'true' || text === 'false') return text === 'true'
  return text
}

/** The one that the header has most often. */
function delimiterOf(text: string): string {
  const [header = ''] = text.split(/\r?\n/, 1)
  const counts = DELIMITERS.map((each) => header.split(each).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Rows of cells; cells in quotes may hold delimiters, line ends and doubled quotes. Empty lines are left out. */
function rowsOf(text: string, delimiter: string): readonly (readonly string[])[] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const endRow = (): void => {
    row.push(cell)
    cell = ''
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (isQuoted) {
      if (char !== QUOTE) cell += char
      else if (text[at + 1] === QUOTE) {
        cell += QUOTE
        at++
      } else isQuoted = false
    } else if (char === QUOTE && cell === '') isQuoted = true
    else if (char === delimiter) {
      row.push(cell)
      cell = ''
    } else if (char === '\n') endRow()
    else if (char !== '\r') cell += char
  }
  if (isQuoted) throw new CsvError('A quotation mark is opened and not closed.')
  endRow()
  return rows
}
