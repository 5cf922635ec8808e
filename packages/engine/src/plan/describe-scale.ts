/** What is said of a scale, as expressions: its total as it is written, whether it is complete, and the band that it falls in. */
import { type ChosenBands, schemesInUse, totalsByItem } from '../definition/band-schemes.ts'
import { codesIn } from '../definition/domain.ts'
import { holdsFraction } from '../definition/exact-fractions.ts'
import { type ScaleForm, scaleForms } from '../definition/scale-domains.ts'
import type { BandRuleDefinition, BandSchemeDefinition, ScaleDefinition } from '../definition/scale.ts'
import {
  ALWAYS,
  NEVER,
  add,
  and,
  choose,
  compare,
  divide,
  multiply,
  none,
  not,
  number,
  or,
  round,
  stateIn,
  value,
  when,
  within,
} from '../expression/build.ts'
import type { ConditionNode, NumberNode } from '../expression/node.ts'
import { type Computation, isUsable, usableValue } from './computation.ts'
import type { FormPlan, ScalePlan } from './plan-scale.ts'
import type { FieldPlan, Plan } from './plan.ts'
import { STATE } from './slots.ts'

export interface ScaleDescription {
  readonly form: FormPlan
  /** The total in the coding and the unit of the record; none if it is not usable. */
  readonly total: NumberNode
  readonly isComplete: ConditionNode
  /** How many of the items that form the total are given or computed, and how many it needs: of alternatives one. */
  readonly given: NumberNode
  readonly needed: number
  /** The place of the band in `bands`; none where no scheme applies, its figure is not complete or a rule cannot be decided. */
  readonly band: NumberNode
  readonly bands: readonly BandOfScheme[]
  /** The items whose points may follow from a reading. */
  readonly readings: readonly Computation[]
}

export interface BandOfScheme {
  readonly label: string
  readonly scheme: string
  /** Whether the scheme is confirmed. */
  readonly verified: boolean
}

/** States of an item that the record gives, or that follows from what it gives. */
const THERE = [STATE.valid, STATE.computed, STATE.untrusted] as const

/** What is said of a scale that is recorded in a form; `place` is −1 where the form is unknown. */
export function describeScale(
  plan: Plan,
  definition: ScaleDefinition,
  scale: ScalePlan,
  place: number,
  chosen: ChosenBands = {},
): ScaleDescription {
  // Without a declared coding no value is usable; only the number of items is asked of the form.
  const form = scale.forms[Math.max(place, 0)] as FormPlan
  const slotOf = (part: string): number => plan.slotByName.get(`${definition.id}_${part}`) as number
  const total = slotOf('total')
  const itemsOfTotal = form.totals.find(({ target, fillsIn }) => target === total && fillsIn)?.parts ?? []
  const spare = form.alternatives.reduce((count, group) => count + group.length - 1, 0)
  const names: Names = {
    plan,
    slotOf,
    form,
    written: scaleForms(definition)[scale.forms.indexOf(form)] as ScaleForm,
    isDeclared: place >= 0,
    items: itemsOfTotal,
    isWhole: wholeness(form, itemsOfTotal),
  }
  const bands: BandOfScheme[] = []
  const branches = schemesInUse(definition, chosen).map((scheme) => ({
    when: appliesTo(names, scheme),
    then: placeOfBand(names, scheme, bands),
  }))
  return {
    form,
    total: when(isUsable(total), asWritten(plan, form, total)),
    isComplete: names.isWhole(total),
    given: add(...itemsOfTotal.map((item) => when(stateIn(item, ...THERE), number(1), number(0)))),
    needed: itemsOfTotal.length - spare,
    band: choose(branches),
    bands,
    readings: form.computed.filter(({ target, bandOf }) => {
      const item = plan.fields[target]?.name.slice(definition.id.length + 1) ?? ''
      return bandOf !== undefined && Object.hasOwn(definition.items, item)
    }),
  }
}

interface Names {
  readonly plan: Plan
  readonly slotOf: (part: string) => number
  readonly form: FormPlan
  readonly written: ScaleForm
  readonly isDeclared: boolean
  readonly items: readonly number[]
  readonly isWhole: (slot: number) => ConditionNode
}

/** The total in the coding and the unit of the record. */
function asWritten(plan: Plan, { shifts }: FormPlan, total: number): NumberNode {
  const by = shifts.find(({ slot }) => slot === total)?.by
  const coded = by === undefined ? value(total) : add(value(total), number(by))
  const { conversion } = plan.fields[total] as FieldPlan
  if (conversion === undefined) return coded
  return round(divide(multiply(coded, number(conversion.per)), number(conversion.times)), 6)
}

/**
 * Whether a figure is there and rests on all of its parts. A figure that agrees with some of the items, while others are absent, may
 * have been added up from an incomplete form.
 */
function wholeness({ totals, derived }: FormPlan, items: readonly number[]): (slot: number) => ConditionNode {
  const isWithoutItems = and(...items.map((item) => stateIn(item, STATE.absent)))
  const isWhole = (slot: number): ConditionNode => {
    const figure = [...totals, ...derived].find(({ target, fillsIn }) => target === slot && fillsIn)
    if (figure === undefined) return isUsable(slot)
    const parts = figure.parts.map((part) => or(not(isUsable(part)), isWhole(part)))
    return and(isUsable(slot), or(isWithoutItems, and(figure.isDecided, ...parts)))
  }
  return isWhole
}

/** Whether a scheme is for the record. */
function appliesTo(
  { plan, slotOf, written, isDeclared }: Names,
  scheme: BandSchemeDefinition,
): ConditionNode {
  const { sex, coding, age, given, absent } = scheme
  if (coding !== undefined && (!isDeclared || written.coding !== coding)) return NEVER
  const base = (name: string): NumberNode => {
    const slot = plan.slotByName.get(name)
    return slot === undefined ? none() : usableValue(slot)
  }
  const codes = codesIn(plan.fields[plan.slotByName.get('sex') ?? -1]?.domain)
  return and(
    given === undefined ? ALWAYS : isUsable(slotOf(given)),
    absent === undefined ? ALWAYS : not(isUsable(slotOf(absent))),
    age === undefined ? ALWAYS : within(base('age'), age),
    sex === undefined ? ALWAYS : compare(base('sex'), '=', number(codes.get(sex) ?? Number.NaN)),
  )
}

/** The place of the band of a scheme, which is added to the list of bands. */
function placeOfBand(names: Names, scheme: BandSchemeDefinition, bands: BandOfScheme[]): NumberNode {
  const { form, slotOf, isWhole } = names
  const slot = slotOf(scheme.of ?? 'total')
  const placeOf = (label: string): NumberNode =>
    number(bands.push({ label, scheme: scheme.scheme, verified: scheme.verified }) - 1)
  // A figure that is a quotient is judged before it is rounded, by whole numbers.
  const unrounded = form.unrounded.get(slot)
  const byFigure = choose(
    scheme.bands.map((band) => ({
      when: unrounded === undefined ? within(value(slot), band) : holdsFraction(band, unrounded),
      then: placeOf(band.label),
    })),
  )
  const rules = (scheme.rules ?? []).map((rule) => {
    const { isOpen, holds } = ruleOf(names, slot, rule)
    return {
      when: within(value(slot), rule),
      then: choose(
        [
          { when: isOpen, then: none() },
          { when: holds, then: placeOf(rule.label) },
        ],
        byFigure,
      ),
    }
  })
  return when(isWhole(slot), rules.length === 0 ? byFigure : choose(rules, byFigure))
}

/** Whether an item of a complete scale has the value that a rule asks for. A total without items may leave it open. */
function ruleOf(
  { written, items }: Names,
  figure: number,
  { anyItem }: BandRuleDefinition,
): { readonly isOpen: ConditionNode; readonly holds: ConditionNode } {
  const isGiven = or(...items.map(isUsable))
  const hasItem = or(...items.map((item) => compare(usableValue(item), '=', number(anyItem))))
  const { having, lacking } = totalsByItem(written, anyItem)
  const isOneOf = (totals: Iterable<number>): ConditionNode =>
    or(...[...totals].map((total) => compare(value(figure), '=', number(total))))
  return {
    isOpen: and(not(isGiven), isOneOf(having), isOneOf(lacking)),
    holds: or(hasItem, and(not(isGiven), isOneOf(having))),
  }
}
