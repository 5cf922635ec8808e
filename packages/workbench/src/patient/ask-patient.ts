/** Asks the service about the patient, a moment after the last change: the risk or what is missing, and what it rests on. */
import { ApiFailure, ask, callOf, isAborted, within } from '../api.ts'
import { noteAlarm } from '../calibration-alarm.ts'
import { connection, noteLost } from '../connection.ts'
import { preferences } from '../preferences.ts'
import { hasDecimalComma } from '../i18n/language.ts'
import { deploymentData, onLock, onSessionEnd, refuseIfUnknown, session } from '../session.ts'
import type { Explained } from '../shapes/answers.ts'
import type { Field, Value } from '../shapes/fields.ts'
import { sentCode } from '../shapes/sent-code.ts'
import { NO_PATIENT, patient, type Patient } from './patient-state.ts'
import { inOwnUnit, readInput } from './form/read-input.ts'

/** The number of the patient in the request. */
const IDX = 1
const PAUSE_MS = 200
const TIMEOUT_MS = 10_000

const NO_ANSWER = { problems: [], answer: undefined, result: undefined } as const

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
    if (value !== undefined) record[field.name] = sentCode(field, value)
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
    patient.patch({ ...NO_ANSWER, status: 'idle', failure: undefined })
    return
  }
  const controller = new AbortController()
  asking = controller
  const { key } = current
  const { basePath, name } = current.deployment
  let alarm = ''
  const onHeaders = (headers: Headers): void => {
    alarm = noteAlarm(name, headers)
  }
  try {
    await within(TIMEOUT_MS, controller.signal, async (signal) => {
      const body = [{ idx: IDX, ...record }]
      const explain = { method: 'POST', body, signal, digest: model.deployment.digest, onHeaders } as const
      const [answer] = await ask<readonly Explained[]>(key, callOf(basePath, '/explain'), explain)
      patient.patch({
        problems: answer?.error_message ?? [],
        answer,
        result: answer?.risk === null ? undefined : answer,
        alarm,
        answeredAt: Date.now(),
        status: 'answered',
        failure: undefined,
      })
    })
  } catch (error) {
    if (isAborted(error) || refuseIfUnknown(error)) return
    if (!(error instanceof ApiFailure)) throw error
    if (error.status === 0) noteLost()
    patient.patch({ answer: undefined, result: undefined, status: 'failed', failure: error })
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
  patient.patch({ ...NO_ANSWER, baseline: undefined, typed: baseline?.typed ?? typed })
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
      return isNumber ? [[field.name, text.replace(/[.,]/, hasDecimalComma(next) ? ',' : '.')] as const] : []
    })
    return { ...typed, ...Object.fromEntries(changed) }
  }
  const { typed, baseline, problems } = patient.get()
  const now = retyped(typed)
  // What was no number in one language may be one in the other, and its problem does not hold any more.
  const isOther = (field: Field): boolean =>
    readInput(field, typed[field.name] ?? '', former) !== readInput(field, now[field.name] ?? '', next)
  const others = new Set(known.catalogue.fields.filter(isOther).map(({ name }) => name))
  patient.patch({
    typed: now,
    baseline: baseline === undefined ? undefined : { ...baseline, typed: retyped(baseline.typed) },
    problems: problems.filter((item) => !others.has(item.Field)),
  })
  if (others.size > 0) askSoon()
})

onLock(stopAsking)
onSessionEnd(() => {
  stopAsking()
  patient.set(NO_PATIENT)
})
