/** Reconciles a scale: finds the coding, compares totals with items, and computes the totals that follow from the items. */
import { permits } from '../definition/domain.ts'
import type { FormPlan, ScalePlan } from '../plan/plan-scale.ts'
import type { FieldPlan, Plan } from '../plan/plan.ts'
import { FIRST_INVALID, STATE, type Slots } from '../plan/slots.ts'
import type { Computation } from '../plan/computation.ts'

export const SAME = 1e-9

/** An invalid total must still coincide with its items: both are problems of the record. */
export const WRONG_NUMBERS: ReadonlySet<number> = new Set([
  STATE.outOfRange,
  STATE.notAnInteger,
  STATE.notANumber,
])

/** Reconciles every scale that the record carries. */
export function reconcileTotals(plan: Plan, slots: Slots): void {
  for (let at = 0; at < slots.scaleCount; at++) reconcileScale(plan, slots.scales[at] as number, slots)
}

/** Reconciles one scale. */
export function reconcileScale(plan: Plan, index: number, slots: Slots): void {
  const scale = plan.scales[index] as ScalePlan
  const form = formOf(scale, slots)
  if (form !== undefined) reconcileForm(plan, scale, form, slots)
}

/**
 * Computes every total and derived figure of a scale, also those that no model needs. The slots have been reconciled before;
 * doing it again changes nothing that is given.
 */
export function computeFigures(plan: Plan, form: FormPlan, slots: Slots): void {
  const everything = { ...plan, fillsIn: ({ fillsIn }: Computation) => fillsIn }
  for (const computation of [...form.computed, ...form.totals, ...form.derived])
    reconcile(everything, computation, slots)
}

/** The form that the record declares, or the scale's default where it declares none. */
export function declaredForm(scale: ScalePlan, slots: Slots): FormPlan | undefined {
  if (scale.codingSlot < 0) return scale.forms[0]
  const state = slots.stateOf(scale.codingSlot)
  if (state === STATE.valid) return scale.forms[slots.valueOf(scale.codingSlot)]
  return state === STATE.absent ? scale.defaultForm : undefined
}

/** The form of a record. If it is unknown, the values are not used. */
function formOf(scale: ScalePlan, slots: Slots): FormPlan | undefined {
  const declared = declaredForm(scale, slots)
  if (declared !== undefined) return declared
  const state = slots.stateOf(scale.codingSlot)
  const carried = scale.codedSlots.filter((slot) => slots.stateOf(slot) !== STATE.absent)
  if (carried.length === 0) return undefined
  // Values that no single form permits contradict each other, whichever form was meant.
  const [nearest = []] = scale.forms
    .map((form) => carried.filter((slot) => isForeign(form, slot, slots)))
    .sort((a, b) => a.length - b.length)
  for (const slot of nearest) slots.set(slot, STATE.otherCoding, 0)
  for (const slot of carried) if (slots.isUsable(slot)) slots.set(slot, STATE.untrusted, 0)
  if (state === STATE.absent) slots.set(scale.codingSlot, STATE.undeclared, 0)
  return undefined
}

/** Whether a slot has a value that the form does not permit. */
function isForeign(form: FormPlan, slot: number, slots: Slots): boolean {
  if (slots.stateOf(slot) !== STATE.valid) return false
  const domain = form.domains.get(slot)
  return domain === undefined || !permits(domain, slots.valueOf(slot))
}

function reconcileForm(plan: Plan, scale: ScalePlan, form: FormPlan, slots: Slots): void {
  if (scale.codingSlot >= 0) {
    for (const slot of scale.codedSlots)
      if (isForeign(form, slot, slots)) slots.set(slot, STATE.otherCoding, 0)
  }
  for (const group of form.alternatives) {
    const given = group.filter((part) => slots.isUsable(part))
    for (const part of given.slice(1)) slots.set(part, STATE.givenTwice, 0)
  }
  for (const computation of form.computed) reconcile(plan, computation, slots)
  for (const computation of form.totals) reconcile(plan, computation, slots)
  for (const { slot, by } of form.shifts) {
    if (slots.isUsable(slot)) slots.set(slot, slots.stateOf(slot), slots.valueOf(slot) - by)
  }
  for (const computation of form.derived) reconcile(plan, computation, slots)
}

function mayFill(plan: Plan, computation: Computation, slots: Slots): boolean {
  return plan.fillsIn(computation) && computation.unless.every((slot) => slots.stateOf(slot) === STATE.absent)
}

function reconcile(plan: Plan, computation: Computation, slots: Slots): void {
  const { target } = computation
  const state = slots.stateOf(target)
  if (state === STATE.absent ? !mayFill(plan, computation, slots) : !computation.compares) return
  let given = 0
  let distrusted = false
  for (const part of computation.parts) {
    const partState = slots.stateOf(part)
    if (partState >= FIRST_INVALID || partState === STATE.untrusted) distrusted = true
    else if (partState !== STATE.absent) given++
  }
  if (distrusted) {
    // A total whose items cannot be trusted cannot be trusted either; the item's own problem says why.
    // Figures that are only compared with it, such as subtotals, do not affect it.
    if (state === STATE.valid && computation.fillsIn) slots.set(target, STATE.untrusted, 0)
    return
  }
  if (state === STATE.absent) {
    if (!computation.isComplete(slots)) return
    const figure = computation.compute(slots)
    const { domain } = plan.fields[target] as FieldPlan
    slots.set(target, permits(domain, figure) ? STATE.computed : STATE.outOfRange, figure)
    return
  }
  const canCompare = computation.comparesPartly
    ? given > 0
    : computation.isComplete(slots) || computation.isDecided?.(slots) === true
  if (!canCompare) return
  const figure = computation.compute(slots)
  // Written so that NaN, which stands for a total that is not a number, does not differ from anything.
  if (!(Math.abs(figure - slots.valueOf(target)) > (computation.tolerance ?? SAME))) return
  if (state === STATE.valid) slots.set(target, STATE.mismatch, figure)
  else if (WRONG_NUMBERS.has(state)) slots.disagreements.set(target, figure)
}
