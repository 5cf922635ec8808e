/** The column `notices` of the printed SQL says in DuckDB and PostgreSQL what the engine says of the same rows. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NOTICE_CODES, type NoticeOptions } from '../../src/engine/explain/notices.ts'
import { fieldsOf } from '../../src/definition/check/check-contradictions.ts'
import { type Conversions, makePlan } from '../../src/engine/plan.ts'
import { Random } from '../fuzz/random.ts'
import { DEFINITIONS, MODELS, catalogueModel } from './cases.ts'
import { type Case, engineResults, randomCase } from './compare.ts'
import { useEngines } from './engines.ts'
import { type Value, randomTable } from './rows.ts'

/** notices.slow.test.ts has more rows, and every option for every model. */
const ROWS = 100
const OPTIONS: readonly NoticeOptions[] = [{}, { assessmentDays: 4_000 }, { assessmentDays: null }]
const { agree, found } = useEngines()

/** The fields that a clinical file declares incompatible, one list for each quantity and rule. */
const DECLARED = (DEFINITIONS.contradictions ?? []).flatMap(({ quantities = {}, rules = [] }) => [
  ...Object.values(quantities).map(({ fields }) => Object.keys(fields)),
  ...rules.map(({ all }) => all.flatMap(fieldsOf)),
])

describe('random tables', () => {
  for (const [index, model] of MODELS.entries()) {
    test(model.id, async () => {
      const notices = OPTIONS[index % OPTIONS.length] ?? {}
      await agree({ ...randomCase(DEFINITIONS, model, index + 1, ROWS), notices })
    })
  }
})

/** A table that holds the fields that contradict each other, with their dates. */
function contradictory(seed: number): Case {
  const random = new Random(seed)
  const model = catalogueModel('profund')
  const plan = makePlan(DEFINITIONS, model)
  const names = DECLARED.slice(seed * 4, seed * 4 + 4).flat()
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

describe('fields that contradict each other', () => {
  const sets = Math.ceil(DECLARED.length / 4)
  for (let seed = 0; seed < sets; seed++) test(`set ${seed + 1} of ${sets}`, () => agree(contradictory(seed)))
})

test('a value that is received in another unit', async () => {
  const model = catalogueModel('hospital')
  const units = DEFINITIONS.units?.get('haemoglobin') ?? assert.fail()
  const conversions: Conversions = Object.fromEntries(
    Object.entries(units.others).map(([unit, { times = 1, per = 1 }]) => {
      return ['haemoglobin', { unit, own: units.unit, times, per }]
    }),
  )
  for (const each of [{}, conversions])
    await agree({ ...randomCase(DEFINITIONS, model, 5, ROWS), notices: {}, conversions: each })
})

test('the rows of these tests have every code, and a query without one of them is found out', async () => {
  const cases = [
    ...MODELS.map((model) => ({ ...randomCase(DEFINITIONS, model, 1, ROWS), notices: {} })),
    contradictory(0),
  ]
  const codes = new Map(
    cases.flatMap((given) =>
      engineResults(given).flatMap(({ notices = [] }) => notices.map(({ code }) => [code, given] as const)),
    ),
  )
  assert.deepEqual([...codes.keys()].sort(), [...NOTICE_CODES].sort())
  for (const [code, given] of codes) {
    const all = await found(given, (query) => query.replaceAll(`; ${code}:`, '; other:'))
    assert.ok(
      all.every((differing) => differing.length > 0),
      code,
    )
  }
})
