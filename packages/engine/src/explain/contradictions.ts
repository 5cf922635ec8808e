/** Fields of a record that cannot both be true, as the clinical files declare them. */
import { fieldsOfCondition } from '../definition/condition-fields.ts'
import type {
  ConditionDefinition,
  ContradictionsDefinition,
  IntervalDefinition,
  QuantityDefinition,
} from '../definition/contradictions.ts'
import { numberIn } from '../definition/domain.ts'
import { and, areApart, value } from '../expression/build.ts'
import { SAME } from '../judge/lower-scale.ts'
import { holdsIn } from '../plan/computation.ts'
import type { FieldPlan, Plan } from '../plan/plan.ts'
import { STATE, type Slots } from '../plan/slots.ts'

/** Something to say about the field of a slot. Of two fields that contradict each other it is the later one in the catalogue. */
export interface FieldNote {
  readonly slot: number
  readonly text: string
}
type Find = (slots: Slots) => readonly FieldNote[]

/** Finds the contradictions of a record. Only values that are given and valid count, and points of readings that are. */
export function compileContradictions(plan: Plan, files: readonly ContradictionsDefinition[]): Find {
  const finders = files.flatMap(({ quantities = {}, rules = [] }) => [
    ...Object.values(quantities).map((quantity) => compileQuantity(plan, quantity)),
    ...rules.map((rule) => compileRule(plan, rule)),
  ])
  return (slots) => finders.flatMap((find) => find(slots))
}

function compileQuantity(plan: Plan, { label, fields, sameDay }: QuantityDefinition): Find {
  const said = Object.entries(fields).map(([name, meanings]) => {
    const slot = slotOf(plan, name)
    const { ownDomain: domain } = plan.fields[slot] as FieldPlan
    const intervals = new Map<number, IntervalDefinition>()
    if (meanings !== 'value')
      for (const [key, interval] of Object.entries(meanings))
        intervals.set(numberIn(domain, key) ?? Number.NaN, interval)
    const intervalOf = (value: number): IntervalDefinition | undefined =>
      meanings === 'value' ? { from: value, to: value } : intervals.get(value)
    return { slot, name, intervalOf }
  })
  said.sort((a, b) => a.slot - b.slot)
  return (slots) => {
    const given = said.filter(({ slot }) => slots.isUsable(slot))
    return given.flatMap((field, index): FieldNote[] => {
      const own = field.intervalOf(slots.valueOf(field.slot))
      // One contradiction is enough to say which field to look at.
      const other = given.slice(0, index).find(({ slot, intervalOf }) => {
        const its = intervalOf(slots.valueOf(slot))
        const canCompare = sameDay !== true || areOfOneDay(plan, [field.slot, slot], slots)
        return canCompare && own !== undefined && its !== undefined && !doMeet(own, its)
      })
      if (other === undefined) return []
      const text = `${other.name} and ${field.name} cannot both be true: they say different things about the ${label}.`
      return [{ slot: field.slot, text }]
    })
  }
}

function compileRule(
  plan: Plan,
  { all, text, sameDay }: NonNullable<ContradictionsDefinition['rules']>[number],
): Find {
  const conditions = all.map((condition) => compileCondition(plan, condition))
  const named = all.flatMap(fieldsOfCondition).map((name) => slotOf(plan, name))
  return (slots) => {
    if (!conditions.every((holds) => holds(slots))) return []
    const given = named.filter((slot) => slots.stateOf(slot) === STATE.valid)
    if (sameDay === true && !areOfOneDay(plan, given, slots)) return []
    return [{ slot: Math.max(...given), text }]
  }
}

function compileCondition(plan: Plan, condition: ConditionDefinition): (slots: Slots) => boolean {
  const [first = -1, second = -1, ...more] = fieldsOfCondition(condition).map((name) => slotOf(plan, name))
  const isGiven = (slots: Slots, slot: number): boolean => slots.stateOf(slot) === STATE.valid
  switch (condition.kind) {
    case 'anyGiven':
      return (slots) => [first, second, ...more].some((slot) => isGiven(slots, slot))
    case 'aboveField':
      return (slots) =>
        isGiven(slots, first) && isGiven(slots, second) && slots.valueOf(first) > slots.valueOf(second)
    case 'differsFromRules': {
      const { forms = [] } = plan.scales[(plan.fields[first] as FieldPlan).scale] ?? {}
      const rules = forms.flatMap(({ computed }) => computed).find(({ target }) => target === first)
      const differs = rules && and(rules.isComplete, areApart(rules.figure, value(first), SAME))
      return (slots) => isGiven(slots, first) && differs !== undefined && holdsIn(slots, differs)
    }
    case 'values': {
      const { ownDomain: domain } = plan.fields[first] as FieldPlan
      const values = new Set(condition.values.map((value) => numberIn(domain, String(value))))
      return (slots) => isGiven(slots, first) && values.has(slots.valueOf(first))
    }
  }
}

function slotOf(plan: Plan, name: string): number {
  return plan.slotByName.get(name) as number
}

/** Whether the dates of the scales of these fields, as far as they are given, are one. Other fields have no date. */
function areOfOneDay(plan: Plan, fields: readonly number[], slots: Slots): boolean {
  const dates = fields.flatMap((slot) => {
    const date = plan.scales[(plan.fields[slot] as FieldPlan).scale]?.dateSlot
    return date !== undefined && slots.stateOf(date) === STATE.valid ? [slots.valueOf(date)] : []
  })
  return new Set(dates).size <= 1
}

export function doMeet(one: IntervalDefinition, other: IntervalDefinition): boolean {
  if (one.is !== undefined || other.is !== undefined) return one.is === other.is
  return startsBeforeEnd(one, other) && startsBeforeEnd(other, one)
}

function startsBeforeEnd({ from, above }: IntervalDefinition, { to, below }: IntervalDefinition): boolean {
  const start = from ?? above ?? -Infinity
  const end = to ?? below ?? Infinity
  return above === undefined && below === undefined ? start <= end : start < end
}
