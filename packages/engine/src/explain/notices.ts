/**
 * What a reader of an answer should know, although it is no problem of the record: it never blocks, and no text carries a
 * submitted value.
 */
import type { UnitsDefinition } from '../definition/field.ts'
import type { ModelDefinition } from '../definition/model.ts'
import type { ScaleDefinition } from '../definition/scale.ts'
import { declaredForm } from '../judge/reconcile-totals.ts'
import { holdsIn } from '../plan/computation.ts'
import type { ScalePlan } from '../plan/plan-scale.ts'
import type { Definitions, FieldPlan, Plan } from '../plan/plan.ts'
import { daysBetween } from '../read/calendar.ts'
import { STATE, type Slots } from '../plan/slots.ts'
import { doubtedUnit } from '../score/likely-unit.ts'
import { type FieldNote, compileContradictions } from './contradictions.ts'

/** The codes about values of the record, in the order in which notices are given. */
export const RECORD_NOTICE_CODES = [
  'outside-data',
  'assumed',
  'incomplete-scale',
  'old-assessment',
  'contradiction',
  'unit-doubt',
] as const

/** The codes about a part of the explanation that is null because of its work. */
const NOT_COMPUTED_CODES = ['range-not-computed', 'contributions-not-computed'] as const

export const NOTICE_CODES = [...RECORD_NOTICE_CODES, ...NOT_COMPUTED_CODES] as const

export type RecordNoticeCode = (typeof RECORD_NOTICE_CODES)[number]

export interface Notice {
  readonly code: (typeof NOTICE_CODES)[number]
  /** The field that it is about; `risk` for a part of the explanation. */
  readonly field: string
  readonly text: string
}

export const RANGE_NOT_COMPUTED: Notice = {
  code: 'range-not-computed',
  field: 'risk',
  text: 'The range of the risk was not computed: the values that are missing allow too many combinations.',
}

export const CONTRIBUTIONS_NOT_COMPUTED: Notice = {
  code: 'contributions-not-computed',
  field: 'risk',
  text: 'The contributions were not computed: the inputs of the model allow too many combinations.',
}

/** Finds the notices of one code. */
type Find = (slots: Slots, today: number) => readonly FieldNote[]

/** How old an assessment may be where neither its scale nor the deployment says so. */
export const ASSESSMENT_DAYS = 366

export interface NoticeOptions {
  /** For all scales, in place of what they say; null: none is too old. */
  readonly assessmentDays?: number | null | undefined
}

/** Compiles the notices of a model's records. They are found in slots that have been judged, which stay as they are. */
export function compileNotices(
  definitions: Definitions,
  plan: Plan,
  model: ModelDefinition,
  options: NoticeOptions,
): (slots: Slots, today: number) => readonly Notice[] {
  const inputs = Object.keys(model.inputs).map((name) => plan.slotByName.get(name) as number)
  const finders: Readonly<Record<RecordNoticeCode, Find>> = {
    'outside-data': findOutsideData(plan, model, inputs),
    assumed: findAssumed(plan, model, inputs),
    'incomplete-scale': findIncomplete(plan, definitions),
    'old-assessment': findOld(plan, definitions, options),
    contradiction: compileContradictions(plan, definitions.contradictions ?? []),
    'unit-doubt': findUnitDoubt(plan, definitions.units ?? new Map(), inputs),
  }
  return (slots, today) =>
    RECORD_NOTICE_CODES.flatMap((code) =>
      [...finders[code](slots, today)]
        .sort((a, b) => a.slot - b.slot)
        .map(({ slot, text }) => ({ code, field: nameOf(plan, slot), text })),
    )
}

function nameOf(plan: Plan, slot: number): string {
  return (plan.fields[slot] as FieldPlan).name
}

function findOutsideData(plan: Plan, { id, profile }: ModelDefinition, inputs: readonly number[]): Find {
  const known = inputs.flatMap((slot) => {
    const seen = profile?.inputs[nameOf(plan, slot)]
    return seen === undefined || 'codes' in seen ? [] : [{ slot, from: -Infinity, to: Infinity, ...seen }]
  })
  return (slots) =>
    known.flatMap(({ slot, from, to }) => {
      const value = slots.valueOf(slot)
      if (!slots.isUsable(slot) || (value >= from && value <= to)) return []
      const end = value < from ? `below ${from}, the lowest` : `above ${to}, the highest`
      return [{ slot, text: `${nameOf(plan, slot)} is ${end} value in the data of ${id}.` }]
    })
}

function findAssumed(plan: Plan, { id, inputs: rules }: ModelDefinition, inputs: readonly number[]): Find {
  return (slots) =>
    inputs
      .filter((slot) => slots.stateOf(slot) === STATE.assumed)
      .map((slot) => {
        const name = nameOf(plan, slot)
        const standIn = rules[name]?.whenAbsent
        const taken = standIn === null ? 'its absence into account' : `${String(standIn)} in its place`
        return { slot, text: `${name} is missing or not usable; ${id} takes ${taken}.` }
      })
}

/** The scales that a record gives something of, in the order of the catalogue. */
function carriedScales(slots: Slots): readonly number[] {
  return [...slots.scales.subarray(0, slots.scaleCount)].sort((a, b) => a - b)
}

function findIncomplete(plan: Plan, { scales }: Definitions): Find {
  return (slots) =>
    carriedScales(slots).flatMap((index) => {
      const total = plan.slotByName.get(`${scales[index]?.id}_total`) as number
      const form = declaredForm(plan.scales[index] as ScalePlan, slots)
      // A total that is compared with some items and found right is their sum.
      const sum = form?.totals.find(
        ({ target, fillsIn, comparesPartly }) => target === total && fillsIn && comparesPartly,
      )
      if (sum === undefined || slots.stateOf(total) !== STATE.valid || holdsIn(slots, sum.isComplete))
        return []
      const given = sum.parts.filter((part) => slots.isUsable(part)).length
      if (given === 0) return []
      const items = given === 1 ? 'the one item that is given' : `the ${given} items that are given`
      const name = nameOf(plan, total)
      return [
        {
          slot: total,
          text: `${name} is the sum of ${items}, and others are absent: the form may be incomplete.`,
        },
      ]
    })
}

/** How many days back an assessment may lie. */
export function assessmentLimit(
  scale: Pick<ScaleDefinition, 'validDays'>,
  { assessmentDays }: NoticeOptions,
): number {
  return [assessmentDays, scale.validDays, ASSESSMENT_DAYS].find((each) => each !== undefined) ?? Infinity
}

function findOld(plan: Plan, { scales }: Definitions, options: NoticeOptions): Find {
  return (slots, today) =>
    carriedScales(slots).flatMap((index) => {
      const scale = scales[index] as ScaleDefinition
      const slot = (plan.scales[index] as ScalePlan).dateSlot
      const days = assessmentLimit(scale, options)
      if (slots.stateOf(slot) !== STATE.valid || daysBetween(slots.valueOf(slot), today) <= days) return []
      return [{ slot, text: `The assessment ${scale.id} lies more than ${days} days back.` }]
    })
}

function findUnitDoubt(
  plan: Plan,
  units: ReadonlyMap<string, UnitsDefinition>,
  inputs: readonly number[],
): Find {
  return (slots) =>
    inputs.flatMap((slot) => {
      const { name, conversion } = plan.fields[slot] as FieldPlan
      const known = units.get(name)
      const state = slots.stateOf(slot)
      // A value out of range often is one in another unit.
      if (known === undefined || (state !== STATE.valid && state !== STATE.outOfRange)) return []
      const received = conversion?.unit ?? known.unit
      const other = doubtedUnit(known, received, slots.valueOf(slot))
      if (other === undefined) return []
      return [
        {
          slot,
          text: `${name} is unusual for a value ${inUnit(received)} and usual for one ${inUnit(other)}: check its unit.`,
        },
      ]
    })
}

/** The unit of a total is its highest value: "of 20". */
function inUnit(unit: string): string {
  return unit.startsWith('of ') ? `out ${unit}` : `in ${unit}`
}
