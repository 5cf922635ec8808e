/** What was typed, as the value that is sent. Text that is not a value is sent as it is, and the service reports the problem. */
import type { Field, Value } from '../../shapes/fields.ts'
import { hasDecimalComma, type Language } from '../../i18n/language.ts'

/** The value for a field, or undefined when nothing was typed. */
export function readInput(field: Field, typed: string, language: Language): Value | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  switch (field.type) {
    case 'integer':
    case 'number':
      return readNumber(text, language)
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text
    case 'date':
      return readDay(text)
    case 'string':
      return text
  }
}

/** A value typed in another unit, in the field's own: 7.4 mmol/L of haemoglobin are 11.924 g/dL. */
export function inOwnUnit(
  field: Field,
  value: Value | undefined,
  unit: string | undefined,
): Value | undefined {
  const factor = unit === undefined ? undefined : field.otherUnits?.[unit]
  return typeof value === 'number' && factor !== undefined ? Number((value / factor).toPrecision(5)) : value
}

/** The field as it looks in another unit: its unit and its limits are converted. */
export function fieldIn(field: Field, unit: string | undefined): Field {
  const factor = unit === undefined ? undefined : field.otherUnits?.[unit]
  if (unit === undefined || factor === undefined) return field
  const converted = (value: number): number => Number((value * factor).toPrecision(4))
  const { minimum, maximum, values } = field
  return {
    ...field,
    unit,
    ...(minimum === undefined ? {} : { minimum: converted(minimum) }),
    ...(maximum === undefined ? {} : { maximum: converted(maximum) }),
    ...(values === undefined
      ? {}
      : { values: values.map((value) => (typeof value === 'number' ? converted(value) : value)) }),
  }
}

/** A comma is a decimal sign in Spanish and other languages. In English it may separate thousands, so it is not guessed at. */
function readNumber(text: string, language: Language): number | string {
  const hasComma = hasDecimalComma(language)
  // There 1.000 is a thousand for some and one for others, so it is not guessed at either.
  if (hasComma && /^[-+]?[1-9]\d{0,2}\.\d{3}$/.test(text)) return text
  const plain = hasComma ? text.replace(',', '.') : text
  return /^[-+]?\d+(\.\d+)?$/.test(plain) ? Number(plain) : text
}

/** Day, month, year with any usual sign between them, or a date as computers write it, becomes DD-MM-YYYY. */
export function readDay(text: string): string {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text)
  if (iso !== null) return `${pad(iso[3])}-${pad(iso[2])}-${iso[1] ?? ''}`
  const parts = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/.exec(text)
  return parts === null ? text : `${pad(parts[1])}-${pad(parts[2])}-${parts[3] ?? ''}`
}

function pad(part: string | undefined): string {
  return (part ?? '').padStart(2, '0')
}
