/** The text of a cell as the value of a field, in DuckDB's SQL. Ambiguous text has no value: see `test/support/csv-cases.json`. */
import type { DateForm } from 'patient-risk-engine/cells'
import { literal } from './engine.ts'

/** How the file writes numbers and dates, by the options of the user. */
export interface CellForms {
  readonly decimal?: 'point' | 'comma' | undefined
  readonly dates?: DateForm | undefined
}

/** Undefined where nothing is stated: ambiguous numbers are refused then. */
export function decimalMark(hasComma: boolean | undefined): CellForms['decimal'] {
  if (hasComma === undefined) return undefined
  return hasComma ? 'comma' : 'point'
}

const MOST_DIGITS = 17
const NUMBER = '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?'
/** May be thousands, or three decimals. */
export const AMBIGUOUS = '[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}'
/** The engine accepts or ignores each of these in a number. Only a quoted cell can hold a line end. */
export const PLAIN_MARKS = ['_', 'e', 'E', 'n', 'N', '+', ' ', '\t', '\v', '\f'] as const
export const MARKS: ReadonlySet<string> = new Set([...PLAIN_MARKS, '\n', '\r'])

/** Most texts have no space, and a search for one is much faster than a pattern, or than `trim` with a list of characters. */
export function trimmedSql(column: string): string {
  const hasSpace = [' ', '\t', '\u00a0'].map((space) => `contains(${column}, '${space}')`).join(' OR ')
  return `(CASE WHEN ${hasSpace} THEN ${slowTrim(column)} ELSE ${column} END)`
}

function slowTrim(column: string): string {
  return `trim(${column}, ' \t\u00a0')`
}

export function isOneOf(sql: string, texts: readonly string[]): string {
  return texts.length === 0 ? 'false' : `${sql} IN (${texts.map(literal).join(', ')})`
}

/**
 * A DOUBLE: null for an empty cell, NaN for a text that is not a number. Most cells are plainly a number, and the engine's own
 * conversion is several times as fast as a pattern; it would also take 1_0 and +-5, and 1e-400 for 0. `marks` are those of
 * `MARKS` that some cell may have. `missing` are texts that stand for no value.
 */
export function numberSql(
  column: string,
  { decimal }: CellForms,
  marks: ReadonlySet<string> = MARKS,
  missing: readonly string[] = [],
): string {
  const text = slowTrim(column)
  const isMissing = `${column} IS NULL OR ${isOneOf(text, ['', ...missing])}`
  const exact = `CASE WHEN ${isMissing} THEN NULL ELSE ${unusualSql(text, decimal)} END`
  const disallowed = [...marks, ...(decimal === 'comma' ? ['.'] : [])]
  const isPlain = [
    `strlen(${column}) <= 15`,
    ...disallowed.map((mark) => `NOT contains(${column}, ${literal(mark)})`),
  ]
  // Three decimals may be thousands, unless an option says how the file writes numbers.
  if (decimal === undefined) isPlain.push(`strlen(${column}) - instr(${column}, '.') <> 3`)
  // A text of one or two characters that the engine takes for a number is a number by every rule.
  const isShort = decimal === 'comma' || isPlain.length === 1 ? '' : `strlen(${column}) <= 2 OR `
  const value = `coalesce(CASE WHEN ${isShort}${isPlain.join(' AND ')} THEN TRY_CAST(${column} AS DOUBLE) END, ${exact})`
  return missing.some((each) => /\d/.test(each))
    ? `CASE WHEN ${isMissing} THEN NULL ELSE ${value} END`
    : value
}

function unusualSql(text: string, decimal: CellForms['decimal']): string {
  const plain = plainSql(text, decimal)
  const mantissa = `regexp_replace(${plain}, '[eE].*$', '')`
  const digits = `ltrim(regexp_replace(${mantissa}, '[^0-9]', '', 'g'), '0')`
  const value = `TRY_CAST(${plain} AS DOUBLE)`
  const isLost = `coalesce(NOT isfinite(${value}) OR (${value} = 0 AND ${digits} <> ''), true)`
  const isAmbiguous = decimal === undefined ? `regexp_full_match(${text}, '${AMBIGUOUS}')` : 'false'
  return `CASE WHEN ${isAmbiguous} OR NOT coalesce(regexp_full_match(${plain}, '${NUMBER}'), false)
 OR length(${digits}) > ${MOST_DIGITS} OR ${isLost} THEN 'nan'::DOUBLE ELSE ${value} END`
}

function plainSql(text: string, decimal: CellForms['decimal']): string {
  if (decimal === undefined) return text
  const group = decimal === 'point' ? ',' : '.'
  const mark = decimal === 'point' ? '.' : ','
  const isGrouped = `regexp_full_match(${text}, '[+-]?[1-9][0-9]{0,2}([${group}][0-9]{3})+([${mark}][0-9]*)?')`
  const ungrouped = `replace(${text}, '${group}', '')`
  if (decimal === 'point') return `(CASE WHEN ${isGrouped} THEN ${ungrouped} ELSE ${text} END)`
  return `(CASE WHEN ${isGrouped} THEN replace(${ungrouped}, ',', '.')
 WHEN contains(${text}, '.') OR contains(replace(${text}, ',', ''), ',') THEN NULL ELSE replace(${text}, ',', '.') END)`
}

/** What is unusual about a cell whose number is NaN: 'ambiguous', 'tooManyDigits', or null for plain text. */
export function cellFaultSql(column: string, { decimal }: CellForms): string {
  const text = slowTrim(column)
  const isAmbiguous = decimal === undefined ? `regexp_full_match(${text}, '${AMBIGUOUS}')` : 'false'
  const isNumber = `coalesce(regexp_full_match(${plainSql(text, decimal)}, '${NUMBER}'), false)`
  return `CASE WHEN ${isAmbiguous} THEN 'ambiguous' WHEN ${isNumber} THEN 'tooManyDigits' END`
}

/** 'true' or 'false'; any other text stays as it is, for the model to refuse. */
export function yesNoSql(column: string): string {
  const text = slowTrim(column)
  const word = `lower(${text})`
  return `CASE WHEN ${column} IN ('true', 'false') THEN ${column} WHEN ${word} IN ('true', 'yes', 'y', '1', 'sí', 'si', 's') THEN 'true'
 WHEN ${word} IN ('false', 'no', 'n', '0') THEN 'false' ELSE ${text} END`
}

/**
 * A text of a field whose codes the deployment states. A code stays as it is, also where a program has written it as 1.0; of a yes/no
 * field any other word is read as without codes. The model's query applies the codes.
 */
export function codedSql(column: string, codes: readonly string[], isYesNo: boolean): string {
  const text = slowTrim(column)
  const whole = `regexp_replace(${text}, '^(-?[0-9]+)[.]0+$', '\\1')`
  const word = yesNoSql(column)
  // A word that would become a code of the sender is no such code.
  const otherwise = isYesNo ? `CASE WHEN ${isOneOf(word, codes)} THEN ${text} ELSE ${word} END` : text
  return `CASE WHEN ${isOneOf(text, codes)} THEN ${text} WHEN ${isOneOf(whole, codes)} THEN ${whole} ELSE ${otherwise} END`
}

/** DD-MM-YYYY; any other text stays as it is, for the model to refuse. */
export function dateSql(column: string, { dates }: CellForms): string {
  const text = slowTrim(column)
  const iso = `regexp_full_match(${text}, '[0-9]{4}-[0-9]{2}-[0-9]{2}')`
  const turned = `${text}[9:10] || '-' || ${text}[6:7] || '-' || ${text}[1:4]`
  const named = dates === undefined ? '' : namedFormSql(text, dates)
  return `CASE WHEN regexp_full_match(${column}, '[0-9]{2}-[0-9]{2}-[0-9]{4}') THEN ${column} WHEN ${text} = '' THEN NULL WHEN ${iso} THEN ${turned} ${named} ELSE ${text} END`
}

function namedFormSql(text: string, form: DateForm): string {
  const sign = form === 'DD.MM.YYYY' ? '.' : '/'
  const part = (place: number): string => `lpad(split_part(${text}, '${sign}', ${place}), 2, '0')`
  const day = form === 'MM/DD/YYYY' ? 2 : 1
  const turned = `${part(day)} || '-' || ${part(3 - day)} || '-' || split_part(${text}, '${sign}', 3)`
  return `WHEN regexp_full_match(${text}, '[0-9]{1,2}[${sign}][0-9]{1,2}[${sign}][0-9]{4}') THEN ${turned}`
}
