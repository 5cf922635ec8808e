/** What the scales of a record say: each one's total, whether it is complete, and the band that it falls in. */
import { type ChosenBands, schemesInUse, totalsByItem } from '../definition/band-schemes.ts'
import { bandHolds } from '../definition/cover.ts'
import { codesIn, rounded } from '../definition/domain.ts'
import { holdsFraction } from '../definition/exact-fractions.ts'
import { type ScaleForm, scaleForms } from '../definition/scale-domains.ts'
import type { BandSchemeDefinition, ScaleDefinition } from '../definition/scale.ts'
import { choose, number, value, within } from '../expression/build.ts'
import { type NumberOf, compileNumber } from '../expression/evaluate.ts'
import type { NumberNode } from '../expression/node.ts'
import { type ReadingBand, holdsIn } from '../plan/computation.ts'
import { computeFigures, declaredForm } from '../judge/reconcile-totals.ts'
import type { FormPlan, ScalePlan } from '../plan/plan-scale.ts'
import type { Definitions, FieldPlan, Plan } from '../plan/plan.ts'
import { STATE, Slots } from '../plan/slots.ts'

export interface ScaleState {
  readonly scale: string
  /** The total, given or computed, in the coding and unit of the record. It is null if the record has no usable total. */
  readonly total: number | null
  /** Whether the total rests on every item that it needs. A total that is given without any item counts as complete. */
  readonly complete: boolean
  /** How many of the items that form the total are given or computed, and how many it needs. */
  readonly given: number
  readonly needed: number
  /** The band and its scheme; null where no scheme applies or the figure is not complete. */
  readonly band: string | null
  readonly scheme: string | null
  /** Whether the scheme is confirmed; false without a scheme. */
  readonly verified: boolean
  /** The items whose points were computed, each with the band of its reading. Absent if no points were computed. */
  readonly readings?: readonly PointsOfReading[]
}

/** The points of an item, the field that they follow from, and the band that it lies in. */
export interface PointsOfReading extends ReadingBand {
  readonly field: string
  readonly of: string
}

/** States of an item that the record gives, or that follows from what it gives. */
const THERE: ReadonlySet<number> = new Set([STATE.valid, STATE.computed, STATE.untrusted])

/**
 * Compiles the description of the scales of a record. It takes slots that have been reconciled and leaves them as they are;
 * the scales that the record gives something of are described in the order of the catalogue.
 */
export function compileScaleStates(
  plan: Plan,
  { scales }: Definitions,
  chosen: ChosenBands = {},
): (slots: Slots) => readonly ScaleState[] {
  const copy = new Slots(plan.fields.length, plan.scales.length)
  const descriptions = new Map<number, () => ScaleState>()
  return (slots) => {
    const carried = slots.scales.slice(0, slots.scaleCount).sort()
    if (carried.length === 0) return []
    // Totals that no model needs are computed in a copy, so that the record stays as it was judged.
    copyRecord(slots, copy)
    return Array.from(carried, (index) => {
      const scale = scales[index] as ScaleDefinition
      const describe = descriptions.get(index) ?? compileScale(plan, scale, index, copy, chosen)
      descriptions.set(index, describe)
      return describe()
    })
  }
}

/** The record as it was before the model's stand-ins for absent and wrong values. */
function copyRecord(slots: Slots, copy: Slots): void {
  copy.release()
  copy.values.set(slots.values)
  copy.states.set(slots.states)
  const wrong = slots.invalid()
  const nextAssumed = (from: number): number => copy.states.indexOf(STATE.assumed, from)
  for (let slot = nextAssumed(0); slot >= 0; slot = nextAssumed(slot)) {
    copy.states[slot] = wrong.includes(slot) ? STATE.notPermitted : STATE.absent
  }
}

/** Compiles the description of one scale in the slots of the current record. */
function compileScale(
  plan: Plan,
  scale: ScaleDefinition,
  index: number,
  slots: Slots,
  chosen: ChosenBands,
): () => ScaleState {
  const own = plan.scales[index] as ScalePlan
  const schemes = schemesInUse(scale, chosen)
  const slotOf = (part: string): number => plan.slotByName.get(`${scale.id}_${part}`) as number
  const total = slotOf('total')
  const places = new Map<BandSchemeDefinition, Map<FormPlan, NumberOf>>()
  const formOf = (form: FormPlan): ScaleForm => scaleForms(scale)[own.forms.indexOf(form)] as ScaleForm

  /** The total in the coding and the unit of the record. */
  const asWritten = (form: FormPlan): number => {
    const { conversion } = plan.fields[total] as FieldPlan
    const coded = slots.valueOf(total) + (form.shifts.find(({ slot }) => slot === total)?.by ?? 0)
    return conversion === undefined ? coded : rounded((coded * conversion.per) / conversion.times, 6)
  }

  /**
   * Whether a figure is there and rests on all of its parts. A figure that agrees with some of the items, while others are
   * absent, may have been added up from an incomplete form.
   */
  const isWhole = (slot: number, form: FormPlan): boolean => {
    if (!slots.isUsable(slot)) return false
    const figure = [...form.totals, ...form.derived].find(({ target, fillsIn }) => target === slot && fillsIn)
    const { items } = itemsOf(form, total)
    if (figure === undefined || items.every((item) => slots.stateOf(item) === STATE.absent)) return true
    if (!holdsIn(slots, figure.isDecided)) return false
    return figure.parts.every((part) => !slots.isUsable(part) || isWhole(part, form))
  }

  /** The number of a base field, where the record gives a valid one. */
  const baseValue = (name: string): number | undefined => {
    const slot = plan.slotByName.get(name)
    return slot !== undefined && slots.isUsable(slot) ? slots.valueOf(slot) : undefined
  }

  /** Whether a scheme is for this record. */
  const holds = (scheme: BandSchemeDefinition, declared: FormPlan | undefined): boolean => {
    const { sex, coding, age, given, absent } = scheme
    if (coding !== undefined && (declared && formOf(declared).coding) !== coding) return false
    if (given !== undefined && !slots.isUsable(slotOf(given))) return false
    if (absent !== undefined && slots.isUsable(slotOf(absent))) return false
    if (age !== undefined && !bandHolds(age, baseValue('age') ?? Number.NaN)) return false
    if (sex === undefined) return true
    const codes = codesIn(plan.fields[plan.slotByName.get('sex') ?? -1]?.domain)
    const ofRecord = baseValue('sex')
    return ofRecord !== undefined && codes.get(sex) === ofRecord
  }

  /** Whether an item of a complete scale has this value. A total without items may leave it open. */
  const hasItem = (wanted: number, figure: number, form: FormPlan): boolean | 'unknown' => {
    const given = itemsOf(form, total).items.filter((item) => slots.isUsable(item))
    if (given.length > 0) return given.some((item) => slots.valueOf(item) === wanted)
    const { having, lacking } = totalsByItem(formOf(form), wanted)
    return having.has(figure) && lacking.has(figure) ? 'unknown' : having.has(figure)
  }

  /** The place of the band that holds a figure, before it is rounded; −1 where none does. */
  const placeOf = (scheme: BandSchemeDefinition, slot: number, form: FormPlan): number => {
    const known = places.get(scheme) ?? new Map<FormPlan, NumberOf>()
    places.set(scheme, known)
    const find = known.get(form) ?? compileNumber(bandNode(scheme, slot, form))
    known.set(form, find)
    return find(slots.values, slots.states, Number.NaN)
  }

  /** The label that a scheme gives; undefined where its figure is not complete, or a rule cannot be decided. */
  const bandOf = (scheme: BandSchemeDefinition, form: FormPlan): string | undefined => {
    const slot = slotOf(scheme.of ?? 'total')
    if (!isWhole(slot, form)) return undefined
    const figure = slots.valueOf(slot)
    const band = scheme.bands[placeOf(scheme, slot, form)]
    const rule = scheme.rules?.find((each) => bandHolds(each, figure))
    const isRule = rule !== undefined && hasItem(rule.anyItem, figure, form)
    return isRule === 'unknown' ? undefined : (isRule ? rule : band)?.label
  }

  const nameOf = (slot = -1): string => plan.fields[slot]?.name ?? ''
  const readingsOf = ({ computed }: FormPlan): readonly PointsOfReading[] =>
    computed.flatMap(({ target, parts, bandOf }) => {
      const band = slots.stateOf(target) === STATE.computed ? bandOf?.(slots) : undefined
      if (band === undefined || !Object.hasOwn(scale.items, nameOf(target).slice(scale.id.length + 1)))
        return []
      return [{ field: nameOf(target), of: nameOf(parts[0]), ...band }]
    })

  return () => {
    const declared = declaredForm(own, slots)
    // Without a declared coding no value is usable; only the number of items is asked of the form.
    const form = (declared ?? own.forms[0]) as FormPlan
    computeFigures(plan, form, slots)
    const { items, needed } = itemsOf(form, total)
    const scheme = schemes.find((each) => holds(each, declared))
    const band = scheme && bandOf(scheme, form)
    const readings = readingsOf(form)
    return {
      scale: scale.id,
      total: slots.isUsable(total) ? asWritten(form) : null,
      complete: isWhole(total, form),
      given: items.filter((slot) => THERE.has(slots.stateOf(slot))).length,
      needed,
      band: band ?? null,
      scheme: band === undefined ? null : (scheme?.scheme ?? null),
      verified: band !== undefined && scheme?.verified === true,
      ...(readings.length === 0 ? {} : { readings }),
    }
  }
}

/** The place of the band that holds a figure. A figure that is a quotient is judged before it is rounded, by whole numbers. */
function bandNode({ bands }: BandSchemeDefinition, slot: number, { unrounded }: FormPlan): NumberNode {
  const figure = unrounded.get(slot)
  const written = value(slot)
  const branches = bands.map((band, place) => ({
    when: figure === undefined ? within(written, band) : holdsFraction(band, figure),
    then: number(place),
  }))
  return choose(branches, number(-1))
}

/** The items that form the total, and how many of them it needs: of alternatives one. */
function itemsOf(
  { totals, alternatives }: FormPlan,
  total: number,
): { readonly items: readonly number[]; readonly needed: number } {
  const items = totals.find(({ target, fillsIn }) => target === total && fillsIn)?.parts ?? []
  const spare = alternatives.reduce((count, group) => count + group.length - 1, 0)
  return { items, needed: items.length - spare }
}
