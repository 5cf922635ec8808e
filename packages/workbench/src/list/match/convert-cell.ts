/**
 * A cell as the value that is sent, by the rules of `test/support/csv-cases.json`. Only what can be read in one way is converted; the
 * rest is sent as text, so that the service refuses it.
 */
import type { Field, Value } from '../../shapes/fields.ts'
import { meaningOfCode, sentCode } from '../../shapes/sent-code.ts'
import { trimCell } from '../read/read-csv.ts'
import type { Cell } from '../read/sheet.ts'

/** What the reader said about a column, once for all of its cells. Empty where nothing was said. */
export interface Reading {
  readonly decimal: '' | 'point' | 'comma'
  readonly dates: '' | 'DD/MM/YYYY' | 'spreadsheet' | 'spreadsheet1904'
  /** The unit of the numbers; empty where the field has only one. */
  readonly unit: string
  /** Where the name of the column states another unit or period: `own` if that is wrong, else the unit to convert from. */
  readonly measure: string
  /** Values of the file and what they mean: `Female` is F. */
  readonly values: Readonly<Record<string, string>>
}

export const PLAIN_READING: Reading = { decimal: '', dates: '', unit: '', measure: '', values: {} }

/** What the reader said that a value means. A value may be called like a member that every object has. */
export function saidOf({ values }: Reading, text: string): string | undefined {
  return Object.hasOwn(values, text) ? values[text] : undefined
}

export type CellFault = 'ambiguous' | 'notANumber' | 'tooManyDigits' | 'notADate' | 'notYesNo'
export type Converted = { readonly value: Value | object | undefined } | { readonly fault: CellFault }

/** The value of a cell for a field, as it is sent; `undefined` for an empty cell. */
export function convertCell(field: Pick<Field, 'type' | 'codes'>, cell: Cell, reading: Reading): Converted {
  if (cell === undefined || cell === null) return { value: undefined }
  // A code or a day may be a number in a spreadsheet; a day may have a time behind its point.
  const given = typeof cell === 'string' ? trimCell(cell) : cellText(cell)
  const said = saidOf(reading, given)
  // A code of the sender is sent as it is. What the reader says that a text means is a value of the field, and has its code.
  if (said === undefined && meaningOfCode(field, given) !== undefined) return { value: given }
  if (said !== undefined && said !== '' && field.codes !== undefined) {
    const meant = convertCell({ type: field.type }, said, PLAIN_READING)
    if (!('value' in meant)) return meant
    const { value } = meant
    return typeof value === 'string' || typeof value === 'boolean' ? { value: sentCode(field, value) } : meant
  }
  const isDay = field.type === 'date' && reading.dates.startsWith('spreadsheet') && typeof cell === 'number'
  if (typeof cell !== 'string' && said === undefined && !isDay) return convertTyped(field, cell)
  const text = said ?? (isDay ? String(Math.floor(cell)) : given)
  if (text === '') return { value: undefined }
  switch (field.type) {
    case 'integer':
    case 'number':
      return readNumber(text, reading.decimal)
    case 'boolean':
      return readYesNo(text)
    case 'date':
      return readDate(text, reading.dates)
    case 'string':
      return { value: text }
  }
}

/** Spreadsheets type their cells: a figure may be a code, and 1 and 0 may be yes and no. */
function convertTyped({ type }: Pick<Field, 'type'>, cell: number | boolean | object): Converted {
  if (type === 'boolean' && (cell === 1 || cell === 0)) return { value: cell === 1 }
  if (type === 'string' && typeof cell === 'number') return { value: String(cell) }
  if (type === 'date' && typeof cell === 'number') return { fault: 'notADate' }
  return { value: cell }
}

const AMBIGUOUS = /^[-+]?[1-9]\d{0,2}[.,]\d{3}$/
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i
const THOUSANDS = {
  point: /^([-+]?[1-9]\d{0,2}(?:,\d{3})+)(\.\d*)?$/,
  comma: /^([-+]?[1-9]\d{0,2}(?:\.\d{3})+)(,\d*)?$/,
} as const

function readNumber(text: string, decimal: Reading['decimal']): Converted {
  if (decimal === '' && AMBIGUOUS.test(text)) return { fault: 'ambiguous' }
  const plain = plainNumber(text, decimal)
  if (plain === undefined || !NUMBER.test(plain)) return { fault: 'notANumber' }
  const digits = plain.replace(/e.*$/i, '').replace(/[-+.]/g, '').replace(/^0+/, '')
  const value = Number(plain)
  const isLost = !Number.isFinite(value) || (value === 0 && digits !== '')
  return digits.length > 17 || isLost ? { fault: 'tooManyDigits' } : { value }
}

/** The number with a decimal point and without separators of thousands. */
function plainNumber(text: string, decimal: Reading['decimal']): string | undefined {
  if (decimal === '') return text
  const grouped = THOUSANDS[decimal].exec(text)
  if (grouped !== null) {
    return `${(grouped[1] ?? '').replace(/[.,]/g, '')}${(grouped[2] ?? '').replace(',', '.')}`
  }
  if (decimal === 'point') return text
  return text.includes('.') ? undefined : text.replace(',', '.')
}

const YES: ReadonlySet<string> = new Set(['true', 'yes', 'y', '1', 'sí', 'si', 's'])
const NO: ReadonlySet<string> = new Set(['false', 'no', 'n', '0'])

function readYesNo(text: string): Converted {
  const word = text.toLowerCase()
  if (YES.has(word)) return { value: true }
  if (NO.has(word)) return { value: false }
  return { fault: 'notYesNo' }
}

const DAY_MS = 86_400_000
/** Day 0 of spreadsheets, so that day 61 is the first of March 1900. */
const SPREADSHEET_START = Date.UTC(1899, 11, 30)
/** Workbooks of older Macs count from the first of January 1904. */
const DAYS_TO_1904 = 1_462

function readDate(text: string, dates: Reading['dates']): Converted {
  if (/^\d{2}-\d{2}-\d{4}$/.test(text)) return { value: text }
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (iso !== null) return { value: `${iso[3] ?? ''}-${iso[2] ?? ''}-${iso[1] ?? ''}` }
  if (dates === 'DD/MM/YYYY') {
    const parts = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text)
    if (parts !== null) return { value: `${two(parts[1])}-${two(parts[2])}-${parts[3] ?? ''}` }
  }
  if (dates.startsWith('spreadsheet') && /^\d{5}$/.test(text)) {
    const number = Number(text) + (dates === 'spreadsheet1904' ? DAYS_TO_1904 : 0)
    const day = new Date(SPREADSHEET_START + number * DAY_MS)
    return { value: `${two(day.getUTCDate())}-${two(day.getUTCMonth() + 1)}-${day.getUTCFullYear()}` }
  }
  return { fault: 'notADate' }
}

function two(part: string | number | undefined): string {
  return String(part ?? '').padStart(2, '0')
}

/** A cell as text, for showing and for writing. */
export function cellText(cell: Cell): string {
  if (cell === undefined || cell === null) return ''
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}
