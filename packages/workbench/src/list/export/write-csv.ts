/** Writes CSV that a spreadsheet reads as text and never runs as a formula. */
import type { Delimiter } from '../read/sheet.ts'

/**
 * Signs that start a formula, in their full-width forms too, at the start of a cell or after a line break or a separator:
 * with another locale a spreadsheet splits the line there.
 */
const FORMULA = /(^|[;,|\t\r\n])([\s\u200b-\u200f\u2060\ufeff]*)([=+\-@\uff1d\uff0b\uff0d\uff20\u2212])/g
const PLAIN_NUMBER = /^[-+]?\d+([.,]\d+)?$/

/** An apostrophe keeps a spreadsheet from taking text for a formula. */
function withoutFormula(text: string): string {
  const guarded = text.replace(FORMULA, "$1$2'$3")
  return /^[\t\r\n]/.test(guarded) ? `'${guarded}` : guarded
}

/** A cell as it is written. */
export function csvCell(text: string, delimiter: Delimiter): string {
  const safe = PLAIN_NUMBER.test(text) ? text : withoutFormula(text)
  return safe.includes(delimiter) || /["\n\r]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function csvText(rows: Iterable<readonly string[]>, delimiter: Delimiter): string {
  const lines: string[] = []
  for (const row of rows) lines.push(row.map((cell) => csvCell(cell, delimiter)).join(delimiter))
  // The byte order mark tells a spreadsheet that the text is UTF-8.
  return `\uFEFF${lines.join('\r\n')}\r\n`
}
