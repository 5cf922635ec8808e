/** The plan of one scale: a slot for each of its parts, and the computations of each of its forms. */
import type { Domain } from '../definition/domain.ts'
import { type ScaleForm, scaleForms } from '../definition/forms.ts'
import { contextDomain, domainIn, scaleParts } from '../definition/scale-domains.ts'
import type { ScaleDefinition } from '../definition/scale.ts'
import { type Computation, compileSum, compileTotal } from './judge/computation.ts'
import { compileDerived } from './judge/derived.ts'

export interface FormPlan {
  /** What each slot of a scale with codings may hold in this form. */
  readonly domains: ReadonlyMap<number, Domain>
  /** Groups of items of which only one may be given: they say the same thing twice. */
  readonly alternatives: readonly (readonly number[])[]
  /** Items and measures that follow from other values. */
  readonly computed: readonly Computation[]
  /** Subtotals and total, in this order. */
  readonly totals: readonly Computation[]
  /** How far the values of this form lie above the base form. */
  readonly shifts: readonly { readonly slot: number; readonly by: number }[]
  readonly derived: readonly Computation[]
}

export interface ScalePlan {
  readonly id: string
  readonly dateSlot: number
  /** Slot of the declared coding, or −1 where the scale has one form only. */
  readonly codingSlot: number
  readonly forms: readonly FormPlan[]
  readonly defaultForm: FormPlan | undefined
  /** Items and figures whose permitted values depend on the coding. */
  readonly codedSlots: readonly number[]
}

type SlotOf = (part: string) => number

export function planScale(
  scale: ScaleDefinition,
  addField: (part: string, domain: Domain) => number,
): ScalePlan {
  const slots = new Map<string, number>()
  const codedSlots: number[] = []
  for (const part of scaleParts(scale)) {
    const slot = addField(part.name, part.domain)
    slots.set(part.name, slot)
    if (['item', 'subtotal', 'total', 'derived'].includes(part.role)) codedSlots.push(slot)
  }
  const slotOf: SlotOf = (name) => slots.get(name) as number
  const forms = scaleForms(scale)
  const formPlans = forms.map((form) => planForm(scale, form, slotOf))
  return {
    id: scale.id,
    dateSlot: slotOf('date'),
    codingSlot: slots.get('coding') ?? -1,
    forms: formPlans,
    defaultForm: formPlans[forms.findIndex((form) => form.coding === scale.codings?.default)],
    codedSlots,
  }
}

function planForm(scale: ScaleDefinition, form: ScaleForm, slotOf: SlotOf): FormPlan {
  const whole = compileTotal(slotOf('total'), [...form.items.keys()].map(slotOf), form.total, slotOf)
  const { alternatives = [] } = form.total !== 'sum' && form.total.kind === 'sum' ? form.total : {}
  const names = { slotOf, codesOf: (context: string) => codesOf(scale, context) }
  const derive = (definitions: ScaleDefinition['derived'] = {}): readonly Computation[] =>
    Object.entries(definitions).map(([name, each]) => compileDerived(slotOf(name), each, names))
  const computed = derive(scale.computed).map((each) => ({ ...each, isItem: true }))
  // A total that is its one item may be rounded as that item may.
  const { tolerance } =
    computed.find(({ target }) => whole.parts.length === 1 && target === whole.parts[0]) ?? {}
  const total = tolerance === undefined ? whole : { ...whole, tolerance }
  const sum = (target: string, parts: readonly string[]): Computation =>
    compileSum(slotOf(target), parts.map(slotOf))
  const subtotals = Object.entries(scale.subtotals ?? {})
  // A total must be the sum of its subtotals if all of them are given. It is never computed from them: the items decide.
  const ofSubtotals = sum(
    'total',
    subtotals.map(([name]) => name),
  )
  return {
    domains: formDomains(scale, form, slotOf),
    alternatives: alternatives.map((group) => group.map(slotOf)),
    computed,
    totals: [
      ...subtotals.map(([name, { items }]) => sum(name, items)),
      total,
      ...(subtotals.length === 0 ? [] : [{ ...ofSubtotals, comparesPartly: false, fillsIn: false }]),
    ],
    shifts: shiftsOf(scale, form, slotOf),
    derived: derive(scale.derived),
  }
}

/** What each part may hold in this form. */
function formDomains(scale: ScaleDefinition, form: ScaleForm, slotOf: SlotOf): ReadonlyMap<number, Domain> {
  const names = [
    ...form.items.keys(),
    ...Object.keys(scale.subtotals ?? {}),
    'total',
    ...Object.keys(scale.derived ?? {}),
  ]
  return new Map(names.map((name) => [slotOf(name), domainIn(scale, form, name) as Domain]))
}

function shiftsOf(scale: ScaleDefinition, form: ScaleForm, slotOf: SlotOf): FormPlan['shifts'] {
  if (form.shift === 0) return []
  const items = [...form.items.keys()]
  const means = Object.entries(scale.derived ?? {}).filter(([, derived]) => derived.kind === 'mean')
  return [
    ...items.map((item) => ({ slot: slotOf(item), by: form.shift })),
    { slot: slotOf('total'), by: form.shift * items.length },
    ...means.map(([name]) => ({ slot: slotOf(name), by: form.shift })),
  ]
}

function codesOf(scale: ScaleDefinition, context: string): ReadonlyMap<string, number> {
  const domain = contextDomain(scale.context?.[context]?.values ?? [])
  return domain.kind === 'code' ? domain.codes : new Map()
}
