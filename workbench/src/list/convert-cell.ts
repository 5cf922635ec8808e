/** A cell as the value that is sent. Only what can be read in one way is converted; the rest goes as it is and is refused by the service. */
import type { Field, Value } from '../shapes/fields.ts'
import type { Cell } from './sheet.ts'

const YES: ReadonlySet<string> = new Set(['true', 'yes', 'y', '1', 'sí', 'si', 's'])
const NO: ReadonlySet<string> = new Set(['false', 'no', 'n', '0'])

/** The value for a field, or undefined for an empty cell. */
export function convertCell(field: Field, cell: Cell, hasDecimalComma: boolean): Value | object | undefined {
  if (cell === undefined || cell === null) return undefined
  if (typeof cell !== 'string') return cell
  const text = cell.trim()
  if (text === '') return undefined
  switch (field.type) {
    case 'integer':
    case 'number': {
      const plain = hasDecimalComma ? text.replace(',', '.') : text
      return /^[-+]?\d+(\.\d+)?$/.test(plain) ? Number(plain) : text
    }
    case 'boolean': {
      const word = text.toLowerCase()
      return YES.has(word) ? true : NO.has(word) ? false : text
    }
    case 'date': {
      // Written year first, a date can be read in one way only. 03/04/2026 cannot, and is left to be refused.
      const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
      return iso === null ? text : `${iso[3] ?? ''}-${iso[2] ?? ''}-${iso[1] ?? ''}`
    }
    case 'string':
      return text
  }
}

/** A cell as text, for showing and for writing. */
export function cellText(cell: Cell): string {
  if (cell === undefined || cell === null) return ''
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}
