/** Changes of the patient: typing, clearing, taking over a row of a list, and trying other values. */
import { hasDecimalComma } from '../i18n/language.ts'
import { preferences } from '../preferences.ts'
import type { PatientRecord } from '../shapes/answers.ts'
import type { Field } from '../shapes/fields.ts'
import { askSoon, stopAsking } from './ask-patient.ts'
import { NO_PATIENT, patient } from './patient-state.ts'

const TYPING_MS = 1_500
let typingTimer: ReturnType<typeof setTimeout> | undefined

/** `isTyping` for text that comes letter by letter. */
export function setTyped(name: string, text: string, isTyping = false): void {
  clearTimeout(typingTimer)
  const typed = { ...patient.get().typed, [name]: text }
  patient.patch(isTyping ? { typed, typing: name } : { typed })
  if (isTyping) typingTimer = setTimeout(() => noteVisited(name), TYPING_MS)
  askSoon()
}

export function setManyTyped(values: Readonly<Record<string, string>>): void {
  patient.patch({ typed: { ...patient.get().typed, ...values } })
  askSoon()
}

export function setUnit(name: string, unit: string): void {
  patient.patch({ units: { ...patient.get().units, [name]: unit } })
  askSoon()
}

export function noteVisited(name: string): void {
  const { visited, typing } = patient.get()
  if (typing === name) patient.patch({ typing: '' })
  if (!visited.has(name)) patient.patch({ visited: new Set([...visited, name]) })
}

export function clearPatient(): void {
  stopAsking()
  patient.set(NO_PATIENT)
}

export function clearFields(names: readonly string[]): void {
  const typed = Object.fromEntries(
    Object.entries(patient.get().typed).filter(([name]) => !names.includes(name)),
  )
  patient.patch({ typed })
  askSoon()
}

/** Takes over the values of a row of a list, which are in the units of these fields. */
export function openPatient(record: PatientRecord, fields: readonly Field[], identifier: string): void {
  const hasComma = hasDecimalComma(preferences.get().language)
  const typed = Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const text = String(value)
      return [name, hasComma && typeof value === 'number' ? text.replace('.', ',') : text]
    }),
  )
  const units = Object.fromEntries(
    fields.flatMap(({ name, unit, otherUnits }) =>
      unit === undefined || otherUnits === undefined ? [] : [[name, unit]],
    ),
  )
  patient.set({
    ...NO_PATIENT,
    identifier,
    opened: typed,
    typed,
    units,
    visited: new Set(Object.keys(typed)),
  })
  askSoon()
}

/** Starts a what-if: the values and the result of now are the real ones. */
export function startWhatIf(): void {
  const { typed, result, status } = patient.get()
  if (result !== undefined && status === 'answered') patient.patch({ baseline: { typed, result } })
}

/** Ends a what-if: the real values are back. */
export function endWhatIf(): void {
  const { baseline } = patient.get()
  if (baseline === undefined) return
  patient.patch({ typed: baseline.typed, baseline: undefined })
  askSoon()
}
