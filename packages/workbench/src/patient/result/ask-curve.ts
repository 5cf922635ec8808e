/** The risk of this patient over the values of one input, all else as it is. The service evaluates every point, in one call. */
import { ask, callOf } from '../../api.ts'
import { session } from '../../session.ts'
import type { Explained } from '../../shapes/answers.ts'
import type { Field, FieldCatalogue } from '../../shapes/fields.ts'
import type { Model } from '../../shapes/model.ts'
import type { Point } from '../../ui/plot.tsx'
import { recordOf } from '../ask-patient.ts'
import { fieldIn, inOwnUnit } from '../form/read-input.ts'
import type { Patient } from '../patient-state.ts'

/** What is drawn: values are in the unit that the input is typed in. */
export interface CurvePlan {
  /** The input, with the unit and the limits that it is typed in. */
  readonly field: Field
  readonly now: number | undefined
  readonly values: readonly number[]
  /** The last value that is permitted, where the drawing ends before it. */
  readonly beyond: number | undefined
  /** All values of the model's data, and the middle 98 %, where the model states them. */
  readonly data: Point | undefined
  readonly usual: Point | undefined
}

const STEPS = 60
/** Ranges wider than this are cut where the model does not state its data. */
const WIDE = 150

export function isDrawable({ type, values }: Field): boolean {
  return (type === 'integer' || type === 'number') && (values === undefined || values.length > 2)
}

/** The patient's own values and answer, also while other values are tried. */
export function ownPatient(patient: Patient): Patient {
  const { baseline } = patient
  return baseline === undefined ? patient : { ...patient, typed: baseline.typed, answer: baseline.result }
}

/** `patient` has the own values; `tried` is the value of a what-if. */
export function planCurve(
  model: Model,
  own: Field,
  patient: Patient,
  isWhole: boolean,
  tried?: number,
): CurvePlan {
  const unit = patient.units[own.name]
  const field = fieldIn(own, unit)
  const listed = field.values?.filter((value) => typeof value === 'number')
  const from = field.minimum ?? Math.min(...(listed ?? [0]))
  const to = field.maximum ?? Math.max(...(listed ?? [100]))
  const profile = model.profile?.inputs[own.name]
  const inUnit = (low?: number, high?: number): Point | undefined => {
    const minimum = inOwnUnit(own, low, own.modelUnit)
    const maximum = inOwnUnit(own, high, own.modelUnit)
    if (typeof minimum !== 'number' || typeof maximum !== 'number') return undefined
    const shown = fieldIn({ ...own, minimum, maximum }, unit)
    return [shown.minimum ?? minimum, shown.maximum ?? maximum]
  }
  const numbers = profile !== undefined && 'cuts' in profile ? profile : undefined
  const usual = inUnit(numbers?.p01, numbers?.p99)
  const data = inUnit(numbers?.from ?? numbers?.p01, numbers?.to ?? numbers?.p99)
  const now = typedNumber(own, patient)
  const enough =
    data === undefined ? from + (to - from > WIDE ? STEPS : to) : data[1] + (data[1] - data[0]) / 2
  const near = Math.ceil(Math.max(enough, Math.max(now ?? from, tried ?? from) * 1.25))
  // A stay may last ten years. Data of two weeks would be a hair at the edge of such a drawing.
  const isCut = listed === undefined && near < to * 0.6
  const end = isCut && !isWhole ? near : to
  const values = listed ?? steps(from, end, field.type === 'integer')
  const marked = [now, tried].filter((each) => each !== undefined && each >= from && each <= to)
  const all = [...new Set([...values, ...marked])].filter((each) => each !== undefined)
  return { field, now, values: all.sort((a, b) => a - b), beyond: isCut ? to : undefined, data, usual }
}

function steps(from: number, to: number, isWhole: boolean): readonly number[] {
  const rough = (to - from) / STEPS
  const step = isWhole ? Math.max(1, Math.ceil(rough)) : rough
  const count = Math.floor((to - from) / step + 1e-9)
  const inner = Array.from({ length: count }, (_each, index) => Number((from + index * step).toPrecision(4)))
  return [...inner, to]
}

/** The value as it is typed, or the total that the service computed from the items. */
export function typedNumber(own: Field, patient: Patient): number | undefined {
  const value = recordOf([own], { typed: patient.typed, units: {} })[own.name]
  if (typeof value === 'number') return value
  const scale = patient.answer?.scales.find((each) => each.scale === own.scale)
  return own.role === 'total' && scale?.complete === true ? (scale.total ?? undefined) : undefined
}

/** Items and the total of a scale exclude each other here: a total that is tried does not fit the items, and the reverse. */
export function coveredBy(own: Field, { fields }: FieldCatalogue): readonly string[] {
  if (own.role !== 'total' && own.role !== 'item') return []
  const other = own.role === 'total' ? 'item' : 'total'
  return fields
    .filter(({ scale, role }) => own.scale !== undefined && scale === own.scale && role === other)
    .map(({ name }) => name)
}

/** Value and risk. Values for which there is no risk are left out. */
export async function askCurve(
  model: Model,
  catalogue: FieldCatalogue,
  own: Field,
  plan: CurvePlan,
  patient: Patient,
  signal: AbortSignal,
): Promise<readonly Point[]> {
  const current = session.get()
  if (current?.deployment === undefined) return []
  const covered = coveredBy(own, catalogue)
  const fields = catalogue.fields.filter(({ name }) => !covered.includes(name))
  const record = recordOf(fields, patient)
  const body = plan.values.map((value, index) => {
    const sent = Number(inOwnUnit(own, value, patient.units[own.name]))
    // A limit that was rounded in another unit may be a little beyond the limit of the field.
    const within = Math.min(own.maximum ?? Infinity, Math.max(own.minimum ?? -Infinity, sent))
    return { idx: index + 1, ...record, [own.name]: within }
  })
  const call = { method: 'POST', body, signal, digest: model.deployment.digest } as const
  const path = callOf(current.deployment.basePath, '/explain')
  const answers = await ask<readonly Explained[]>(current.key, path, call)
  return answers.flatMap(({ explanation }, index) => {
    const value = plan.values[index]
    return explanation === null || value === undefined ? [] : [[value, explanation.probability] as const]
  })
}
