/** Fields of a record that cannot both be true, as the clinical files declare them. */
import { fieldsOfCondition } from '../definition/condition-fields.ts'
import type {
  ConditionDefinition,
  ContradictionsDefinition,
  IntervalDefinition,
  QuantityDefinition,
} from '../definition/contradictions.ts'
import { numberIn } from '../definition/domain.ts'
import {
  ALWAYS,
  NEVER,
  and,
  areApart,
  compare,
  not,
  number,
  or,
  stateIn,
  value,
} from '../expression/build.ts'
import type { ConditionNode } from '../expression/node.ts'
import { SAME } from '../judge/lower-scale.ts'
import { isUsable } from '../plan/computation.ts'
import type { FieldPlan, Plan } from '../plan/plan.ts'
import { STATE, type Slots } from '../plan/slots.ts'
import { SENTENCES } from '../words/sentences.ts'
import type { Sentence } from '../words/words.ts'

/** Something to say about the field of a slot: the text of the first case whose condition holds. */
export interface FieldRule {
  readonly slot: number
  readonly cases: readonly {
    readonly when: ConditionNode
    readonly said: Sentence | ((slots: Slots) => Sentence)
  }[]
}

/**
 * What to say of contradictions. Only values that are given and valid count, and points of readings that are. Of two fields that
 * contradict each other it is said of the later one in the catalogue.
 */
export function contradictionRules(
  plan: Plan,
  files: readonly ContradictionsDefinition[],
): readonly FieldRule[] {
  return files.flatMap(({ quantities = {}, rules = [] }) => [
    ...Object.values(quantities).flatMap((quantity) => rulesOfQuantity(plan, quantity)),
    ...rules.flatMap((rule) => rulesOfRule(plan, rule)),
  ])
}

interface Said {
  readonly slot: number
  readonly name: string
  /** What each value says; undefined where the field holds the quantity itself. */
  readonly intervals: ReadonlyMap<number, IntervalDefinition> | undefined
}

function rulesOfQuantity(plan: Plan, { label, fields, sameDay }: QuantityDefinition): readonly FieldRule[] {
  const said = Object.entries(fields).map(([name, meanings]): Said => {
    const slot = slotOf(plan, name)
    const { ownDomain } = plan.fields[slot] as FieldPlan
    const intervals = Object.entries(meanings === 'value' ? {} : meanings).map(
      ([key, interval]) => [numberIn(ownDomain, key) ?? Number.NaN, interval] as const,
    )
    return { slot, name, intervals: meanings === 'value' ? undefined : new Map(intervals) }
  })
  said.sort((a, b) => a.slot - b.slot)
  return said.map((field, index) => ({
    slot: field.slot,
    // One contradiction is enough to say which field to look at.
    cases: said.slice(0, index).map((other) => ({
      when: and(
        isUsable(field.slot),
        isUsable(other.slot),
        sameDay === true ? areOfOneDay(plan, [field.slot, other.slot], isUsable) : ALWAYS,
        doNotMeet(field, other),
      ),
      said: {
        text: SENTENCES.contradiction,
        parts: {
          one: { field: other.name },
          other: { field: field.name },
          what: { phrase: `the ${label}` },
        },
      },
    })),
  }))
}

function doNotMeet(one: Said, other: Said): ConditionNode {
  if (one.intervals === undefined)
    return other.intervals === undefined
      ? not(compare(value(one.slot), '=', value(other.slot)))
      : doNotMeet(other, one)
  const apart = [...one.intervals].map(([held, own]) => {
    const isApart = other.intervals === undefined ? isOutside(other.slot, own) : isOneOf(other, own)
    return and(compare(value(one.slot), '=', number(held)), isApart)
  })
  return or(...apart)
}

/** Whether the quantity itself lies outside of an interval. */
function isOutside(slot: number, { above, from, below, to }: IntervalDefinition): ConditionNode {
  const ends = [
    ['<=', above],
    ['<', from],
    ['>=', below],
    ['>', to],
  ] as const
  const held = value(slot)
  return or(
    ...ends.flatMap(([operator, end]) => (end === undefined ? [] : compare(held, operator, number(end)))),
  )
}

/** Whether the field has a value that says something else than an interval. */
function isOneOf(
  { slot, intervals = new Map<number, IntervalDefinition>() }: Said,
  own: IntervalDefinition,
): ConditionNode {
  const theirs = [...intervals].filter(([, its]) => !doMeet(own, its))
  return or(...theirs.map(([its]) => compare(value(slot), '=', number(its))))
}

/** A rule that holds is reported at the last of its fields that the record gives. */
function rulesOfRule(
  plan: Plan,
  { all, text, sameDay }: NonNullable<ContradictionsDefinition['rules']>[number],
): readonly FieldRule[] {
  const named = all.flatMap(fieldsOfCondition).map((name) => slotOf(plan, name))
  const slots = [...new Set(named)].sort((a, b) => b - a)
  const isOneDay = sameDay === true ? areOfOneDay(plan, slots, isGiven) : ALWAYS
  const holds = and(...all.map((condition) => conditionNode(plan, condition)), isOneDay)
  return slots.map((slot, index) => {
    const later = slots.slice(0, index).map((each) => not(isGiven(each)))
    return { slot, cases: [{ when: and(isGiven(slot), ...later, holds), said: { text } }] }
  })
}

function isGiven(slot: number): ConditionNode {
  return stateIn(slot, STATE.valid)
}

function conditionNode(plan: Plan, condition: ConditionDefinition): ConditionNode {
  const slots = fieldsOfCondition(condition).map((name) => slotOf(plan, name))
  const [first = -1, second = -1] = slots
  const given = slots.map(isGiven)
  switch (condition.kind) {
    case 'anyGiven':
      return or(...given)
    case 'aboveField':
      return and(...given, compare(value(first), '>', value(second)))
    case 'differsFromRules': {
      const { forms = [] } = plan.scales[(plan.fields[first] as FieldPlan).scale] ?? {}
      const rules = forms.flatMap(({ computed }) => computed).find(({ target }) => target === first)
      if (rules === undefined) return NEVER
      return and(...given, rules.isComplete, areApart(rules.figure, value(first), SAME))
    }
    case 'values': {
      const { ownDomain } = plan.fields[first] as FieldPlan
      const numbers = condition.values.flatMap((each) => numberIn(ownDomain, String(each)) ?? [])
      return and(...given, or(...numbers.map((each) => compare(value(first), '=', number(each)))))
    }
  }
}

function slotOf(plan: Plan, name: string): number {
  return plan.slotByName.get(name) as number
}

/** Whether the dates of the scales of the fields that count, as far as they are given, are one. Other fields have no date. */
function areOfOneDay(
  plan: Plan,
  slots: readonly number[],
  counts: (slot: number) => ConditionNode,
): ConditionNode {
  const dated = slots.flatMap((slot) => {
    const date = plan.scales[(plan.fields[slot] as FieldPlan).scale]?.dateSlot
    return date === undefined ? [] : [{ date, isDated: and(counts(slot), isGiven(date)) }]
  })
  const differ = dated.flatMap((one, index) =>
    dated.slice(0, index).flatMap((other) => {
      if (one.date === other.date) return []
      return [and(one.isDated, other.isDated, not(compare(value(one.date), '=', value(other.date))))]
    }),
  )
  return not(or(...differ))
}

function doMeet(one: IntervalDefinition, other: IntervalDefinition): boolean {
  if (one.is !== undefined || other.is !== undefined) return one.is === other.is
  return startsBeforeEnd(one, other) && startsBeforeEnd(other, one)
}

function startsBeforeEnd({ from, above }: IntervalDefinition, { to, below }: IntervalDefinition): boolean {
  const start = from ?? above ?? -Infinity
  const end = to ?? below ?? Infinity
  return above === undefined && below === undefined ? start <= end : start < end
}
