/** What a reader does with the patient: types, clears, takes over from a list, keeps a result and goes back to it. */
import type { PatientRecord } from '../shapes/answers.ts'
import { askSoon, stopAsking } from './ask-patient.ts'
import { NO_PATIENT, patient } from './patient-state.ts'

export function setTyped(name: string, text: string): void {
  const { typed, visited } = patient.get()
  patient.patch({ typed: { ...typed, [name]: text }, visited: new Set([...visited, name]) })
  askSoon()
}

export function noteVisited(name: string): void {
  const { visited } = patient.get()
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

/** Takes over the values of a row of a list. */
export function openPatient(record: PatientRecord): void {
  const typed = Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String(value)]))
  patient.set({ ...NO_PATIENT, typed, visited: new Set(Object.keys(typed)) })
  askSoon()
}

export function keepBaseline(): void {
  const { typed, result } = patient.get()
  if (result !== undefined) patient.patch({ baseline: { typed, result } })
}

export function returnToBaseline(): void {
  const { baseline } = patient.get()
  if (baseline === undefined) return
  patient.patch({ typed: baseline.typed, baseline: undefined })
  askSoon()
}

export function dropBaseline(): void {
  patient.patch({ baseline: undefined })
}
