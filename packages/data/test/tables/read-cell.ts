/** The rules for cells in JavaScript: what the SQL of `cell-sql.ts` must agree with. See `test/support/csv-cases.json`. */
import type { CellForms } from '../../src/tables/cell-sql.ts'
import { trimCell } from '../../src/tables/csv-scanner.ts'

type CellFault = 'ambiguous' | 'notANumber' | 'tooManyDigits'

const MOST_DIGITS = 17
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/
/** Whole thousands in groups, by the mark that is not the decimal one. */
const GROUPED = {
  point: /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/,
  comma: /^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?$/,
}

/** The number that a text stands for, or why it stands for none. */
export function readNumber(cell: string, { decimal }: CellForms): number | CellFault {
  const text = trimCell(cell)
  if (decimal === undefined && AMBIGUOUS.test(text)) return 'ambiguous'
  const plain = plainText(text, decimal)
  if (plain === undefined || !NUMBER.test(plain)) return 'notANumber'
  const value = Number(plain)
  const digits = plain.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '')
  const isLost = !Number.isFinite(value) || (value === 0 && digits !== '')
  return digits.length > MOST_DIGITS || isLost ? 'tooManyDigits' : value
}

/** With a point for decimals and no marks for thousands; undefined where the marks do not fit. */
function plainText(text: string, decimal: CellForms['decimal']): string | undefined {
  if (decimal === undefined) return text
  if (GROUPED[decimal].test(text)) {
    return decimal === 'point' ? text.replaceAll(',', '') : text.replaceAll('.', '').replace(',', '.')
  }
  if (decimal === 'point') return text
  return text.includes('.') ? undefined : text.replace(',', '.')
}

const YES: ReadonlySet<string> = new Set(['true', 'yes', 'y', '1', 'sí', 'si', 's'])
const NO: ReadonlySet<string> = new Set(['false', 'no', 'n', '0'])

export function readYesNo(cell: string): boolean | undefined {
  const word = trimCell(cell).toLowerCase()
  if (YES.has(word)) return true
  return NO.has(word) ? false : undefined
}

const ISO = /^(\d{4})-(\d{2})-(\d{2})$/
const SLASHES = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/

/** A date as DD-MM-YYYY. Whether it is a day of the calendar is not checked here. */
export function readDate(cell: string, { dates }: CellForms): string | undefined {
  const text = trimCell(cell)
  if (/^\d{2}-\d{2}-\d{4}$/.test(text)) return text
  const [, year, month, day] = ISO.exec(text) ?? []
  if (year !== undefined) return `${day ?? ''}-${month ?? ''}-${year}`
  const parts = dates === undefined ? null : SLASHES.exec(text)
  return parts === null
    ? undefined
    : `${(parts[1] ?? '').padStart(2, '0')}-${(parts[2] ?? '').padStart(2, '0')}-${parts[3] ?? ''}`
}
