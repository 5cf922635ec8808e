/**
 * What each input adds to the score, compared with the typical patient of the model's data. A term with several inputs is shared
 * between them by Shapley values, so the points of all inputs add up to the difference of the two scores.
 */
import { rounded, writtenValue } from '../definition/domain.ts'
import type { ModelDefinition } from '../definition/model.ts'
import type { FieldPlan, Plan } from '../plan/plan.ts'
import { STATE, type Slots } from '../plan/slots.ts'
import { roundRisk } from '../score/link.ts'
import type { CompiledModel, Term } from '../score/model.ts'
import { orders, treeShares } from './tree-shares.ts'
import { type WorkBudget, WorkMeter, withinRecord } from '../work-meter.ts'

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

const DECIMALS = 6

export interface TypicalPatient {
  readonly reference: Reference
  /** One entry for each input, the largest first; undefined where it would take too much work. */
  contributions(slots: Slots, budget?: WorkBudget): readonly Contribution[] | undefined
}

/** Compiles the typical patient of a model; undefined where the model does not state one. */
export function compileTypicalPatient(
  plan: Plan,
  model: ModelDefinition,
  compiled: CompiledModel,
): TypicalPatient | undefined {
  /** The typical patient, in the places of a record's values. */
  const values = new Float64Array(plan.fields.length)
  const states = new Uint8Array(plan.fields.length)
  const inputs: { readonly slot: number; readonly name: string; readonly label: string }[] = []
  const stated: (readonly [string, number | string | boolean])[] = []
  for (const name of Object.keys(model.inputs)) {
    const slot = plan.slotByName.get(name) as number
    const field = plan.fields[slot] as FieldPlan
    const value = typicalValue(model, field)
    if (value === undefined) return undefined
    values[slot] = value
    states[slot] = STATE.valid
    inputs.push({ slot, name, label: labelOf(model, compiled, slot) ?? name })
    stated.push([name, writtenValue(field.domain, value)])
  }
  const risk = roundRisk(compiled.probability(compiled.score(values, states)))
  const weights = orders(Math.max(0, ...compiled.terms.map((term) => term.slots.length)))

  /** The difference that a term makes, by input. */
  const sharesOf = (
    term: Term,
    slots: Slots,
    meter: WorkMeter,
  ): readonly (readonly [slot: number, share: number])[] => {
    if (term.trees !== undefined) return [...treeShares(term.trees, slots.values, values, meter)]
    // Every subset of its inputs is filled in and evaluated, and looked at again for each input.
    meter.take(2 ** term.slots.length * (2 * term.slots.length + 1))
    const typical = term.slots.map((slot) => values[slot] as number)
    /** The points when these inputs, as bits, are the record's and the others those of the typical patient. */
    const pointsWith = (own: number): number => {
      term.slots.forEach((slot, bit) => {
        const isOwn = ((own >> bit) & 1) === 1
        values[slot] = isOwn ? slots.valueOf(slot) : (typical[bit] as number)
        states[slot] = isOwn ? slots.stateOf(slot) : STATE.valid
      })
      return term.points(values, states)
    }
    const all = Array.from({ length: 2 ** term.slots.length }, (_, own) => pointsWith(own))
    // The typical patient is the same for the next term.
    pointsWith(0)
    return term.slots.map((slot, bit) => {
      let share = 0
      all.forEach((before, own) => {
        if ((own >> bit) & 1) return
        const earlier = bitsIn(own)
        const weight = weights(earlier, term.slots.length - 1 - earlier)
        share += weight * ((all[own | (1 << bit)] as number) - before)
      })
      return [slot, share]
    })
  }

  return {
    reference: { values: Object.fromEntries(stated), risk },
    contributions(slots, budget) {
      const meter = new WorkMeter(budget)
      const points = new Map(inputs.map(({ slot }) => [slot, 0]))
      const shares = withinRecord(() => compiled.terms.flatMap((term) => sharesOf(term, slots, meter)))
      if (shares === undefined) return undefined
      for (const [slot, share] of shares) points.set(slot, (points.get(slot) ?? 0) + share)
      return inputs
        .map(({ slot, name, label }) => ({
          fields: [name],
          label,
          points: rounded(points.get(slot) ?? 0, DECIMALS),
        }))
        .sort((a, b) => Math.abs(b.points) - Math.abs(a.points))
    },
  }
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

/** What the file calls the first term that reads only this input. */
function labelOf(model: ModelDefinition, { terms }: CompiledModel, slot: number): string | undefined {
  const at = terms.findIndex(({ slots }) => slots.length === 1 && slots[0] === slot)
  return model.terms[at]?.label
}
