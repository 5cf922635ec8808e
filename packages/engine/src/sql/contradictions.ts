/**
 * Fields of a row that cannot both be true, as the clinical files declare them. Only values that are given and valid count, and
 * points of readings that are.
 */
import { fieldsOfCondition } from '../definition/condition-fields.ts'
import type {
  ConditionDefinition,
  IntervalDefinition,
  QuantityDefinition,
} from '../definition/contradictions.ts'
import { numberIn } from '../definition/domain.ts'
import { and as both, areApart, value } from '../expression/build.ts'
import { doMeet } from '../explain/contradictions.ts'
import { SAME } from '../judge/lower-scale.ts'
import type { Definitions, FieldPlan } from '../plan/plan.ts'
import { STATE } from '../plan/slots.ts'
import { FALSE, type Sql, TRUE, and, not, or, sql } from './fragment.ts'
import { Printer } from './print-expression.ts'
import type { Query } from './query.ts'
import { ABSENT, type Slot, type SlotList, isIn, isUsable } from './slot.ts'

/** Something to say about a field of a row. */
export interface SqlNote {
  readonly place: number
  readonly holds: Sql
}

interface Row {
  readonly query: Query
  readonly slots: SlotList
}

export function findContradictions(row: Row & { readonly definitions: Definitions }): readonly SqlNote[] {
  return (row.definitions.contradictions ?? []).flatMap(({ quantities = {}, rules = [] }) => [
    ...Object.values(quantities).flatMap((quantity) => findInQuantity(row, quantity)),
    ...rules.flatMap((rule) => {
      const conditions = rule.all.map((condition) => conditionSql(row, condition))
      const named = rule.all.flatMap(fieldsOfCondition).map((name) => row.query.placeOf(name))
      return findInRule(row, and(...conditions), named, rule.sameDay === true)
    }),
  ])
}

interface Said {
  readonly place: number
  readonly value: Sql
  /** What each value says; undefined where the field holds the quantity itself. */
  readonly intervals: ReadonlyMap<number, IntervalDefinition> | undefined
}

/** A field contradicts one before it where what they say does not meet. */
function findInQuantity(row: Row, { fields, sameDay }: QuantityDefinition): readonly SqlNote[] {
  const said = Object.entries(fields).map(([name, meanings]): Said => {
    const place = row.query.placeOf(name)
    const { ownDomain } = row.query.plan.fields[place] as FieldPlan
    const intervals = Object.entries(meanings === 'value' ? {} : meanings).map(
      ([key, interval]) => [numberIn(ownDomain, key) ?? Number.NaN, interval] as const,
    )
    const value = (row.slots[place] as Slot).value
    return { place, value, intervals: meanings === 'value' ? undefined : new Map(intervals) }
  })
  said.sort((a, b) => a.place - b.place)
  return said.map((field, index) => {
    const others = said.slice(0, index).map((other) => {
      const areGiven = and(isThere(row, field.place), isThere(row, other.place))
      const isOneDay = sameDay === true ? areOfOneDay(row, [field.place, other.place], isThere) : TRUE
      return areGiven === FALSE ? FALSE : and(areGiven, isOneDay, doNotMeet(row, field, other))
    })
    return { place: field.place, holds: or(...others) }
  })
}

function doNotMeet(row: Row, one: Said, other: Said): Sql {
  const { query } = row
  if (one.intervals === undefined)
    return other.intervals === undefined ? sql`${one.value} <> ${other.value}` : doNotMeet(row, other, one)
  const apart = [...one.intervals].map(([value, own]) => {
    const { above, from, below, to } = own
    const theirs = [...(other.intervals ?? [])].filter(([, its]) => !doMeet(own, its))
    const isApart =
      other.intervals === undefined
        ? query.compare(other.value, { '<=': above, '<': from, '>=': below, '>': to })
        : theirs.map(([its]) => sql`${other.value} = ${query.double(its)}`)
    return and(sql`${one.value} = ${query.double(value)}`, or(...isApart))
  })
  return or(...apart)
}

/** A rule that holds is told of the last of its fields that the row gives. */
function findInRule(row: Row, holds: Sql, named: readonly number[], sameDay: boolean): readonly SqlNote[] {
  const places = [...new Set(named)].sort((a, b) => b - a)
  const all = and(holds, sameDay ? areOfOneDay(row, places) : TRUE)
  return places.map((place, index) => {
    const later = places.slice(0, index).map((each) => not(isGiven(row, each)))
    return { place, holds: and(all, isGiven(row, place), ...later) }
  })
}

function conditionSql(row: Row, condition: ConditionDefinition): Sql {
  const places = fieldsOfCondition(condition).map((name) => row.query.placeOf(name))
  const given = places.map((place) => isGiven(row, place))
  const [first = ABSENT, second = ABSENT] = places.map((place) => row.slots[place] as Slot)
  switch (condition.kind) {
    case 'anyGiven':
      return or(...given)
    case 'aboveField':
      return and(...given, sql`${first.value} > ${second.value}`)
    case 'differsFromRules': {
      const { plan } = row.query
      const [place = -1] = places
      const { forms = [] } = plan.scales[plan.fields[place]?.scale ?? -1] ?? {}
      const rules = forms.flatMap(({ computed }) => computed).find(({ target }) => target === place)
      if (rules === undefined || given[0] === FALSE) return FALSE
      const differs = both(rules.isComplete, areApart(rules.figure, value(place), SAME))
      return and(...given, new Printer(row.query, row.slots, [differs]).condition(differs))
    }
    case 'values': {
      const { ownDomain } = row.query.plan.fields[places[0] as number] as FieldPlan
      const values = condition.values.flatMap((value) => numberIn(ownDomain, String(value)) ?? [])
      return and(...given, or(...values.map((value) => sql`${first.value} = ${row.query.double(value)}`)))
    }
  }
}

function isGiven({ slots }: Row, place: number): Sql {
  return isIn(slots[place] as Slot, STATE.valid)
}

/** Whether a field is given, or its points follow from a reading that is. */
function isThere({ slots }: Row, place: number): Sql {
  return isUsable(slots[place] as Slot)
}

/** Whether the dates of the scales of the fields that are given, as far as they are given too, are one. */
function areOfOneDay(row: Row, places: readonly number[], counts = isGiven): Sql {
  const dated = places.flatMap((place) => {
    const date = row.query.plan.scales[row.query.plan.fields[place]?.scale ?? -1]?.dateSlot
    if (date === undefined) return []
    return [{ date, isDated: and(counts(row, place), isGiven(row, date)) }]
  })
  const differ = dated.flatMap((one, index) =>
    dated.slice(0, index).flatMap((other) => {
      const [own, its] = [one, other].map(({ date }) => (row.slots[date] as Slot).value) as [Sql, Sql]
      return one.date === other.date ? [] : [and(one.isDated, other.isDated, sql`${own} <> ${its}`)]
    }),
  )
  return not(or(...differ))
}
