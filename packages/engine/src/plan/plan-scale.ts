/** The plan of one scale: a slot for each of its parts, and the computations of each of its forms. */
import { type Domain, codesIn } from '../definition/domain.ts'
import { type Fraction, isQuotient } from '../definition/exact-fractions.ts'
import {
  type ScaleForm,
  domainIn,
  recordField,
  scaleForms,
  scaleParts,
  totalsOf,
} from '../definition/scale-domains.ts'
import type { ScaleDefinition, SumDefinition } from '../definition/scale.ts'
import { countUses } from '../expression/walk.ts'
import {
  type Computation,
  type FieldNames,
  type ScaleNames,
  type SlotOf,
  asGiven,
  compileDerived,
  compileSum,
  compileTotal,
  isUsable,
  unroundedFigure,
  whereHolds,
} from './computation.ts'

export interface FormPlan {
  /** What each slot of a scale with codings may hold in this form; undefined for an item that the form does not have. */
  readonly domains: ReadonlyMap<number, Domain | undefined>
  /** The items of the form, in its order. */
  readonly items: readonly number[]
  /**
   * Every total that can be reached with these values of items, all in the base form. `take` is told of the additions before they are
   * done, and may throw.
   */
  readonly totalsWith: (
    given: ReadonlyMap<number, number>,
    take: (additions: number) => void,
  ) => readonly number[]
  /** Groups of alternative items: only one of each group may be given. */
  readonly alternatives: readonly (readonly number[])[]
  /** Items and measures that follow from other values. */
  readonly computed: readonly Computation[]
  /** Subtotals and total, in this order. */
  readonly totals: readonly Computation[]
  /** How far the values of this form lie above the base form. */
  readonly shifts: readonly { readonly slot: number; readonly by: number }[]
  readonly derived: readonly Computation[]
  /** Figures that are rounded when they are written, before that: bands are judged by these. */
  readonly unrounded: ReadonlyMap<number, Fraction>
}

export interface ScalePlan {
  readonly totalSlot: number
  readonly dateSlot: number
  /** Slot of the declared coding, or −1 where the scale has one form only. */
  readonly codingSlot: number
  readonly forms: readonly FormPlan[]
  readonly defaultForm: FormPlan | undefined
  /** Items and figures whose permitted values depend on the coding. */
  readonly codedSlots: readonly number[]
  /** About the most steps that computing its figures takes. */
  readonly steps: number
}

export function planScale(
  scale: ScaleDefinition,
  addField: (part: string, domain: Domain) => number,
  record: FieldNames,
): ScalePlan {
  const parts = scaleParts(scale)
  const slots = new Map(parts.map(({ name, domain }) => [name, addField(name, domain)]))
  const slotOf: SlotOf = (name) => {
    const field = recordField(name)
    return field === undefined ? (slots.get(name) as number) : record.slotOf(field)
  }
  const coded = parts.filter(({ role }) => ['item', 'subtotal', 'total', 'derived'].includes(role))
  const forms = scaleForms(scale)
  const formPlans = forms.map((form) => ({
    ...planForm(scale, form, slotOf, record),
    domains: new Map(coded.map(({ name }) => [slotOf(name), domainIn(scale, form, name)])),
  }))
  return {
    totalSlot: slotOf('total'),
    dateSlot: slotOf('date'),
    codingSlot: slots.get('coding') ?? -1,
    forms: formPlans,
    defaultForm: formPlans[forms.findIndex((form) => form.coding === scale.codings?.default)],
    codedSlots: coded.map(({ name }) => slotOf(name)),
    steps: Math.max(0, ...formPlans.map(stepsOfForm)),
  }
}

/** What several figures share is computed once. */
function stepsOfForm({ computed, totals, derived }: FormPlan): number {
  const all = [...computed, ...totals, ...derived]
  return countUses(all.flatMap(({ figure, isComplete, isDecided }) => [figure, isComplete, isDecided])).size
}

function planForm(
  scale: ScaleDefinition,
  form: ScaleForm,
  slotOf: SlotOf,
  record: FieldNames,
): Omit<FormPlan, 'domains'> {
  const items = [...form.items.keys()].map(slotOf)
  const whole = compileTotal(slotOf('total'), items, form.total, slotOf)
  const { alternatives = [] } = form.total as Partial<SumDefinition>
  const codesOf = (part: string): ReadonlyMap<string, number> => {
    const field = recordField(part)
    return field === undefined ? codesIn(domainIn(scale, form, part)) : record.codesOf(field)
  }
  const names: ScaleNames = { slotOf, codesOf, computed: scale.computed ?? {} }
  const computed = Object.entries(names.computed).map(([name, each]): Computation => {
    const computation = compileDerived(name, each, names)
    const { compares } = computation
    const group = alternatives.find((each) => each.includes(name)) ?? []
    const isOwnItem = Object.hasOwn(scale.items, name)
    // A given total is compared with the given items: age and sex say nothing of the form that was filled in.
    const unless = isOwnItem && !compares ? ['total', ...group] : group
    return {
      ...computation,
      isItem: compares || (each.kind === 'byCode' && !isOwnItem),
      unless: unless.map(slotOf),
    }
  })
  // A total that is its one item may be rounded as that item may.
  const { tolerance } =
    computed.find(({ target }) => whole.parts.length === 1 && target === whole.parts[0]) ?? {}
  const subtotals = Object.entries(scale.subtotals ?? {}).map(([name, parts]) =>
    compileSum(slotOf(name), parts.items.map(slotOf)),
  )
  // A total must be the sum of its subtotals if all of them are given. It is never computed from them: the items decide.
  const ofSubtotals = compileSum(
    slotOf('total'),
    subtotals.map(({ target }) => target),
  )
  const means = Object.entries(scale.derived ?? {}).filter(([, { kind }]) => kind === 'mean')
  const shifts = [
    ...[...items, ...means.map(([name]) => slotOf(name))].map((slot) => ({ slot, by: form.shift })),
    { slot: slotOf('total'), by: form.shift * items.length },
  ]
  const totalsWith: FormPlan['totalsWith'] = (given, take) => {
    const written = [...form.items.keys()].flatMap((name) => {
      const known = given.get(slotOf(name))
      return known === undefined ? [] : [[name, known + form.shift] as const]
    })
    return totalsOf(form, new Map(written), take).map((total) => total - form.shift * items.length)
  }
  return {
    items,
    totalsWith,
    alternatives: alternatives.map((group) => group.map(slotOf)),
    computed,
    totals: [
      ...subtotals,
      { ...whole, tolerance },
      ...(subtotals.length === 0 ? [] : [{ ...ofSubtotals, comparesPartly: false, fillsIn: false }]),
    ],
    shifts: form.shift === 0 ? [] : shifts,
    derived: Object.entries(scale.derived ?? {}).map(([name, each]) => compileDerived(name, each, names)),
    unrounded: unroundedFigures(scale, form, names),
  }
}

/** The figures of a form that are quotients, and a total that is one of them. */
function unroundedFigures(
  { computed, derived }: ScaleDefinition,
  { total }: ScaleForm,
  names: ScaleNames,
): ReadonlyMap<number, Fraction> {
  const figures = new Map<number, Fraction>()
  for (const [name, definition] of Object.entries({ ...computed, ...derived }))
    if (isQuotient(definition)) figures.set(names.slotOf(name), unroundedFigure(name, definition, names))
  if (total === 'sum' || total.kind !== 'grade') return figures
  const item = names.slotOf(total.item)
  const figure = figures.get(item)
  const slot = names.slotOf('total')
  if (figure !== undefined) figures.set(slot, whereHolds(isUsable(item), figure, asGiven(slot)))
  return figures
}
