/** What the scales of a record say: each one's total, whether it is complete, and the band that it falls in. */
import type { ChosenBands } from '../definition/band-schemes.ts'
import type { ScaleDefinition } from '../definition/scale.ts'
import { compileCondition, compileNumber } from '../expression/evaluate.ts'
import { computeFigures, placeOfForm } from '../judge/reconcile-totals.ts'
import type { ReadingBand } from '../plan/computation.ts'
import { describeScale } from '../plan/describe-scale.ts'
import type { ScalePlan } from '../plan/plan-scale.ts'
import type { Definitions, Plan } from '../plan/plan.ts'
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
  /** The band in the language of the answer. Absent in English, where it would be `band`. */
  readonly bandText?: string | null
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
  /** By scale and by form: a description is compiled when a record first needs it. */
  const compiled = new Map<number, Map<number, (slots: Slots) => ScaleState>>()
  return (slots) => {
    const carried = slots.scales.slice(0, slots.scaleCount).sort()
    if (carried.length === 0) return []
    // Totals that no model needs are computed in a copy, so that the record stays as it was judged.
    copyRecord(slots, copy)
    return Array.from(carried, (index) => {
      const planned = plan.scales[index] as ScalePlan
      const place = placeOfForm(planned, copy)
      const forms = compiled.get(index) ?? new Map<number, (slots: Slots) => ScaleState>()
      compiled.set(index, forms)
      const describe =
        forms.get(place) ?? compileState(plan, scales[index] as ScaleDefinition, planned, place, chosen)
      forms.set(place, describe)
      return describe(copy)
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

/** Compiles the description of one scale in one form. */
function compileState(
  plan: Plan,
  definition: ScaleDefinition,
  scale: ScalePlan,
  place: number,
  chosen: ChosenBands,
): (slots: Slots) => ScaleState {
  const said = describeScale(plan, definition, scale, place, chosen)
  const total = compileNumber(said.total)
  const isComplete = compileCondition(said.isComplete)
  const given = compileNumber(said.given)
  const placeOfBand = compileNumber(said.band)
  const nameOf = (slot = -1): string => plan.fields[slot]?.name ?? ''
  const readingsOf = (slots: Slots): readonly PointsOfReading[] =>
    said.readings.flatMap(({ target, parts, bandOf }) => {
      const band = slots.stateOf(target) === STATE.computed ? bandOf?.(slots) : undefined
      return band === undefined ? [] : [{ field: nameOf(target), of: nameOf(parts[0]), ...band }]
    })
  return (slots) => {
    computeFigures(plan, said.form, slots)
    const { values, states } = slots
    const written = total(values, states, Number.NaN)
    const band = said.bands[placeOfBand(values, states, Number.NaN)]
    const readings = readingsOf(slots)
    return {
      scale: definition.id,
      total: Number.isNaN(written) ? null : written,
      complete: isComplete(values, states, Number.NaN),
      given: given(values, states, Number.NaN),
      needed: said.needed,
      band: band?.label ?? null,
      scheme: band?.scheme ?? null,
      verified: band?.verified ?? false,
      ...(readings.length === 0 ? {} : { readings }),
    }
  }
}
