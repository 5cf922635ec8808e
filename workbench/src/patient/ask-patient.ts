/** Asks the service about the patient, a moment after the last change: first what is wrong, then, if nothing is, the risk. */
import { ApiFailure, ask, callOf, isAborted } from '../api.ts'
import { connection, noteLost } from '../connection.ts'
import { preferences } from '../preferences.ts'
import { knowledge, refuseIfUnknown, session } from '../session.ts'
import type { Explained, Validity } from '../shapes/answers.ts'
import type { Field, Value } from '../shapes/fields.ts'
import { patient } from './patient-state.ts'
import { readInput } from './read-input.ts'

/** The service numbers a patient by this; there is only one. */
const IDX = 1
const PAUSE_MS = 200

let timer: ReturnType<typeof setTimeout> | undefined
let asking: AbortController | undefined

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

export function stopAsking(): void {
  asking?.abort()
  clearTimeout(timer)
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
    patient.patch({
      problems: result?.error_message ?? [],
      // Without a risk there is nothing to show but the problems.
      result: result?.risk === null ? undefined : result,
      status: 'answered',
      failure: undefined,
    })
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
