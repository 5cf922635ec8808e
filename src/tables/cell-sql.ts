/** The rules of `read-cell.ts` as DuckDB expressions over a text column. A test runs every case through both. */
import { literal } from './engine.ts'
import { type CellForms, MOST_DIGITS } from './read-cell.ts'

/** Most numbers of most files: they match at once and need no other rule. Three decimals after 1 to 999 are left out. */
const USUAL = {
  undefined: '-?(0|[1-9][0-9]{0,7})([.]([0-9]{1,2}|[0-9]{4,7}))?',
  point: '-?(0|[1-9][0-9]{0,7})([.][0-9]{1,7})?',
  comma: '-?(0|[1-9][0-9]{0,7})',
} as const
const NUMBER = '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?'
const AMBIGUOUS = '[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}'

/** Most texts have no space around them, and a pattern says so ten times as fast as `trim` with a list of characters. */
export function trimmedSql(column: string, usual: readonly string[] = []): string {
  const isUsual =
    usual.length === 0 ? '' : `WHEN ${column} IN (${usual.map(literal).join(', ')}) THEN ${column}`
  return `(CASE ${isUsual} WHEN regexp_matches(${column}, '^[ \\t\\x{a0}]|[ \\t\\x{a0}]$') THEN ${slowTrim(column)} ELSE ${column} END)`
}

function slowTrim(column: string): string {
  return `trim(${column}, ' ' || chr(9) || chr(160))`
}

/** A DOUBLE: null for an empty cell, NaN for a text that is not a number. */
export function numberSql(column: string, { decimal }: CellForms): string {
  const usual = USUAL[decimal ?? 'undefined']
  const text = slowTrim(column)
  // One or two characters that the engine takes for a number are one by every rule; longer ones may be 1_0 or inf.
  const isShort = decimal === 'comma' ? 'false' : `strlen(${column}) <= 2`
  return `coalesce(CASE WHEN ${isShort} THEN TRY_CAST(${column} AS DOUBLE)
 WHEN regexp_full_match(${column}, '${usual}') THEN CAST(${column} AS DOUBLE) END,
 CASE WHEN ${column} IS NULL OR ${text} = '' THEN NULL ELSE ${unusualSql(text, decimal)} END)`
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
  if (decimal === 'point') {
    const isGrouped = `regexp_full_match(${text}, '[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+([.][0-9]*)?')`
    return `(CASE WHEN ${isGrouped} THEN replace(${text}, ',', '') ELSE ${text} END)`
  }
  const isGrouped = `regexp_full_match(${text}, '[+-]?[1-9][0-9]{0,2}([.][0-9]{3})+(,[0-9]*)?')`
  return `(CASE WHEN ${isGrouped} THEN replace(replace(${text}, '.', ''), ',', '.')
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

/** DD-MM-YYYY; any other text stays as it is, for the model to refuse. */
export function dateSql(column: string, { dates }: CellForms): string {
  const text = slowTrim(column)
  const iso = `regexp_full_match(${text}, '[0-9]{4}-[0-9]{2}-[0-9]{2}')`
  const turned = `${text}[9:10] || '-' || ${text}[6:7] || '-' || ${text}[1:4]`
  const slashes = `WHEN regexp_full_match(${text}, '[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}') THEN lpad(split_part(${text}, '/', 1), 2, '0')
 || '-' || lpad(split_part(${text}, '/', 2), 2, '0') || '-' || split_part(${text}, '/', 3)`
  return `CASE WHEN regexp_full_match(${column}, '[0-9]{2}-[0-9]{2}-[0-9]{4}') THEN ${column} WHEN ${text} = '' THEN NULL WHEN ${iso} THEN ${turned} ${dates === undefined ? '' : slashes} ELSE ${text} END`
}
