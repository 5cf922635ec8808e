/** Brings the values of a scale together, as the engine's settle step does: its coding, its sums, and what follows from its items. */
import { type ScaleForm, scaleForms } from '../definition/forms.ts'
import { contextDomain } from '../definition/scale-domains.ts'
import type { ScaleDefinition } from '../definition/scale.ts'
import type { Computation } from '../engine/judge/computation.ts'
import type { FormPlan, ScalePlan } from '../engine/plan-scale.ts'
import type { FieldPlan, Plan } from '../engine/plan.ts'
import { STATE } from '../engine/read/slots.ts'
import { type FigureDefinition, type FigureTools, figureOf } from './figure.ts'
import { settleUndeclared } from './settle-undeclared.ts'
import {
  type SettleTools,
  type Slot,
  type SlotList,
  holdsIn,
  isUsable,
  neverThere,
  permitsNumber,
  union,
  withState,
} from './slot.ts'
import { type Sql, anyOf, join, sql } from './stages.ts'

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
  const parts = partsOf(tools.plan, definition.id)
  if (parts.every((part) => slots[part] === undefined)) return
  const forms = scaleForms(definition)
  const settled = (index: number): SlotList => {
    const copy = [...slots]
    settleForm(tools, definition, scale, forms[index] as ScaleForm, scale.forms[index] as FormPlan, copy)
    return copy
  }
  const defaultForm = scale.defaultForm === undefined ? -1 : scale.forms.indexOf(scale.defaultForm)
  const coding = slots[scale.codingSlot]
  if (scale.codingSlot < 0) put(slots, settled(0))
  else if (coding === undefined)
    put(slots, defaultForm >= 0 ? settled(defaultForm) : settleUndeclared(tools, scale, slots))
  else {
    const form = tools.stages.define(
      'f',
      sql`CASE ${coding.state} WHEN ${STATE.valid} THEN ${coding.value} WHEN ${STATE.absent} THEN ${defaultForm} ELSE -1 END`,
    )
    const byForm = scale.forms.map((_, index) => settled(index))
    const otherwise = settleUndeclared(tools, scale, slots)
    for (const part of parts)
      slots[part] = merged(
        tools,
        form,
        byForm.map((list) => list[part]),
        otherwise[part],
      )
  }
}

function partsOf(plan: Plan, scale: string): readonly number[] {
  const index = plan.scaleByPrefix.get(scale)
  return plan.fields.flatMap((field, slot) => (field.scale === index ? [slot] : []))
}

function put(slots: SlotList, settled: SlotList): void {
  settled.forEach((slot, place) => (slots[place] = slot))
}

/** A slot whose content depends on the form of the row. */
function merged(
  { stages, dialect }: SettleTools,
  form: Sql,
  byForm: readonly (Slot | undefined)[],
  otherwise: Slot | undefined,
): Slot | undefined {
  if (byForm.every((slot) => slot === otherwise)) return otherwise
  const all = byForm.map((slot) => slot ?? neverThere(dialect))
  const last = otherwise ?? neverThere(dialect)
  const choose = (part: (slot: Slot) => Sql): Sql => {
    if (all.every((slot) => part(slot).text === part(last).text)) return part(last)
    const branches = all.map((slot, index) => sql`WHEN ${index} THEN ${part(slot)}`)
    return sql`CASE ${form} ${join(branches, ' ', '')} ELSE ${part(last)} END`
  }
  const slot = {
    state: stages.define(
      's',
      choose(({ state }) => state),
    ),
    value: stages.define(
      'v',
      choose(({ value }) => value),
    ),
    can: union(...[...all, last].map(({ can }) => can)),
  }
  if ([...all, last].every(({ disagreement }) => disagreement === undefined)) return slot
  return {
    ...slot,
    disagreement: stages.define(
      'g',
      choose(({ disagreement }) => disagreement ?? sql`NULL`),
    ),
  }
}

function settleForm(
  tools: SettleTools,
  definition: ScaleDefinition,
  scale: ScalePlan,
  form: ScaleForm,
  plan: FormPlan,
  slots: SlotList,
): void {
  const { stages, dialect } = tools
  const slotOf = (part: string): number => tools.plan.slotByName.get(`${definition.id}_${part}`) as number
  if (scale.codingSlot >= 0) refuseOtherCodings(tools, scale, plan, slots)
  refuseBoth(tools, plan.alternatives?.alternatives ?? [], slots)
  const figures: FigureTools = { dialect, slots, slotOf, codesOf: (part) => codesOf(definition, part) }
  const computed = Object.values(definition.computed ?? {})
  plan.computed.forEach((computation, place) => {
    settle(tools, figures, computation, {
      of: 'derived',
      derived: computed[place] as (typeof computed)[number],
    })
  })
  const subtotals = Object.keys(definition.subtotals ?? {}).length
  plan.totals.forEach((computation, place) => {
    const total = place === subtotals ? form.total : 'sum'
    settle(tools, figures, computation, { of: 'total', total })
  })
  for (const { slot: place, by } of plan.shifts) {
    const slot = slots[place]
    if (slot === undefined) continue
    const value = sql`CASE WHEN ${isUsable(slot)} THEN ${slot.value} - ${dialect.double(by)} ELSE ${slot.value} END`
    slots[place] = { ...slot, value: stages.define('v', value) }
  }
  const derived = Object.values(definition.derived ?? {})
  plan.derived.forEach((computation, place) => {
    settle(tools, figures, computation, {
      of: 'derived',
      derived: derived[place] as (typeof derived)[number],
    })
  })
}

function codesOf(definition: ScaleDefinition, part: string): ReadonlyMap<string, number> {
  const domain = contextDomain(definition.context?.[part]?.values ?? [])
  return domain.kind === 'code' ? domain.codes : new Map()
}

function refuseOtherCodings(tools: SettleTools, scale: ScalePlan, form: FormPlan, slots: SlotList): void {
  for (const place of scale.codedSlots) {
    const slot = slots[place]
    if (slot === undefined) continue
    const isOther = sql`${slot.state} = ${STATE.valid} AND NOT (${holdsIn(tools.dialect, form, place, slot)})`
    slots[place] = withState(tools, slot, isOther, STATE.otherCoding)
  }
}

/** Alternatives of which more than one is given are the same thing said twice. */
function refuseBoth(tools: SettleTools, groups: readonly (readonly number[])[], slots: SlotList): void {
  for (const group of groups) {
    const before: Sql[] = []
    for (const place of group) {
      const slot = slots[place]
      if (slot === undefined) continue
      const usable = isUsable(slot)
      const earlier = anyOf(before)
      if (earlier !== undefined)
        slots[place] = withState(tools, slot, sql`${usable} AND ${earlier}`, STATE.givenTwice)
      before.push(usable)
    }
  }
}

/** One computation: a given figure is compared with its parts, and one that is not given is worked out where the model needs it. */
function settle(
  tools: SettleTools,
  figures: FigureTools,
  computation: Computation,
  definition: FigureDefinition,
): void {
  const { plan, stages, dialect } = tools
  const { slots } = figures
  const { target, fillsIn } = computation
  const fills = fillsIn && plan.isNeeded(target)
  if (slots[target] === undefined && !fills) return
  const figure = figureOf(figures, definition, computation.parts)
  if (figure === undefined) return
  const parts = computation.parts.flatMap((part) => slots[part] ?? [])
  const given = anyOf(parts.map(({ state }) => sql`${state} <> ${STATE.absent}`))
  const reason = computation.comparesPartly ? given : (figure.isDecided ?? figure.isComplete)
  const distrusted = anyOf(
    parts
      .filter(({ can }) => Math.max(...can) >= STATE.untrusted)
      .map(({ state }) => sql`${state} >= ${STATE.untrusted}`),
  )
  const isDistrusted = distrusted === undefined ? sql`FALSE` : stages.define('u', distrusted)
  const value = stages.define('w', figure.value)
  const slot = slots[target] ?? neverThere(dialect)
  const differs = sql`abs(${value} - ${slot.value}) > ${dialect.double(computation.tolerance ?? SAME)}`
  const isCompared = stages.define(
    'q',
    reason === undefined || slots[target] === undefined
      ? sql`FALSE`
      : sql`NOT ${isDistrusted} AND (${reason}) AND ${differs}`,
  )
  const isFilled = stages.define(
    'q',
    !fills || figure.isComplete === undefined
      ? sql`FALSE`
      : sql`${slot.state} = ${STATE.absent} AND NOT ${isDistrusted} AND (${figure.isComplete})`,
  )
  const { domain } = plan.fields[target] as FieldPlan
  const branches = [
    sql`WHEN ${isFilled} THEN CASE WHEN ${permitsNumber(dialect, domain, value)} THEN ${STATE.computed} ELSE ${STATE.outOfRange} END`,
    ...(fillsIn
      ? [sql`WHEN ${slot.state} = ${STATE.valid} AND ${isDistrusted} THEN ${STATE.untrusted}`]
      : []),
    sql`WHEN ${slot.state} = ${STATE.valid} AND ${isCompared} THEN ${STATE.mismatch}`,
  ]
  const isWrong = sql`${slot.state} IN (${WRONG_NUMBERS.join(', ')}) AND ${isCompared}`
  slots[target] = {
    state: stages.define('s', sql`CASE ${join(branches, ' ', '')} ELSE ${slot.state} END`),
    value: stages.define(
      'v',
      sql`CASE WHEN ${isFilled} OR ${slot.state} = ${STATE.valid} AND ${isCompared} THEN ${value} ELSE ${slot.value} END`,
    ),
    can: union(slot.can, fills ? [STATE.computed, STATE.outOfRange] : [], fillsIn ? [STATE.untrusted] : [], [
      STATE.mismatch,
    ]),
    disagreement: stages.define(
      'g',
      sql`CASE WHEN ${isWrong} THEN ${value} ELSE ${slot.disagreement ?? sql`NULL`} END`,
    ),
  }
}
