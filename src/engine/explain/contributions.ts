/**
 * What each input adds to the score, compared with the typical patient of the model's data. A term with several inputs is shared
 * between them by Shapley values, so the points of all inputs add up to the difference of the two scores.
 */
import { rounded, writtenValue } from '../../definition/domain.ts'
import type { ModelDefinition } from '../../definition/model.ts'
import type { FieldPlan, Plan } from '../plan.ts'
import { STATE, type Slots } from '../read/slots.ts'
import { roundRisk } from '../score/link.ts'
import type { CompiledModel, Term } from '../score/model.ts'

export interface Reference {
  /** The value of a typical patient in each input: the median, or the most frequent code. */
  readonly values: Readonly<Record<string, number | string | boolean>>
  readonly risk: number
}

export interface Contribution {
  readonly fields: readonly string[]
  readonly label: string
  readonly points: number
}

/** A term is evaluated for every subset of its inputs, so a term with more of them is not explained. */
const MOST_INPUTS = 12
const DECIMALS = 6

/** The typical patient of a model, in the places of a record's values; undefined where the model does not state one. */
export class TypicalPatient {
  readonly reference: Reference
  private readonly inputs: readonly { readonly slot: number; readonly label: string }[]
  private readonly values: Float64Array
  private readonly states: Uint8Array
  private readonly compiled: CompiledModel
  private readonly plan: Plan

  private constructor(plan: Plan, compiled: CompiledModel, typical: ReadonlyMap<number, number>) {
    this.plan = plan
    this.compiled = compiled
    this.values = new Float64Array(plan.fields.length)
    this.states = new Uint8Array(plan.fields.length)
    for (const [slot, value] of typical) {
      this.values[slot] = value
      this.states[slot] = STATE.valid
    }
    this.inputs = [...typical.keys()].map((slot) => ({
      slot,
      label: labelOf(compiled, slot, this.nameOf(slot)),
    }))
    const stated = [...typical].map(([slot, value]) => {
      const { name, domain } = plan.fields[slot] as FieldPlan
      return [name, writtenValue(domain, value)] as const
    })
    const score = compiled.score(this.values, this.states)
    this.reference = { values: Object.fromEntries(stated), risk: roundRisk(compiled.probability(score)) }
  }

  static of(plan: Plan, model: ModelDefinition, compiled: CompiledModel): TypicalPatient | undefined {
    if (compiled.terms.some(({ slots }) => slots.length > MOST_INPUTS)) return undefined
    const typical = new Map<number, number>()
    for (const name of Object.keys(model.inputs)) {
      const slot = plan.slotByName.get(name) as number
      const value = typicalValue(model, plan.fields[slot] as FieldPlan)
      if (value === undefined) return undefined
      typical.set(slot, value)
    }
    return new TypicalPatient(plan, compiled, typical)
  }

  /** One entry for each input, the largest first. */
  contributions(slots: Slots): readonly Contribution[] {
    const points = new Map(this.inputs.map(({ slot }) => [slot, 0]))
    for (const term of this.compiled.terms)
      for (const [slot, share] of this.sharesOf(term, slots))
        points.set(slot, (points.get(slot) ?? 0) + share)
    return this.inputs
      .map(({ slot, label }) => ({
        fields: [this.nameOf(slot)],
        label,
        points: rounded(points.get(slot) ?? 0, DECIMALS),
      }))
      .sort((a, b) => Math.abs(b.points) - Math.abs(a.points))
  }

  private nameOf(slot: number): string {
    return (this.plan.fields[slot] as FieldPlan).name
  }

  /** The difference that a term makes, by input. */
  private sharesOf({ slots: inputs, points }: Term, slots: Slots): ReadonlyMap<number, number> {
    const { values, states } = this
    const typical = inputs.map((slot) => values[slot] as number)
    const put = (slot: number, value: number, state: number): void => {
      values[slot] = value
      states[slot] = state
    }
    /** The points when these inputs, as bits, are the record's and the others those of the typical patient. */
    const pointsWith = (own: number): number => {
      inputs.forEach((slot, bit) => {
        if ((own >> bit) & 1) put(slot, slots.valueOf(slot), slots.stateOf(slot))
        else put(slot, typical[bit] as number, STATE.valid)
      })
      return points(values, states)
    }
    const all = Array.from({ length: 2 ** inputs.length }, (_, own) => pointsWith(own))
    // The typical patient is the same for the next term.
    pointsWith(0)
    const shares = inputs.map((slot, bit) => {
      let share = 0
      all.forEach((before, own) => {
        if ((own >> bit) & 1) return
        share += weightOf(bitsIn(own), inputs.length) * ((all[own | (1 << bit)] as number) - before)
      })
      return [slot, share] as const
    })
    return new Map(shares)
  }
}

/** The share of all orders in which exactly these inputs come before the next one. */
function weightOf(before: number, count: number): number {
  let weight = 1 / count
  for (let i = 1; i <= before; i++) weight *= i / (count - i)
  return weight
}

function bitsIn(number: number): number {
  let bits = 0
  for (let rest = number; rest > 0; rest >>= 1) bits += rest & 1
  return bits
}

function typicalValue(model: ModelDefinition, { name, domain }: FieldPlan): number | undefined {
  const seen = model.profile?.inputs[name]
  if (seen === undefined) return undefined
  if (!('codes' in seen)) return seen.p50
  const [code] = Object.entries(seen.codes).sort(([, a], [, b]) => b - a)[0] ?? []
  return domain.kind === 'code' ? domain.codes.get(code ?? '') : Number(code === 'true')
}

/** The label of the first term that reads only this input, or its name. */
function labelOf({ terms }: CompiledModel, slot: number, name: string): string {
  return terms.find(({ slots }) => slots.length === 1 && slots[0] === slot)?.label ?? name
}
