/**
 * A cell as JSON, by the domain of its field. A number must be written as JSON writes it; anything else stays a
 * text, which the engine refuses as that field's problem. Nothing is trimmed, guessed or converted.
 */
import type { Domain } from '../definition/domain.ts'

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/
const WITH_COMMA = /^-?(0|[1-9]\d*),\d+$/

export type CellKind = 'number' | 'boolean' | 'text'

export function kindOf(domain: Domain | undefined): CellKind {
  switch (domain?.kind) {
    case 'integer':
    case 'decimal':
    case 'list':
      return 'number'
    case 'yesNo':
      return 'boolean'
    case 'code':
    case 'date':
    case undefined:
      return 'text'
  }
}

/** The JSON text of a cell; undefined for an empty one, which stands for no value. */
export function cellJson(cell: string, kind: CellKind, hasDecimalComma: boolean): string | undefined {
  if (cell === '') return undefined
  if (kind === 'number') {
    // Where the comma is the decimal mark, 1.000 may be a thousand or one: it is no number.
    if (NUMBER.test(cell) && !(hasDecimalComma && cell.includes('.'))) return cell
    if (hasDecimalComma && WITH_COMMA.test(cell)) return cell.replace(',', '.')
  }
  if (kind === 'boolean' && (cell === 'true' || cell === 'false')) return cell
  return JSON.stringify(cell)
}
