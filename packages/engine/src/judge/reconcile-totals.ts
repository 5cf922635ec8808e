/** Reconciles a record: runs the steps of each scale that it carries. */
import { type RunSteps, type Step, compileSteps } from '../expression/assignment.ts'
import { type NumberOf, compileNumber } from '../expression/evaluate.ts'
import type { FormPlan, ScalePlan } from '../plan/plan-scale.ts'
import type { Plan } from '../plan/plan.ts'
import type { Slots } from '../plan/slots.ts'
import { formNode, lowerFigures, lowerScale } from './lower-scale.ts'

interface CompiledScale {
  readonly form: NumberOf
  readonly forms: readonly (() => RunSteps)[]
  readonly undeclared: () => RunSteps
}

/** Compiled when a record first carries the scale: most deployments use few of them. */
const compiledScales = new WeakMap<Plan, CompiledScale[]>()
const compiledFigures = new WeakMap<Plan, Map<FormPlan, RunSteps>>()

/** Reconciles every scale that the record carries. */
export function reconcileTotals(plan: Plan, slots: Slots): void {
  for (let at = 0; at < slots.scaleCount; at++) reconcileScale(plan, slots.scales[at] as number, slots)
}

/** Reconciles one scale. */
export function reconcileScale(plan: Plan, index: number, slots: Slots): void {
  const known = compiledScales.get(plan) ?? []
  compiledScales.set(plan, known)
  const scale = plan.scales[index] as ScalePlan
  const { form, forms, undeclared } = (known[index] ??= compileScale(plan, scale))
  const run = forms[form(slots.values, slots.states, Number.NaN)] ?? undeclared
  run()(slots, Number.NaN)
}

function compileScale(plan: Plan, scale: ScalePlan): CompiledScale {
  const { form, forms, undeclared } = lowerScale(plan, scale)
  return {
    form: compileNumber(form),
    forms: forms.map(compiledOnce),
    undeclared: compiledOnce(undeclared),
  }
}

function compiledOnce(steps: () => readonly Step[]): () => RunSteps {
  let compiled: RunSteps | undefined
  return () => (compiled ??= compileSteps(steps()))
}

/**
 * Computes every total and derived figure of a scale, also those that no model needs. The slots have been reconciled before;
 * doing it again changes nothing that is given.
 */
export function computeFigures(plan: Plan, form: FormPlan, slots: Slots): void {
  const known = compiledFigures.get(plan) ?? new Map<FormPlan, RunSteps>()
  compiledFigures.set(plan, known)
  const run = known.get(form) ?? compileSteps(lowerFigures(plan, form))
  known.set(form, run)
  run(slots, Number.NaN)
}

const forms = new WeakMap<ScalePlan, NumberOf>()

/** The place of the form that the record declares, or of the scale's default where it declares none; −1 if that is unknown. */
export function placeOfForm(scale: ScalePlan, { values, states }: Slots): number {
  const form = forms.get(scale) ?? compileNumber(formNode(scale))
  forms.set(scale, form)
  return form(values, states, Number.NaN)
}

/** That form. */
export function declaredForm(scale: ScalePlan, slots: Slots): FormPlan | undefined {
  return scale.forms[placeOfForm(scale, slots)]
}
