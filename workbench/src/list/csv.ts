/** Reads and writes CSV. What is written cannot run as a formula in a spreadsheet. */

export type Delimiter = ',' | ';' | '\t' | '|'

const DELIMITERS: readonly Delimiter[] = [';', '\t', ',', '|']

/** The sign that parts the columns: the one that occurs most in the first line, outside quotes. */
export function findDelimiter(text: string): Delimiter {
  const counts = new Map<string, number>()
  let isQuoted = false
  for (const sign of text) {
    if (sign === '"') isQuoted = !isQuoted
    else if (!isQuoted && (sign === '\n' || sign === '\r')) break
    else if (!isQuoted) counts.set(sign, (counts.get(sign) ?? 0) + 1)
  }
  return DELIMITERS.reduce(
    (best, each) => ((counts.get(each) ?? 0) > (counts.get(best) ?? 0) ? each : best),
    ',',
  )
}

/** The rows of a text, one at a time, so that a long one can be read in slices. Empty lines are left out. */
export function* csvRows(text: string, delimiter: Delimiter): Generator<string[], void> {
  let row: string[] = []
  let at = text.startsWith('\uFEFF') ? 1 : 0
  while (at < text.length) {
    let cell = ''
    if (text[at] === '"') {
      at++
      for (;;) {
        const quote = text.indexOf('"', at)
        if (quote < 0) {
          cell += text.slice(at)
          at = text.length
          break
        }
        cell += text.slice(at, quote)
        at = quote + 1
        if (text[at] !== '"') break
        cell += '"'
        at++
      }
    }
    const end = endOfCell(text, at, delimiter)
    cell += text.slice(at, end)
    row.push(cell)
    at = end
    if (text[at] === delimiter) {
      at++
      // A delimiter at the very end still opens one more, empty cell.
      if (at === text.length) row.push('')
      else continue
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at++
    at++
    if (row.length > 1 || row[0] !== '') yield row
    row = []
  }
}

function endOfCell(text: string, from: number, delimiter: Delimiter): number {
  let at = from
  while (at < text.length) {
    const sign = text[at]
    if (sign === delimiter || sign === '\n' || sign === '\r') break
    at++
  }
  return at
}

const FORMULA = /^[=+\-@\t\r]/
const PLAIN_NUMBER = /^[-+]?\d+([.,]\d+)?$/

/** A cell as it is written. One that a spreadsheet would take for a formula gets a quote sign before it. */
export function csvCell(text: string, delimiter: Delimiter): string {
  const safe = FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text
  return safe.includes(delimiter) || /["\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function csvText(rows: Iterable<readonly string[]>, delimiter: Delimiter): string {
  const lines: string[] = []
  for (const row of rows) lines.push(row.map((cell) => csvCell(cell, delimiter)).join(delimiter))
  // The mark at the start tells a spreadsheet that the text is UTF-8.
  return `\uFEFF${lines.join('\r\n')}\r\n`
}
