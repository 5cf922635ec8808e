/** Asks the service about the patient, a moment after the last change: first what is wrong, then, if nothing blocks, the risk. */
import { ApiFailure, ask, callOf, isAborted, within } from '../api.ts'
import { connection, noteLost } from '../connection.ts'
import { preferences } from '../preferences.ts'
import { deploymentData, loadDeploymentData, onSessionEnd, refuseIfUnknown, session } from '../session.ts'
import type { Explained, Validity } from '../shapes/answers.ts'
import type { Field, Value } from '../shapes/fields.ts'
import { NO_PATIENT, patient, type Patient } from './patient-state.ts'
import { inOwnUnit, readInput } from './form/read-input.ts'
import { typicalRecord } from './result/typical-patient.ts'

/** The number of the patient in the request, and that of the typical patient sent with it. */
const IDX = 1
const TYPICAL_IDX = 2
const PAUSE_MS = 200
const TIMEOUT_MS = 10_000

let timer: ReturnType<typeof setTimeout> | undefined
let asking: AbortController | undefined

/** The record as it is sent: known fields with what was typed into them. */
export function recordOf(
  fields: readonly Field[],
  { typed, units }: Pick<Patient, 'typed' | 'units'>,
): Readonly<Record<string, Value>> {
  const record: Record<string, Value> = {}
  for (const field of fields) {
    const read = readInput(field, typed[field.name] ?? '', preferences.get().language)
    const value = inOwnUnit(field, read, units[field.name])
    if (value !== undefined) record[field.name] = value
  }
  return record
}

/** Asks again shortly. From now on the shown result is outdated. */
export function askSoon(): void {
  stopAsking()
  patient.patch({ status: 'asking' })
  timer = setTimeout(() => void askNow(), PAUSE_MS)
}

export function stopAsking(): void {
  asking?.abort()
  clearTimeout(timer)
}

async function askNow(): Promise<void> {
  const current = session.get()
  const known = deploymentData.get()
  if (current?.deployment === undefined || known.kind !== 'ready') return
  const { model, catalogue } = known
  const record = recordOf(catalogue.fields, patient.get())
  if (Object.keys(record).length === 0) {
    patient.patch({ problems: [], result: undefined, status: 'idle', failure: undefined })
    return
  }
  const controller = new AbortController()
  asking = controller
  const { key } = current
  const { basePath } = current.deployment
  const typical = typicalRecord(model)
  try {
    await within(TIMEOUT_MS, controller.signal, async (signal) => {
      const patients = [{ idx: IDX, ...record }]
      const validate = { method: 'POST', body: patients, signal } as const
      const [validity] = await ask<readonly Validity[]>(key, callOf(basePath, '/validate'), validate)
      if (validity?.valid !== true) {
        const problems = validity?.error_message ?? []
        patient.patch({ problems, result: undefined, status: 'answered', failure: undefined })
        return
      }
      const expected = { model: `${model.id}@${model.version}`, digest: model.digest }
      const all = typical === undefined ? patients : [...patients, { idx: TYPICAL_IDX, ...typical }]
      const explain = { method: 'POST', body: all, signal, expected } as const
      const answers = await ask<readonly Explained[]>(key, callOf(basePath, '/explain'), explain)
      const result = answers[0]
      patient.patch({
        problems: result?.error_message ?? [],
        // Without a risk there is nothing to show but the problems.
        result: result?.risk === null ? undefined : result,
        typical: answers[1],
        answeredAt: Date.now(),
        status: 'answered',
        failure: undefined,
      })
    })
  } catch (error) {
    if (isAborted(error) || refuseIfUnknown(error)) return
    if (!(error instanceof ApiFailure)) throw error
    if (error.status === 0) noteLost()
    patient.patch({ status: 'failed', failure: error, result: undefined })
    // The card on the screen is outdated too. The new one asks again by itself.
    if (error.code === 'MODEL_CHANGED') void loadDeploymentData()
  }
}

let returns = 0
connection.subscribe(() => {
  if (connection.get().reconnects === returns) return
  returns = connection.get().reconnects
  if (patient.get().status === 'failed') askSoon()
})

let lastFields: readonly Field[] = []

// Another deployment gives another answer. The old one must not be shown under the new title, values of a what-if must not
// become the patient's own, and a number keeps the unit that it was typed in.
deploymentData.subscribe(() => {
  const { baseline, typed } = patient.get()
  patient.patch({ result: undefined, problems: [], baseline: undefined, typed: baseline?.typed ?? typed })
  const known = deploymentData.get()
  if (known.kind !== 'ready') {
    stopAsking()
    return
  }
  keepUnits(known.catalogue.fields)
  askSoon()
})

function keepUnits(fields: readonly Field[]): void {
  const { typed, units } = patient.get()
  const typedIn = new Map(lastFields.map(({ name, unit }) => [name, unit]))
  const kept = fields.flatMap(({ name, unit }) => {
    const before = typedIn.get(name)
    const isTyped = (typed[name] ?? '') !== ''
    return isTyped && units[name] === undefined && before !== undefined && before !== unit
      ? [[name, before] as const]
      : []
  })
  if (kept.length > 0) patient.patch({ units: { ...units, ...Object.fromEntries(kept) } })
  lastFields = fields
}

let { language } = preferences.get()

// A number is typed with the decimal sign of the language, so another language shows it with its own.
preferences.subscribe(() => {
  const { language: next } = preferences.get()
  const known = deploymentData.get()
  const former = language
  language = next
  if (next === former || known.kind !== 'ready') return
  const retyped = (typed: Patient['typed']): Patient['typed'] => {
    const changed = known.catalogue.fields.flatMap((field) => {
      const text = typed[field.name] ?? ''
      const isNumber = typeof readInput(field, text, former) === 'number'
      return isNumber ? [[field.name, text.replace(/[.,]/, next === 'es' ? ',' : '.')] as const] : []
    })
    return { ...typed, ...Object.fromEntries(changed) }
  }
  const { typed, baseline } = patient.get()
  patient.patch({
    typed: retyped(typed),
    baseline: baseline === undefined ? undefined : { ...baseline, typed: retyped(baseline.typed) },
  })
})

onSessionEnd(() => {
  stopAsking()
  patient.set(NO_PATIENT)
})
