/** The notices of a row as a text of codes and fields, `outside-data:age; assumed:stayDays`, from the definitions that the engine reads. */
import { scaleForms } from '../definition/scale-domains.ts'
import type { ModelDefinition } from '../definition/model.ts'
import type { ScaleDefinition } from '../definition/scale.ts'
import {
  type NoticeOptions,
  RECORD_NOTICE_CODES,
  type RecordNoticeCode,
  assessmentLimit,
} from '../explain/notices.ts'
import type { FormPlan, ScalePlan } from '../plan/plan-scale.ts'
import type { Definitions, FieldPlan } from '../plan/plan.ts'
import { STATE } from '../plan/slots.ts'
import { factorOf } from '../score/likely-unit.ts'
import type { CompiledModel } from '../score/model.ts'
import { type SqlNote, findContradictions } from './contradictions.ts'
import { FALSE, type Sql, and, join, not, or, sql, when } from './fragment.ts'
import { Printer } from './print-expression.ts'
import type { Query } from './query.ts'
import { ABSENT, type Slot, type SlotList, isIn, isUsable } from './slot.ts'

/** No assessment lies further back, and no database counts back before the year 1 as the others do. */
const MOST_DAYS = 700_000
/** Overflows end a query in some engines. No usual value is near it. */
const FAR = 1e290

export interface NoticeSource {
  readonly query: Query
  readonly definitions: Definitions
  readonly model: ModelDefinition
  readonly compiled: CompiledModel
  /** The fields of a row, reconciled. */
  readonly slots: SlotList
  /** Whether a problem keeps the row from being scored. */
  readonly isBlocked: Sql
}

/** NULL where there is nothing to say. */
export function noticesOf(source: NoticeSource, options: NoticeOptions): Sql {
  const { plan, dialect, define } = source.query
  const found: Readonly<Record<RecordNoticeCode, readonly SqlNote[]>> = {
    'outside-data': findOutsideData(source),
    assumed: findAssumed(source),
    'incomplete-scale': source.definitions.scales.map((scale, index) => findIncomplete(source, scale, index)),
    'old-assessment': source.definitions.scales.map((scale, index) => findOld(source, scale, index, options)),
    contradiction: findContradictions(source),
    'unit-doubt': findUnitDoubt(source),
  }
  const texts = RECORD_NOTICE_CODES.flatMap((code) =>
    found[code]
      .filter(({ holds }) => holds !== FALSE)
      .sort((a, b) => a.place - b.place)
      .map(({ place, holds }) => {
        const name = (plan.fields[place] as FieldPlan).name
        return when(holds, dialect.string(`; ${code}:${name}`), "''")
      }),
  )
  const all = define('t', join(texts, '\n        || ', "''"), 'notices')
  return sql`nullif(substr(${all}, 3), '')`
}

function inputsOf({ query, model, slots }: NoticeSource) {
  return Object.keys(model.inputs).map((name) => {
    const place = query.placeOf(name)
    return { name, place, slot: slots[place] as Slot }
  })
}

function findOutsideData(source: NoticeSource): readonly SqlNote[] {
  return inputsOf(source).flatMap(({ name, place, slot }) => {
    const seen = source.model.profile?.inputs[name]
    if (seen === undefined || 'codes' in seen) return []
    const beyond = source.query.compare(slot.value, { '<': seen.from, '>': seen.to })
    return [{ place, holds: and(isUsable(slot), or(...beyond)) }]
  })
}

function findAssumed({ compiled, slots, isBlocked }: NoticeSource): readonly SqlNote[] {
  return compiled.assumed.map(({ slot: place }) => {
    return { place, holds: and(not(isBlocked), not(isUsable(slots[place] as Slot))) }
  })
}

/** A given total that is the sum of some of its items. */
function findIncomplete({ query, slots }: NoticeSource, scale: ScaleDefinition, index: number): SqlNote {
  const own = query.plan.scales[index] as ScalePlan
  const place = query.placeOf(`${scale.id}_total`)
  const byForm = own.forms.map((form, at) => {
    const sum = form.totals.find(
      ({ target, fillsIn, comparesPartly }) => target === place && fillsIn && comparesPartly,
    )
    const total = scaleForms(scale)[at]?.total
    if (sum === undefined || total === undefined) return FALSE
    const isComplete = new Printer(query, slots, [sum.isComplete]).condition(sum.isComplete)
    const isGiven = or(...sum.parts.map((part) => isUsable(slots[part] as Slot)))
    return and(isWrittenIn(own, form, at, slots), isGiven, not(isComplete))
  })
  return { place, holds: and(isIn(slots[place] as Slot, STATE.valid), or(...byForm)) }
}

/** Whether the values of a scale are written in this form. */
function isWrittenIn(own: ScalePlan, form: FormPlan, at: number, slots: SlotList): Sql {
  const coding = slots[own.codingSlot]
  if (coding === undefined) return sql`TRUE`
  const isDefault = form === own.defaultForm ? isIn(coding, STATE.absent) : FALSE
  return or(isDefault, and(isIn(coding, STATE.valid), sql`${coding.value} = ${at}`))
}

function findOld(
  { query, slots }: NoticeSource,
  scale: ScaleDefinition,
  index: number,
  options: NoticeOptions,
): SqlNote {
  const place = (query.plan.scales[index] as ScalePlan).dateSlot
  const date = slots[place] as Slot
  const days = assessmentLimit(scale, options)
  if (date === ABSENT || days > MOST_DAYS) return { place, holds: FALSE }
  const { dialect, today } = query
  const sortable = (text: Sql): Sql => {
    const day = query.define('d', text)
    return query.define('d', sql`substr(${day}, 7, 4) || substr(${day}, 4, 2) || substr(${day}, 1, 2)`)
  }
  const limit = sortable(dialect.dateText(dialect.daysBefore(today, days)))
  return { place, holds: and(isIn(date, STATE.valid), sql`${sortable(date.value)} < ${limit}`) }
}

/** A value that is usual in another unit only. One out of range counts unless the model's stand-in takes its place. */
function findUnitDoubt(source: NoticeSource): readonly SqlNote[] {
  const { query, definitions, compiled, isBlocked } = source
  const { double } = query
  return inputsOf(source).flatMap(({ name, place, slot }) => {
    const units = definitions.units?.get(name)
    if (units === undefined) return []
    const isAssumable = compiled.assumed.some((each) => each.slot === place)
    const isWrong = isIn(slot, STATE.outOfRange)
    const isThere = or(isIn(slot, STATE.valid), isAssumable ? and(isWrong, isBlocked) : isWrong)
    const received = query.plan.fields[place]?.conversion?.unit ?? units.unit
    const written = sql`${slot.value} / ${double(factorOf(units, received))}`
    const isUsual = (unit: string): Sql =>
      sql`${written} * ${double(factorOf(units, unit))} BETWEEN ${double(units.usual.from)} AND ${double(units.usual.to)}`
    const inAny = [units.unit, ...Object.keys(units.others)].map(isUsual)
    const isDoubtful = and(not(isUsual(received)), or(...inAny))
    const isNear = and(isThere, sql`abs(${slot.value}) < ${double(FAR)}`)
    return [{ place, holds: isThere === FALSE ? FALSE : when(isNear, isDoubtful, FALSE) }]
  })
}
