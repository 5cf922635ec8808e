/** Prints changes of slots: each step makes columns for the slots that it changes. */
import type { Assignment, Step } from '../expression/assignment.ts'
import { nodesOfStep } from '../expression/assignment.ts'
import type { ScaleSteps } from '../judge/lower-scale.ts'
import { FALSE, type Sql, cases, sql } from './fragment.ts'
import { Printer, SHORT_TEXT } from './print-expression.ts'
import type { Query } from './query.ts'
import { ABSENT, type Slot, type SlotList } from './slot.ts'

/** The slots of a scale after its steps. `parts` are the places of all of its fields. */
export function reconcileScale(
  query: Query,
  steps: ScaleSteps,
  parts: readonly number[],
  slots: SlotList,
): void {
  if (parts.every((part) => slots[part] === ABSENT)) return
  const after = (each: readonly Step[]): SlotList => {
    const changed = [...slots]
    for (const step of each) applyStep(query, step, changed)
    return changed
  }
  const form = new Printer(query, slots, [steps.form]).number(steps.form)
  const known = steps.forms.findIndex((_, place) => form.text === query.double(place))
  const byForm = steps.forms.map((each, place) => (known < 0 || place === known ? after(each()) : slots))
  if (known >= 0) {
    for (const part of parts) slots[part] = byForm[known]?.[part] as Slot
    return
  }
  const otherwise = after(steps.undeclared())
  if (form.text === query.double(-1)) {
    for (const part of parts) slots[part] = otherwise[part] as Slot
    return
  }
  const formColumn = query.define('f', form)
  for (const part of parts) {
    const each = byForm.map((list) => list[part] as Slot)
    slots[part] = merged(query, formColumn, each, otherwise[part] as Slot)
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
    possible: new Set([...byForm, otherwise].flatMap(({ possible }) => [...possible])),
    disagreement: choose('g', disagreementOf),
  }
}

function disagreementOf({ disagreement = sql`NULL` }: Slot): Sql {
  return disagreement
}

function applyStep(query: Query, step: Step, slots: SlotList): void {
  const printer = new Printer(query, slots, nodesOfStep(step))
  const changed = step.map((assignment) => changedSlot(query, printer, assignment, slots))
  for (const [place, { slot }] of step.entries()) slots[slot] = changed[place] as Slot
}

function changedSlot(query: Query, printer: Printer, assignment: Assignment, slots: SlotList): Slot {
  const slot = slots[assignment.slot] as Slot
  const parts = ['state', 'value', 'disagreement'] as const
  // A condition that only one column needs is no column itself.
  const isUsedOnce = parts.filter((part) => assignment.changes.some((change) => part in change)).length === 1
  const changes = assignment.changes.flatMap((change) => {
    const condition = printer.condition(change.when)
    if (condition.text === FALSE.text) return []
    const isInline = isUsedOnce || condition.text.length <= SHORT_TEXT
    return [{ ...change, condition: isInline ? condition : query.define('q', condition) }]
  })
  if (changes.length === 0) return slot
  const states = changes.flatMap(({ state }) => state ?? [])
  const stateBranches = changes.map(({ condition, state }) => [condition, state ?? slot.state] as const)
  const valueBranches = changes.map(({ condition, value }) => {
    return [condition, value === undefined ? slot.value : printer.number(value)] as const
  })
  const figures = changes.map(({ condition, disagreement }) => {
    return [
      condition,
      disagreement === undefined ? disagreementOf(slot) : printer.number(disagreement),
    ] as const
  })
  return {
    state: states.length === 0 ? slot.state : query.define('s', cases(stateBranches, slot.state)),
    value: changes.some(({ value }) => value !== undefined)
      ? query.define('v', cases(valueBranches, slot.value))
      : slot.value,
    possible: new Set([...slot.possible, ...states]),
    disagreement: changes.some(({ disagreement }) => disagreement !== undefined)
      ? query.define('g', cases(figures, disagreementOf(slot)))
      : disagreementOf(slot),
  }
}
