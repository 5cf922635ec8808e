/** What a deployment needs from the catalogue, by slot. Slots have the order in which the contract reports problems. */
import { type Domain, codesIn, fieldDomain, narrow } from '../definition/domain.ts'
import type { ContradictionsDefinition } from '../definition/contradictions.ts'
import type { FieldDefinition, UnitsDefinition } from '../definition/field.ts'
import type { ModelDefinition } from '../definition/model.ts'
import type { ScaleDefinition } from '../definition/scale.ts'
import { type Codes, type ReceivedCodes, receivedCodes } from './codes.ts'
import type { Computation } from './computation.ts'
import { type ScalePlan, planScale } from './plan-scale.ts'

/** Clinical definitions in catalogue order, checked and valid. */
export interface Definitions {
  readonly fields: ReadonlyMap<string, FieldDefinition>
  readonly scales: readonly ScaleDefinition[]
  /** The units of fields that have more than one. */
  readonly units?: ReadonlyMap<string, UnitsDefinition>
  readonly contradictions?: readonly ContradictionsDefinition[]
}

export interface FieldPlan {
  readonly name: string
  /** The name as messages word it: the part after the scale's prefix, first letter in upper case. */
  readonly item: string
  readonly domain: Domain
  /** What the field may hold for any model. */
  readonly ownDomain: Domain
  /** Index of the scale that the field belongs to, or −1. */
  readonly scale: number
  readonly check: ValueCheck
  /** How a received number becomes one in the field's own unit; undefined where it is received in that unit. */
  readonly conversion: Conversion | undefined
  /** What the codes of the sender mean; undefined where values are received as the field has them. */
  readonly received: ReceivedCodes | undefined
}

/** A domain with the same keys for every kind. Domains have different ones, and reading a record by them takes 1.5 times as long. */
export interface ValueCheck {
  readonly kind: Domain['kind']
  readonly from: number
  readonly to: number
  readonly step: number | undefined
  readonly values: ReadonlySet<number>
  readonly whole: boolean
  readonly codes: ReadonlyMap<string, number>
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
  /** Whether the target is computed where it is not given. */
  fillsIn(computation: Computation): boolean
}

/** The part of a plan that every model shares. The same definitions are planned for each model and each deployment. */
type SharedPlan = Omit<Plan, 'isNeeded' | 'fillsIn'>
const sharedPlans = new WeakMap<Definitions, SharedPlan>()

/** The plan for a model's deployment, or for all computed values when there is no model. */
export function makePlan(
  definitions: Definitions,
  model?: ModelDefinition,
  conversions: Conversions = {},
  codes: Codes = {},
): Plan {
  const shared = sharedPlans.get(definitions) ?? planDefinitions(definitions)
  sharedPlans.set(definitions, shared)
  const fields = shared.fields.map((field): FieldPlan => {
    const { name } = field
    const input = model?.inputs[name]
    const conversion = Object.hasOwn(conversions, name) ? conversions[name] : undefined
    const mapping = Object.hasOwn(codes, name) ? codes[name] : undefined
    if (input === undefined && conversion === undefined && mapping === undefined) return field
    const narrowed = narrow(field.domain, input ?? {})
    // A converted number need not lie on a step.
    const isStepped = conversion !== undefined && narrowed.kind === 'decimal'
    const domain = isStepped ? { kind: narrowed.kind, from: narrowed.from, to: narrowed.to } : narrowed
    const received = receivedCodes(domain, mapping)
    return { ...field, domain, check: checkFor(domain), conversion, received }
  })
  const inputs = Object.keys(model?.inputs ?? {}).flatMap((name) => shared.slotByName.get(name) ?? [])
  const needed = new Uint8Array(fields.length).fill(model === undefined ? 1 : 0)
  for (const slot of withParts(shared, inputs)) needed[slot] = 1
  return {
    ...shared,
    fields,
    isNeeded: (slot) => needed[slot] === 1,
    fillsIn: ({ target, fillsIn, isItem }) => fillsIn && (isItem || needed[target] === 1),
  }
}

function planDefinitions(definitions: Definitions): SharedPlan {
  const fields: FieldPlan[] = []
  const slotByName = new Map<string, number>()
  const add = (name: string, item: string, domain: Domain, scale: number): number => {
    const about = { name, item: capitalise(item), domain, ownDomain: domain, scale, check: checkFor(domain) }
    slotByName.set(name, fields.length)
    return fields.push({ ...about, conversion: undefined, received: undefined }) - 1
  }
  for (const [name, field] of definitions.fields) add(name, name, fieldDomain(field), -1)
  const record = {
    slotOf: (name: string): number => slotByName.get(name) ?? -1,
    codesOf: (name: string) => codesIn(fields[slotByName.get(name) ?? -1]?.domain),
  }
  const scales = definitions.scales.map((scale, index) =>
    planScale(scale, (part, domain) => add(`${scale.id}_${part}`, part, domain, index), record),
  )
  return {
    fields,
    scales,
    slotByName,
    scaleByPrefix: new Map(definitions.scales.map(({ id }, index) => [id, index])),
    lowerNames: new Set(['idx', ...slotByName.keys()].map((name) => name.toLowerCase())),
  }
}

function checkFor(domain: Domain): ValueCheck {
  const any = { from: 0, to: 0, step: undefined, whole: false, codes: codesIn(domain) }
  return { ...any, ...domain, values: new Set(domain.kind === 'list' ? domain.values : []) }
}

export function capitalise(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** Slots with everything that they may be computed from, by the computations that count. */
export function withParts(
  { fields, scales }: Pick<Plan, 'fields' | 'scales'>,
  slots: readonly number[],
  counts: (computation: Computation) => boolean = () => true,
): ReadonlySet<number> {
  const found = new Set(slots)
  // The loop also visits slots that are added during it.
  for (const slot of found) {
    for (const { computed, totals, derived } of scales[(fields[slot] as FieldPlan).scale]?.forms ?? []) {
      for (const computation of [...computed, ...totals, ...derived]) {
        if (computation.target !== slot || !counts(computation)) continue
        for (const part of computation.parts) found.add(part)
      }
    }
  }
  return found
}
