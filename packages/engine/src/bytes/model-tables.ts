/** The model and the scales as the byte reader knows them: sums, required and assumed slots, points by table. */
import { steppedValues } from '../definition/domain.ts'
import type { CompiledModel, Term } from '../score/model.ts'
import type { ScalePlan } from '../plan/plan-scale.ts'
import type { FieldPlan, Plan } from '../plan/plan.ts'
import { STATE, type State } from '../plan/slots.ts'
import type { Computation } from '../plan/computation.ts'
import { counted, readerSlot } from './field-tables.ts'
import * as layout from './layout.ts'
import type { MemoryImage } from './memory-image.ts'

const MAX_POINTS = 4_096
/** A table is made by the first request, so what would take longer is computed for each record: some 10 ms. */
const MOST_TABLE_STEPS = 2_000_000

export function writeScales(image: MemoryImage, plan: Plan): number {
  return image.table(plan.scales, layout.SCALE_SIZE, (place, scale) => {
    const sums = plainSums(scale)
    const watched = rulesToWatch(plan, scale)
    image.i32(place + layout.S_MODE, sums === undefined ? layout.MODE_HOST : layout.MODE_SUMS)
    const rules = [...watched, ...(sums?.map((sum) => ruleOf(plan, sum)) ?? [])]
    const table = image.table(rules, layout.SUM_SIZE, (row, { target, parts, flags }) => {
      image.i32(row + layout.SUM_TARGET, readerSlot(target))
      image.i32(row + layout.SUM_PARTS, image.takeIntegers(parts.map(readerSlot)))
      image.i32(row + layout.SUM_COUNT, parts.length)
      image.i32(row + layout.SUM_FLAGS, flags)
    })
    image.i32(place + layout.S_COMPUTATIONS, table)
    image.i32(place + layout.S_COUNT, rules.length)
    const isIndependent = watched.length === 0 && sums?.every(({ parts }) => parts.length > 1)
    image.i32(place + layout.S_INDEPENDENT, isIndependent === true ? 1 : 0)
  })
}

/** The totals of a scale that has one form and nothing but plain sums beside readings; undefined for any other. */
function plainSums(scale: ScalePlan): readonly Computation[] | undefined {
  const [form] = scale.forms
  if (form === undefined || scale.codingSlot >= 0) return undefined
  if (form.shifts.length + form.derived.length > 0) return undefined
  return form.totals.every((total) => total.isPlainSum) ? form.totals : undefined
}

interface Rule {
  readonly target: number
  readonly parts: readonly number[]
  readonly flags: number
}

function ruleOf(plan: Plan, computation: Computation): Rule {
  const { target, parts, comparesPartly } = computation
  const fills = plan.fillsIn(computation) ? layout.SUM_FILLS_IN : 0
  return { target, parts, flags: fills | (comparesPartly ? layout.SUM_COMPARES_PARTLY : 0) }
}

/** When a scale needs to be reconciled by the engine: most records carry a part of it only, and few carry readings. */
function rulesToWatch(plan: Plan, scale: ScalePlan): readonly Rule[] {
  // A declared coding is left to the engine: here it is the default form, or none with only one.
  const form = scale.codingSlot < 0 ? scale.forms[0] : scale.defaultForm
  if (form === undefined) return []
  const { computed, totals, derived, alternatives } = form
  // What follows from age and sex alone matters only to a model that needs it, or to another rule, which is watched itself.
  const readings = computed.filter(({ compares, target }) => compares || plan.isNeeded(target))
  const others = plainSums(scale) === undefined ? [...totals, ...derived] : []
  return [
    // None of them follows without its first part.
    ...readings.map((each) => {
      const { target, parts, flags } = ruleOf(plan, each)
      return { target, parts: parts.slice(0, 1), flags: flags | layout.SUM_WATCHED }
    }),
    ...others.map((each) => ruleOf(plan, each)),
    ...alternatives.map((parts) => ({ target: parts[0] as number, parts, flags: layout.SUM_ALTERNATIVES })),
  ]
}

export function writeAssumed(image: MemoryImage, model: CompiledModel): number {
  return image.table(model.assumed, layout.ASSUMED_SIZE, (place, { slot, value }) => {
    image.i32(place + layout.A_SLOT, readerSlot(slot))
    image.f64(place + layout.A_VALUE, value)
  })
}

/** Points are computed here, by the terms themselves, so that the reader's are the same to the last bit. */
export function writeTerms(image: MemoryImage, plan: Plan, model: CompiledModel): number {
  return image.table(model.terms, layout.TERM_SIZE, (place, term) =>
    writeTerm(image, place, plan, model, term),
  )
}

function writeTerm(image: MemoryImage, place: number, plan: Plan, model: CompiledModel, term: Term): void {
  // Trees of leaves alone have no slot.
  const [slot = -1] = term.slots
  const possible = term.slots.length === 1 ? possibleValues(plan.fields[slot] as FieldPlan) : []
  const list = counted(possible)
  if (list === undefined || list.span > MAX_POINTS) return
  if (possible.length * term.steps > MOST_TABLE_STEPS) return
  const values = new Float64Array(plan.fields.length)
  const states = new Uint8Array(plan.fields.length)
  const pointsAt = (value: number, state: State = STATE.valid): number => {
    values[slot] = value
    states[slot] = state
    return term.points(values, states)
  }
  const table = new Float64Array(list.span + 1).fill(Number.NaN)
  possible.forEach((value, index) => (table[list.places[index] as number] = pointsAt(value)))
  const assumed = model.assumed.find((each) => each.slot === slot)
  const points = image.table([...table], 8, (row, number) => image.f64(row, number))
  image.i32(place + layout.T_TABLE, points)
  image.i32(place + layout.T_SLOT, readerSlot(slot))
  image.i32(place + layout.T_LOW, list.low)
  image.i32(place + layout.T_SPAN, list.span)
  image.f64(place + layout.T_UNIT, list.unit)
  image.f64(
    place + layout.T_ABSENT,
    assumed === undefined ? Number.NaN : pointsAt(assumed.value, STATE.assumed),
  )
}

/** Every value that a field can hold, where they can be listed. */
function possibleValues({ domain }: FieldPlan): readonly number[] {
  if (domain.kind === 'yesNo') return [0, 1]
  if (domain.kind === 'code') return [...domain.codes.values()]
  if (domain.kind === 'list') return domain.values
  if (domain.kind !== 'integer' || domain.to - domain.from > MAX_POINTS) return []
  return steppedValues(domain, 1)
}
