/** A compiled model: which slots it must have, what it adds up, and the probability that follows. */
import { codesIn } from '../../definition/domain.ts'
import type { ModelDefinition } from '../../definition/model.ts'
import type { FieldNames } from '../judge/computation.ts'
import { compileLink } from './link.ts'
import { type Plan, withParts } from '../plan.ts'
import { STATE, type Slots } from '../read/slots.ts'
import { type Term, compileTerm } from './term.ts'

export interface CompiledModel {
  readonly required: readonly number[]
  /** Inputs whose absence the model gives a meaning, and the number that stands for it. */
  readonly assumed: readonly { readonly slot: number; readonly value: number }[]
  /** Whether an invalid value in this slot keeps the record from being scored. */
  blocks(slot: number): boolean
  readonly terms: readonly Term[]
  /** The points of all terms, added in the order of the definition. */
  score(values: Float64Array, states: Uint8Array): number
  probability(score: number): number
}

export function compileModel(
  model: Pick<ModelDefinition, 'inputs' | 'terms' | 'link'>,
  plan: Plan,
): CompiledModel {
  const names = fieldNames(plan)
  const terms = model.terms.map((term) => compileTerm(term, names))
  const link = compileLink(model.link)
  const required: number[] = []
  const assumed: { slot: number; value: number }[] = []
  for (const [name, input] of Object.entries(model.inputs)) {
    const slot = names.slotOf(name)
    if (input.whenAbsent === undefined) required.push(slot)
    else {
      const code = names.codesOf(name).get(String(input.whenAbsent))
      assumed.push({ slot, value: code ?? Number(input.whenAbsent) })
    }
  }
  const blocking = blockingSlots(plan, required)
  return {
    required,
    assumed,
    blocks: (slot) => blocking.has(slot),
    terms,
    score(values, states) {
      let sum = 0
      for (const term of terms) sum += term.points(values, states)
      return sum
    },
    probability: link,
  }
}

/** Puts the value that the model states for absence into slots that are absent or not trusted. */
export function assumeAbsent(model: CompiledModel, slots: Slots): void {
  for (const { slot, value } of model.assumed) {
    if (!slots.isUsable(slot)) slots.set(slot, STATE.assumed, value)
  }
}

function fieldNames(plan: Plan): FieldNames {
  const slotOf = (field: string): number => {
    const slot = plan.slotByName.get(field)
    if (slot === undefined) throw new Error(`the checked model names the unknown field ${field}`)
    return slot
  }
  return { slotOf, codesOf: (field) => codesIn(plan.fields[slotOf(field)]?.domain) }
}

/** Required inputs, and the slots that they are computed from: a wrong item makes a required total wrong. */
function blockingSlots(plan: Plan, required: readonly number[]): ReadonlySet<number> {
  const slots = withParts(plan, required, ({ fillsIn }) => fillsIn)
  const codings = [...slots].map((slot) => plan.scales[plan.fields[slot]?.scale ?? -1]?.codingSlot ?? -1)
  return new Set([...slots, ...codings])
}
