/** Brings the values of a scale together, as the engine's settle step does: its coding, its sums, and what follows from its items. */
import { codesIn } from '../definition/domain.ts'
import { type ScaleForm, domainIn, scaleForms } from '../definition/scale-domains.ts'
import type { ScaleDefinition } from '../definition/scale.ts'
import type { Computation } from '../engine/judge/computation.ts'
import type { FormPlan, ScalePlan } from '../engine/plan-scale.ts'
import type { FieldPlan, Plan } from '../engine/plan.ts'
import { STATE } from '../engine/read/slots.ts'
import type { Dialect } from './dialect.ts'
import { type Figure, type FigureTools, derivedFigure, totalFigure } from './figure.ts'
import { settleUndeclared } from './settle-undeclared.ts'
import {
  type Slot,
  type SlotList,
  isStrange,
  isUsable,
  neverThere,
  permitsNumber,
  slotsAt,
  union,
  withState,
} from './slot.ts'
import { type Sql, type Stages, anyOf, cases, sql } from './stages.ts'

export interface SettleTools {
  readonly plan: Plan
  readonly stages: Stages
  readonly dialect: Dialect
}

const SAME = 1e-9
/** A total that is wrong in itself must coincide with its items all the same. */
const WRONG_NUMBERS = [STATE.outOfRange, STATE.notAnInteger, STATE.notANumber]

/** Settles one scale in the list of slots. */
export function settleScale(
  tools: SettleTools,
  definition: ScaleDefinition,
  scale: ScalePlan,
  slots: SlotList,
): void {
  const { plan, stages, dialect } = tools
  const index = plan.scaleByPrefix.get(definition.id)
  const parts = plan.fields.flatMap((field, slot) => (field.scale === index ? [slot] : []))
  if (parts.every((part) => slots[part] === undefined)) return
  const forms = scaleForms(definition)
  const settled = (at: number): SlotList =>
    settleForm(tools, definition, scale, forms[at] as ScaleForm, scale.forms[at] as FormPlan, slots)
  const defaultForm = scale.defaultForm === undefined ? -1 : scale.forms.indexOf(scale.defaultForm)
  const coding = slots[scale.codingSlot]
  if (coding === undefined) {
    const at = scale.codingSlot < 0 ? 0 : defaultForm
    const all = at < 0 ? settleUndeclared(stages, dialect, scale, slots) : settled(at)
    for (const part of parts) slots[part] = all[part]
    return
  }
  const form = stages.define(
    'f',
    sql`CASE ${coding.state} WHEN ${STATE.valid} THEN ${coding.value} WHEN ${STATE.absent} THEN ${defaultForm} ELSE -1 END`,
  )
  const byForm = scale.forms.map((_, at) => settled(at))
  const otherwise = settleUndeclared(stages, dialect, scale, slots)
  for (const part of parts) {
    const each = byForm.map((list) => list[part])
    slots[part] = merged(tools, form, each, otherwise[part])
  }
}

/** A slot whose content depends on the form of the row. */
function merged(
  { stages, dialect }: SettleTools,
  form: Sql,
  byForm: readonly (Slot | undefined)[],
  otherwise: Slot | undefined,
): Slot | undefined {
  if (byForm.every((slot) => slot === otherwise)) return otherwise
  const each = byForm.map((slot) => slot ?? neverThere(dialect))
  const last = otherwise ?? neverThere(dialect)
  const choose = (prefix: string, part: (slot: Slot) => Sql): Sql => {
    const isSame = each.every((slot) => part(slot).text === part(last).text)
    const branches = each.map((slot, index) => [index, part(slot)] as const)
    return stages.define(prefix, isSame ? part(last) : cases(branches, part(last), form))
  }
  const slot = {
    state: choose('s', ({ state }) => state),
    value: choose('v', ({ value }) => value),
    can: union(...[...each, last].map(({ can }) => can)),
  }
  if ([...each, last].every(({ disagreement }) => disagreement === undefined)) return slot
  return { ...slot, disagreement: choose('g', ({ disagreement }) => disagreement ?? sql`NULL`) }
}

/** The slots as the form settles them. */
function settleForm(
  tools: SettleTools,
  definition: ScaleDefinition,
  scale: ScalePlan,
  form: ScaleForm,
  plan: FormPlan,
  before: SlotList,
): SlotList {
  const { id, computed = {}, subtotals = {}, derived = {} } = definition
  const { stages, dialect } = tools
  const slots = [...before]
  const codesOf = (part: string): ReadonlyMap<string, number> => codesIn(domainIn(definition, form, part))
  const slotOf = (part: string): number => tools.plan.slotByName.get(`${id}_${part}`) as number
  const figures: FigureTools = { dialect, slots, slotOf, codesOf }
  if (scale.codingSlot >= 0) {
    for (const place of scale.codedSlots) {
      const slot = slots[place]
      if (slot === undefined) continue
      slots[place] = withState(stages, slot, isStrange(dialect, plan, place, slot), STATE.otherCoding)
    }
  }
  refuseBoth(stages, plan.alternatives, slots)
  const settleDerived = (computations: readonly Computation[], definitions: typeof derived): void => {
    for (const [place, definition] of Object.values(definitions).entries()) {
      const computation = computations[place] as Computation
      settle(tools, slots, computation, () => derivedFigure(figures, definition, computation.parts))
    }
  }
  settleDerived(plan.computed, computed)
  plan.totals.forEach((computation, place) => {
    const total = place === Object.keys(subtotals).length ? form.total : 'sum'
    settle(tools, slots, computation, () => totalFigure(figures, total, computation.parts))
  })
  for (const { slot: place, by } of plan.shifts) {
    const slot = slots[place]
    if (slot === undefined) continue
    const value = cases([[isUsable(slot), sql`${slot.value} - ${dialect.double(by)}`]], slot.value)
    slots[place] = { ...slot, value: stages.define('v', value) }
  }
  settleDerived(plan.derived, derived)
  return slots
}

/** Alternatives of which more than one is given are the same thing said twice. */
function refuseBoth(stages: Stages, groups: readonly (readonly number[])[], slots: SlotList): void {
  for (const group of groups) {
    const before: Sql[] = []
    for (const place of group) {
      const slot = slots[place]
      if (slot === undefined) continue
      const usable = isUsable(slot)
      const earlier = anyOf(before)
      if (earlier !== undefined)
        slots[place] = withState(stages, slot, sql`${usable} AND ${earlier}`, STATE.givenTwice)
      before.push(usable)
    }
  }
}

/** One computation: a given figure is compared with its parts, and one that is not given is worked out where the model needs it. */
function settle(
  { plan, stages, dialect }: SettleTools,
  slots: SlotList,
  computation: Computation,
  figureOf: () => Figure,
): void {
  const { target, fillsIn, parts: places, comparesPartly, tolerance = SAME } = computation
  const fills = plan.fillsIn(computation)
  const parts = slotsAt(slots, places)
  if ((slots[target] === undefined && !fills) || parts.length === 0) return
  const { value: figure, isComplete, isDecided = isComplete } = figureOf()
  const given = anyOf(parts.map(({ state }) => sql`${state} <> ${STATE.absent}`))
  const reason = comparesPartly ? given : isDecided
  const doubtful = parts.filter(({ can }) => Math.max(...can) >= STATE.untrusted)
  const distrusted = anyOf(doubtful.map(({ state }) => sql`${state} >= ${STATE.untrusted}`))
  const isDistrusted = distrusted === undefined ? sql`FALSE` : stages.define('u', distrusted)
  const value = stages.define('w', figure)
  const slot = slots[target] ?? neverThere(dialect)
  const differs = sql`abs(${value} - ${slot.value}) > ${dialect.double(tolerance)}`
  const isCompared = stages.define(
    'q',
    reason === undefined || slots[target] === undefined
      ? sql`FALSE`
      : sql`NOT ${isDistrusted} AND (${reason}) AND ${differs}`,
  )
  const isFilled = stages.define(
    'q',
    !fills || isComplete === undefined
      ? sql`FALSE`
      : sql`${slot.state} = ${STATE.absent} AND NOT ${isDistrusted} AND (${isComplete})`,
  )
  const { domain } = plan.fields[target] as FieldPlan
  const isValid = sql`${slot.state} = ${STATE.valid}`
  const filled = cases([[permitsNumber(dialect, domain, value), STATE.computed]], STATE.outOfRange)
  const untrusted = [[sql`${isValid} AND ${isDistrusted}`, STATE.untrusted]] as const
  const state = cases(
    [[isFilled, filled], ...(fillsIn ? untrusted : []), [sql`${isValid} AND ${isCompared}`, STATE.mismatch]],
    slot.state,
  )
  const isWrong = sql`${slot.state} IN (${WRONG_NUMBERS.join(', ')}) AND ${isCompared}`
  slots[target] = {
    state: stages.define('s', state),
    value: stages.define('v', cases([[sql`${isFilled} OR ${isValid} AND ${isCompared}`, value]], slot.value)),
    can: union(slot.can, fills ? [STATE.computed, STATE.outOfRange] : [], fillsIn ? [STATE.untrusted] : [], [
      STATE.mismatch,
    ]),
    disagreement: stages.define('g', cases([[isWrong, value]], slot.disagreement ?? 'NULL')),
  }
}
