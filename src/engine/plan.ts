/** What a deployment needs from the catalogue, by slot. Slots have the order in which the contract reports problems. */
import { type Domain, fieldDomain, narrow, permits } from '../definition/domain.ts'
import type { FieldDefinition } from '../definition/field.ts'
import type { ModelDefinition } from '../definition/model.ts'
import type { ScaleDefinition } from '../definition/scale.ts'
import { type ScalePlan, planScale } from './plan-scale.ts'

/** Clinical definitions in catalogue order, checked and valid. */
export interface Knowledge {
  readonly fields: ReadonlyMap<string, FieldDefinition>
  readonly scales: readonly ScaleDefinition[]
}

export interface FieldPlan {
  readonly name: string
  /** The name as messages word it: the part after the scale's prefix, first letter in upper case. */
  readonly item: string
  readonly domain: Domain
  /** Index of the scale that the field belongs to, or −1. */
  readonly scale: number
  /** How a received number becomes one in the field's own unit; absent where it is received in that unit. */
  readonly conversion?: Conversion
}

/** The unit in which a field is received, and its own: own value = received value × times ÷ per. */
export interface Conversion {
  readonly unit: string
  readonly own: string
  readonly times: number
  readonly per: number
}

export type Conversions = Readonly<Record<string, Conversion>>

export interface Plan {
  readonly fields: readonly FieldPlan[]
  readonly scales: readonly ScalePlan[]
  readonly slotByName: ReadonlyMap<string, number>
  readonly scaleByPrefix: ReadonlyMap<string, number>
  /** Known names in lower case, to notice a name that differs only in case. */
  readonly lowerNames: ReadonlySet<string>
  isNeeded(slot: number): boolean
  permits(slot: number, value: number): boolean
}

/** The plan for a model's deployment, or for all computed values when there is no model. */
export function makePlan(knowledge: Knowledge, model?: ModelDefinition, conversions: Conversions = {}): Plan {
  const fields: FieldPlan[] = []
  const slotByName = new Map<string, number>()
  const scales: ScalePlan[] = []

  const add = (name: string, item: string, domain: Domain, scale: number): number => {
    const input = model?.inputs[name]
    const slot = fields.length
    const conversion = Object.hasOwn(conversions, name) ? conversions[name] : undefined
    fields.push({
      name,
      item: capitalise(item),
      domain: plainWhen(conversion !== undefined, input === undefined ? domain : narrow(domain, input)),
      scale,
      ...(conversion === undefined ? {} : { conversion }),
    })
    slotByName.set(name, slot)
    return slot
  }
  for (const [name, field] of knowledge.fields) add(name, name, fieldDomain(field), -1)
  knowledge.scales.forEach((scale, index) =>
    scales.push(planScale(scale, (part, domain) => add(`${scale.id}_${part}`, part, domain, index))),
  )

  const needed = neededSlots(fields.length, slotByName, scales, model)
  return {
    fields,
    scales,
    slotByName,
    scaleByPrefix: new Map(scales.map((scale, index) => [scale.id, index])),
    lowerNames: new Set(['idx', ...slotByName.keys()].map((name) => name.toLowerCase())),
    isNeeded: (slot) => needed[slot] === 1,
    permits: (slot, value) => permits((fields[slot] as FieldPlan).domain, value),
  }
}

/** A converted number need not lie on a step. */
function plainWhen(isConverted: boolean, domain: Domain): Domain {
  return isConverted && domain.kind === 'decimal'
    ? { kind: 'decimal', from: domain.from, to: domain.to }
    : domain
}

export function capitalise(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** The model's inputs and everything that they may be computed from. */
function neededSlots(
  count: number,
  slotByName: ReadonlyMap<string, number>,
  scales: readonly ScalePlan[],
  model: ModelDefinition | undefined,
): Uint8Array {
  const needed = new Uint8Array(count)
  if (model === undefined) return needed.fill(1)
  const open = Object.keys(model.inputs).flatMap((name) => slotByName.get(name) ?? [])
  const computations = scales.flatMap((scale) =>
    scale.forms.flatMap((form) => [...form.computed, ...form.totals, ...form.derived]),
  )
  for (let slot = open.pop(); slot !== undefined; slot = open.pop()) {
    if (needed[slot] === 1) continue
    needed[slot] = 1
    for (const computation of computations) if (computation.target === slot) open.push(...computation.parts)
  }
  return needed
}
