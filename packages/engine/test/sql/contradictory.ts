/** Tables with fields that contradict each other. */
import { fieldsOfCondition } from '../../src/definition/condition-fields.ts'
import { makePlan } from '../../src/plan/plan.ts'
import { Random } from '../../../../test/support/random.ts'
import { DEFINITIONS, catalogueModel } from './cases.ts'
import type { Case } from './compare.ts'
import { type Value, randomTable } from './rows.ts'

const ROWS = 100
/** How many lists of fields a table has. */
const LISTS = 4
/** The fields that a clinical file declares incompatible, one list for each quantity and rule. */
const DECLARED = (DEFINITIONS.contradictions ?? []).flatMap(({ quantities = {}, rules = [] }) => [
  ...Object.values(quantities).map(({ fields }) => Object.keys(fields)),
  ...rules.map(({ all }) => all.flatMap(fieldsOfCondition)),
])

/** Every contradiction is in one of so many tables. */
export const CONTRADICTORY_TABLES = Math.ceil(DECLARED.length / LISTS)

/** A table that holds the fields that contradict each other, with their dates; of all its lists, or of the first ones. */
export function contradictory(seed: number, lists = LISTS): Case {
  const random = new Random(seed)
  const model = catalogueModel('profund')
  const plan = makePlan(DEFINITIONS, model)
  const names = DECLARED.slice(seed * LISTS, seed * LISTS + lists).flat()
  const dates = names.flatMap((name) => {
    const scale = plan.fields[plan.slotByName.get(name) ?? -1]?.scale ?? -1
    const date = plan.scales[scale]?.dateSlot
    return date === undefined ? [] : [plan.fields[date]?.name ?? '']
  })
  const table = randomTable(random, plan, model, ROWS, seed % 2 === 0, [...names, ...dates])
  // Days are few, so that some rows have one day for two scales.
  const place = new Set(dates.map((name) => table.columns.findIndex((column) => column.name === name)))
  const few = (value: Value): Value => (typeof value === 'string' ? value.replace(/\d{4}/, '2024') : value)
  const sameYear = table.rows.map((row) => row.map((value, at) => (place.has(at) ? few(value) : value)))
  const short = sameYear.map((row) =>
    row.map((value, at) => (place.has(at) && random.chance(0.5) ? (sameYear[0]?.[at] ?? null) : value)),
  )
  return {
    definitions: DEFINITIONS,
    model,
    output: { kind: 'number' },
    table: { ...table, rows: short },
    notices: {},
  }
}
