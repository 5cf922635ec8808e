/** Why a record got its risk: each term's points, and the values that they came from. */
import { rounded, writtenValue } from '../definition/domain.ts'
import type { ModelDefinition } from '../definition/model.ts'
import type { RecordResult } from '../answer/assess.ts'
import type { CompiledModel } from '../score/model.ts'
import type { FieldPlan, Plan } from '../plan/plan.ts'
import { STATE, type Slots } from '../plan/slots.ts'
import { type Contribution, type Reference, compileTypicalPatient } from './contributions.ts'
import { type Sampling, compileSampling } from '../score/sampling.ts'
import type { WorkBudget } from '../work-meter.ts'

export interface Explanation {
  readonly model: string
  /** The added-up points of all terms. */
  readonly score: number
  /** What a logistic model adds before any term. */
  readonly intercept?: number
  /** The risk as a number, also where the deployment answers Yes or No. */
  readonly probability: number
  readonly terms: readonly ExplainedTerm[]
  /** The typical patient of the model's data; null where the model does not state one. */
  readonly reference: Reference | null
  /** What each input adds to the score of that patient, the largest first; null too where it would take too much work. */
  readonly contributions: readonly Contribution[] | null
  /** The uncertainty that comes from the size of the model's data; null where the model does not state it. */
  readonly sampling: Sampling | null
}

export interface ExplainedTerm {
  readonly label: string
  readonly kind: string
  readonly points: number
  readonly values: readonly ExplainedValue[]
}

export interface ExplainedValue {
  readonly field: string
  /** Null where the input is absent and the model takes that into account. */
  readonly value: number | string | boolean | null
  /** Given in the record, computed from other fields, or assumed as the model states for absence. */
  readonly origin: 'given' | 'computed' | 'assumed'
  /** The unit of the value, and the one in which the deployment receives it, where the two differ. */
  readonly unit?: string
  readonly receivedIn?: string
}

const ORIGIN = { [STATE.valid]: 'given', [STATE.computed]: 'computed', [STATE.assumed]: 'assumed' } as const
const DECIMALS = 6

/** Compiles the explanation of the record in the slots, which got a risk. */
export function compileExplanation(
  plan: Plan,
  model: ModelDefinition,
  compiled: CompiledModel,
): (slots: Slots, result: RecordResult, budget?: WorkBudget) => Explanation {
  const typical = compileTypicalPatient(plan, model, compiled)
  const samplingOf = compileSampling(model, plan)
  return (slots, result, budget) => ({
    model: `${model.id}@${model.version}`,
    score: rounded(result.score, DECIMALS),
    ...(model.link.kind === 'logistic' ? { intercept: model.link.intercept } : {}),
    probability: result.risk,
    terms: compiled.terms.map((term) => ({
      label: term.label,
      kind: term.kind,
      points: rounded(term.points(slots.values, slots.states), DECIMALS),
      values: term.slots.map((slot) => {
        const { name, domain, conversion } = plan.fields[slot] as FieldPlan
        const number = slots.valueOf(slot)
        return {
          field: name,
          value: Number.isNaN(number) ? null : writtenValue(domain, number),
          origin: ORIGIN[slots.stateOf(slot) as keyof typeof ORIGIN],
          ...(conversion && { unit: conversion.own, receivedIn: conversion.unit }),
        }
      }),
    })),
    reference: typical?.reference ?? null,
    contributions: typical?.contributions(slots, budget) ?? null,
    sampling: samplingOf(slots, result.score),
  })
}
