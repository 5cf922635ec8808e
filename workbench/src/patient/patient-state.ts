/** One patient: what was typed, what the service says about it, and the result it is compared with. */
import { ApiFailure, ask, callOf, isAborted } from '../api.ts'
import { connection, noteLost } from '../connection.ts'
import { preferences } from '../preferences.ts'
import { knowledge, refuseIfUnknown, session } from '../session.ts'
import type { ErrorItem, Explained, PatientRecord, Validity } from '../shapes/answers.ts'
import type { Field, Value } from '../shapes/fields.ts'
import { createState } from '../state.ts'
import { readInput } from './read-input.ts'

export interface Baseline {
  readonly typed: Readonly<Record<string, string>>
  readonly result: Explained
}

export interface Patient {
  readonly typed: Readonly<Record<string, string>>
  /** Fields that were left once: what they lack is said beside them. */
  readonly visited: ReadonlySet<string>
  readonly problems: readonly ErrorItem[]
  readonly result: Explained | undefined
  readonly status: 'idle' | 'asking' | 'answered' | 'failed'
  readonly failure: ApiFailure | undefined
  readonly baseline: Baseline | undefined
}

const EMPTY: Patient = {
  typed: {},
  visited: new Set(),
  problems: [],
  result: undefined,
  status: 'idle',
  failure: undefined,
  baseline: undefined,
}

/** The service numbers a patient by this; there is only one. */
const IDX = 1
const PAUSE_MS = 200

export const patient = createState<Patient>(EMPTY)

let timer: ReturnType<typeof setTimeout> | undefined
let asking: AbortController | undefined

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
  asking?.abort()
  clearTimeout(timer)
  patient.set(EMPTY)
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
  patient.set({ ...EMPTY, typed, visited: new Set(Object.keys(typed)) })
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

/** The record as it is sent: known fields with what was typed into them. */
export function recordOf(
  fields: readonly Field[],
  typed: Readonly<Record<string, string>>,
): Readonly<Record<string, Value>> {
  const record: Record<string, Value> = {}
  for (const field of fields) {
    const value = readInput(field, typed[field.name] ?? '', preferences.get().language)
    if (value !== undefined) record[field.name] = value
  }
  return record
}

export function askSoon(): void {
  clearTimeout(timer)
  timer = setTimeout(() => void askNow(), PAUSE_MS)
}

async function askNow(): Promise<void> {
  const current = session.get()
  const known = knowledge.get()
  if (current?.deployment === undefined || known.kind !== 'ready') return
  const record = recordOf(known.catalogue.fields, patient.get().typed)
  asking?.abort()
  if (Object.keys(record).length === 0) {
    patient.patch({ problems: [], result: undefined, status: 'idle', failure: undefined })
    return
  }
  const controller = new AbortController()
  asking = controller
  patient.patch({ status: 'asking' })
  const { basePath } = current.deployment
  const call = { method: 'POST', body: [{ idx: IDX, ...record }], signal: controller.signal } as const
  try {
    const [validity] = await ask<readonly Validity[]>(current.key, callOf(basePath, '/validate'), call)
    const problems = validity?.error_message ?? []
    if (validity?.valid !== true) {
      patient.patch({ problems, result: undefined, status: 'answered', failure: undefined })
      return
    }
    const [result] = await ask<readonly Explained[]>(current.key, callOf(basePath, '/explain'), call)
    patient.patch({ problems: result?.error_message ?? [], result, status: 'answered', failure: undefined })
  } catch (error) {
    if (isAborted(error) || refuseIfUnknown(error)) return
    if (!(error instanceof ApiFailure)) throw error
    if (error.status === 0) noteLost()
    patient.patch({ status: 'failed', failure: error, result: undefined })
  }
}

let returns = 0
connection.subscribe(() => {
  if (connection.get().returns === returns) return
  returns = connection.get().returns
  if (patient.get().status === 'failed') askSoon()
})

// Another deployment asks other questions of the same patient.
knowledge.subscribe(() => {
  if (knowledge.get().kind === 'ready') {
    patient.patch({ baseline: undefined })
    askSoon()
  }
})
