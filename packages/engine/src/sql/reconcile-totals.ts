/** Reconciles the values of a scale as the engine does: its coding, its sums, and what follows from its items. */
import { type ScaleForm, scaleForms } from '../definition/scale-domains.ts'
import type { ScaleDefinition } from '../definition/scale.ts'
import type { Computation } from '../plan/computation.ts'
import { SAME, WRONG_NUMBERS } from '../judge/reconcile-totals.ts'
import type { FormPlan, ScalePlan } from '../plan/plan-scale.ts'
import type { FieldPlan } from '../plan/plan.ts'
import { STATE } from '../plan/slots.ts'
import { FALSE, type Sql, TRUE, and, cases, join, not, or, sql, when } from './fragment.ts'
import { derivedFigure, totalFigure } from './figure.ts'
import type { Query } from './query.ts'
import {
  ABSENT,
  type Figure,
  type Slot,
  type SlotList,
  type Tools,
  isFrom,
  isIn,
  isUsable,
  permitsNumber,
  slotsAt,
} from './slot.ts'

export function reconcileTotals(
  query: Query,
  definition: ScaleDefinition,
  index: number,
  slots: SlotList,
): void {
  const scale = query.plan.scales[index] as ScalePlan
  const parts = query.plan.fields.flatMap((field, slot) => (field.scale === index ? [slot] : []))
  if (parts.every((part) => slots[part] === ABSENT)) return
  const reconciled = (form: number): SlotList => {
    const tools = { query, slots: [...slots], id: definition.id, computed: definition.computed ?? {} }
    if (form < 0) reconcileUndeclared(tools, scale)
    else reconcileForm(tools, definition, scale, form)
    return tools.slots
  }
  const defaultForm = scale.forms.indexOf(scale.defaultForm as FormPlan)
  const coding = slots[scale.codingSlot]
  if (coding === undefined || coding === ABSENT) {
    const all = reconciled(coding === undefined ? 0 : defaultForm)
    for (const part of parts) slots[part] = all[part] as Slot
    return
  }
  const forms = [[STATE.valid, coding.value] as const, [STATE.absent, defaultForm] as const]
  const form = query.define('f', cases(forms, -1, coding.state))
  const byForm = scale.forms.map((_, at) => reconciled(at))
  const otherwise = reconciled(-1)
  for (const part of parts) {
    const each = byForm.map((list) => list[part] as Slot)
    slots[part] = merged(query, form, each, otherwise[part] as Slot)
  }
}

/** A slot whose content depends on the form of the row. */
function merged(query: Query, form: Sql, byForm: readonly Slot[], otherwise: Slot): Slot {
  if (byForm.every((slot) => slot === otherwise)) return otherwise
  const choose = (prefix: string, part: (slot: Slot) => Sql): Sql => {
    const isSame = byForm.every((slot) => part(slot).text === part(otherwise).text)
    const branches = byForm.map((slot, index) => [index, part(slot)] as const)
    return isSame ? part(otherwise) : query.define(prefix, cases(branches, part(otherwise), form))
  }
  return {
    state: choose('s', ({ state }) => state),
    value: choose('v', ({ value }) => value),
    possible: union(...[...byForm, otherwise].map(({ possible }) => possible)),
    disagreement: choose('g', ({ disagreement = sql`NULL` }) => disagreement),
  }
}

function reconcileForm(tools: Tools, definition: ScaleDefinition, scale: ScalePlan, at: number): void {
  const { query, slots } = tools
  const { computed = {}, subtotals = {}, derived = {} } = definition
  const form = scale.forms[at] as FormPlan
  for (const place of scale.codingSlot < 0 ? [] : scale.codedSlots) {
    const slot = slots[place] as Slot
    slots[place] = withState(query, slot, isNotPermitted(query, form, place, slot), STATE.otherCoding)
  }
  // Several given alternatives state the same thing twice.
  for (const group of form.alternatives) {
    const usable = group.map((place) => isUsable(slots[place] as Slot))
    for (const [number, place] of group.entries()) {
      const isSecond = and(usable[number] as Sql, or(...usable.slice(0, number)))
      slots[place] = withState(query, slots[place] as Slot, isSecond, STATE.givenTwice)
    }
  }
  const reconcileDerived = (computations: readonly Computation[], definitions: typeof derived): void =>
    Object.entries(definitions).forEach(([name, each], place) => {
      const computation = computations[place] as Computation
      const own = computation.compares ? TRUE : isCarried(query, slots, computation.target)
      reconcile(tools, computation, () => derivedFigure(tools, name, each, computation.parts), own)
    })
  reconcileDerived(form.computed, computed)
  form.totals.forEach((computation, place) => {
    const isTotal = place === Object.keys(subtotals).length
    const total = isTotal ? (scaleForms(definition)[at] as ScaleForm).total : 'sum'
    reconcile(tools, computation, () => totalFigure(tools, total, computation.parts))
  })
  for (const { slot: place, by } of form.shifts) {
    const slot = slots[place] as Slot
    const value = when(isUsable(slot), sql`${slot.value} - ${query.double(by)}`, slot.value)
    slots[place] = { ...slot, value: query.define('v', value) }
  }
  reconcileDerived(form.derived, derived)
}

/** One computation: a given figure is compared with its parts, and one that is not given is computed if the model needs it. */
function reconcile(
  { query, slots }: Tools,
  computation: Computation,
  figureOf: () => Figure,
  mayFill: Sql = TRUE,
): void {
  const { plan, dialect, double, define } = query
  const { target, fillsIn, comparesPartly, compares, tolerance = SAME } = computation
  const fills = plan.fillsIn(computation)
  const parts = slotsAt(slots, computation.parts)
  const slot = slots[target] as Slot
  if (((slot === ABSENT || !compares) && !fills) || parts.length === 0) return
  const { value: figure, isComplete, isDecided = isComplete } = figureOf()
  const isGiven = or(...parts.map((part) => not(isIn(part, STATE.absent))))
  const isTrusted = define('u', not(or(...parts.map((part) => isFrom(part, STATE.untrusted)))))
  const value = define('w', figure)
  const differs = sql`abs(${value} - ${slot.value}) > ${double(tolerance)}`
  const isCompared = and(isTrusted, comparesPartly ? isGiven : isDecided, differs)
  const isOther = define('q', slot === ABSENT || !compares ? FALSE : isCompared)
  const isOpen = computation.unless.map((place) => isIn(slots[place] as Slot, STATE.absent))
  const isFillable = and(mayFill, ...isOpen, isIn(slot, STATE.absent), isTrusted, isComplete)
  const isFilled = define('q', fills ? isFillable : FALSE)
  const { domain } = plan.fields[target] as FieldPlan
  const filled = when(permitsNumber(dialect, domain, value), STATE.computed, STATE.outOfRange)
  const isMismatch = and(isIn(slot, STATE.valid), isOther)
  const compared = when(isMismatch, STATE.mismatch, slot.state)
  const isDoubted = fillsIn && compares ? and(isIn(slot, STATE.valid), not(isTrusted)) : FALSE
  const isWrong = and(isIn(slot, ...WRONG_NUMBERS), isOther)
  const more = [...(fills ? [STATE.computed, STATE.outOfRange] : []), ...(fillsIn ? [STATE.untrusted] : [])]
  slots[target] = {
    state: define('s', when(isFilled, filled, when(isDoubted, STATE.untrusted, compared))),
    value: define('v', when(or(isFilled, isMismatch), value, slot.value)),
    possible: union(slot.possible, more, [STATE.mismatch]),
    disagreement: define('g', when(isWrong, value, slot.disagreement)),
  }
}

/** Whether a row gives something of the scale that this part belongs to. Age alone does not begin a scale. */
function isCarried({ plan }: Query, slots: SlotList, part: number): Sql {
  const own = plan.fields[part]?.scale
  const places = plan.fields.flatMap(({ scale }, place) => (scale === own ? [place] : []))
  return or(...slotsAt(slots, places).map((slot) => not(isIn(slot, STATE.absent))))
}

/** A scale without a known coding: its values are not used, and values that no single form permits contradict each other. */
function reconcileUndeclared({ query, slots }: Tools, scale: ScalePlan): void {
  const places = scale.codedSlots.filter((place) => slots[place] !== ABSENT)
  const carried = slotsAt(slots, places)
  if (carried.length === 0) return
  const isCarried = or(...carried.map((slot) => not(isIn(slot, STATE.absent))))
  /** By form and then by carried slot: whether the form does not have the value. */
  const isNotPermittedIn = scale.forms.map((form) =>
    carried.map((slot, at) => query.define('q', isNotPermitted(query, form, places[at] as number, slot))),
  )
  const counts = isNotPermittedIn.map((strangers) => {
    const ones = strangers.map((each) => when(each, 1, 0))
    return query.define('k', join(ones, ' + '))
  })
  // The form with the fewest values that it does not permit; the first of several.
  const fewest = counts.slice(0, -1).map((count, form) => {
    const later = counts.slice(form + 1).map((other) => sql`${count} <= ${other}`)
    return [and(...later), form] as const
  })
  const nearest = query.define('k', cases(fewest, counts.length - 1))
  carried.forEach((slot, at) => {
    const strange = isNotPermittedIn.map((strangers, form) =>
      and(sql`${nearest} = ${form}`, strangers[at] as Sql),
    )
    const otherwise = when(isIn(slot, STATE.valid), STATE.untrusted, slot.state)
    const state = query.define('s', when(or(...strange), STATE.otherCoding, otherwise))
    const possible = union(slot.possible, [STATE.otherCoding, STATE.untrusted])
    slots[places[at] as number] = { ...slot, state, possible }
  })
  const coding = slots[scale.codingSlot] as Slot
  const isUndeclared = and(isIn(coding, STATE.absent), isCarried)
  slots[scale.codingSlot] = withState(query, coding, isUndeclared, STATE.undeclared)
}

function union(...sets: readonly Iterable<number>[]): ReadonlySet<number> {
  return new Set(sets.flatMap((set) => [...set]))
}

function isNotPermitted({ dialect }: Query, form: FormPlan, place: number, slot: Slot): Sql {
  const domain = form.domains.get(place)
  const holds = domain === undefined ? FALSE : permitsNumber(dialect, domain, slot.value)
  return and(isIn(slot, STATE.valid), not(holds))
}

function withState(query: Query, slot: Slot, condition: Sql, state: number): Slot {
  if (condition === FALSE) return slot
  const changed = query.define('s', when(condition, state, slot.state))
  return { ...slot, state: changed, possible: union(slot.possible, [state]) }
}
