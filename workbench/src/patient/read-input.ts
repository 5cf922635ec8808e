/** What a reader typed, as the value that is sent. Text that is no value is sent as it is, so that the service words the problem. */
import type { Field, Value } from '../shapes/fields.ts'
import type { Language } from '../preferences.ts'

/** The value for a field, or undefined when nothing was typed. */
export function readInput(field: Field, typed: string, language: Language): Value | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  switch (field.type) {
    case 'integer':
    case 'number':
      return readNumber(text, language)
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'date':
      return readDay(text)
    case 'string':
      return text
  }
}

/** A comma is a decimal sign for those who write it so. For others it may part thousands, so it is not guessed at. */
function readNumber(text: string, language: Language): number | string {
  const plain = language === 'es' ? text.replace(',', '.') : text
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
