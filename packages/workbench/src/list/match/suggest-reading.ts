/** How the cells of a column are read: suggested only where the column itself leaves no doubt, else left to the reader. */
import { dateForm, hasDecimalCommas } from 'patient-risk-engine/cells'
import { phraseOf } from '../../i18n/phrases.ts'
import { offered } from '../../i18n/translate.ts'
import type { Field } from '../../shapes/fields.ts'
import { meaningOfCode } from '../../shapes/sent-code.ts'
import { cellText, convertCell, PLAIN_READING, saidOf, type Reading } from './convert-cell.ts'
import { plainName, unitInName } from './match-columns.ts'
import type { Sheet } from '../read/sheet.ts'

const MOST_VALUES = 24

/** The different texts of a column in the order in which they come; `undefined` when there are more than a reader can look through. */
export function valuesOf(sheet: Sheet, column: number, most = MOST_VALUES): readonly string[] | undefined {
  const found = new Set<string>()
  for (const cells of sheet.rows) {
    const text = cellText(cells[column]).trim()
    if (text !== '') found.add(text)
    if (found.size > most) return undefined
  }
  return [...found]
}

export function suggestReading(sheet: Sheet, column: number, field: Field | undefined): Reading {
  if (field === undefined) return PLAIN_READING
  // The unit is kept by its name: another deployment may receive the field in another one.
  const own = field.otherUnits === undefined ? '' : (field.unit ?? '')
  const unit = unitInName(sheet.columns[column] ?? '', field) || own
  if (sheet.kind === 'json' || sheet.kind === 'ndjson') return { ...PLAIN_READING, unit }
  const texts = textsOf(sheet, column)
  if (field.type === 'integer' || field.type === 'number') {
    return { ...PLAIN_READING, unit, decimal: hasDecimalCommas(texts) ? 'comma' : '' }
  }
  if (field.type === 'date')
    return { ...PLAIN_READING, dates: dateForm(texts) === 'DD/MM/YYYY' ? 'DD/MM/YYYY' : '' }
  return { ...PLAIN_READING, values: suggestValues(field, valuesOf(sheet, column) ?? []) }
}

/**
 * Values that mean opposite things in two languages, as long as the reader has not said what they mean: M is male, and mujer
 * where a file has H or V (hombre, varón) beside it, or a name in Spanish, Catalan or Portuguese and no F. Such a list is not scored.
 */
export function doubtfulValues(
  sheet: Sheet,
  column: number,
  field: Field | undefined,
  reading: Reading,
): readonly string[] {
  if (field?.name !== 'sex') return []
  const texts = valuesOf(sheet, column, Infinity) ?? []
  const isSpanish = texts.some((text) => /^([hv]|mujer|mulher)/i.test(text))
  const isNamedSo = /^(sexo|sexe|genero|genere)$/.test(plainName(sheet.columns[column] ?? ''))
  if (!isSpanish && (!isNamedSo || texts.includes('F'))) return []
  // The codes of the sender say it already.
  const isSaid = (text: string): boolean =>
    (saidOf(reading, text) ?? '') !== '' || meaningOfCode(field, text) !== undefined
  return texts.filter((text) => /^m$/i.test(text) && !isSaid(text))
}

/** Whether any number of the column can be read in two ways. */
export function hasAmbiguous(sheet: Sheet, column: number, field: Field): boolean {
  return sheet.rows.some((cells) => {
    const converted = convertCell(field, cells[column], PLAIN_READING)
    return 'fault' in converted && converted.fault === 'ambiguous'
  })
}

/** Whether the decimal sign of the column must be asked for: it has commas, or numbers that can be read in two ways. */
export function hasCommas(sheet: Sheet, column: number): boolean {
  return sheet.rows.some((cells) => /^[-+]?[\d.]*,\d+/.test(cellText(cells[column]).trim()))
}

function textsOf(sheet: Sheet, column: number): readonly string[] {
  return sheet.rows.map((cells) => cellText(cells[column]).trim()).filter((text) => text !== '')
}

/** Other words for a code, beside its meaning in every language. A single letter is never guessed: M is male here, and mujer elsewhere. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ['woman', 'F'],
  ['femenino', 'F'],
  ['femenina', 'F'],
  ['man', 'M'],
  ['varon', 'M'],
  ['masculino', 'M'],
])

function suggestValues(field: Field, texts: readonly string[]): Readonly<Record<string, string>> {
  const permitted = (field.values ?? []).map(String)
  const byMeaning = new Map<string, string>()
  for (const [code, meaning] of Object.entries(field.valueMeanings ?? {})) {
    for (const { language } of offered.get()) byMeaning.set(plainName(phraseOf(language, meaning).text), code)
  }
  const values: Record<string, string> = {}
  for (const text of texts) {
    if (permitted.includes(text) || meaningOfCode(field, text) !== undefined) continue
    const plain = plainName(text)
    const other = field.name === 'sex' ? OTHER_WORDS.get(plain) : undefined
    const code = plain.length > 1 ? (byMeaning.get(plain) ?? other) : undefined
    if (code !== undefined) values[text] = code
  }
  return values
}
