/** Random changes of slots mean the same to the engine, to DuckDB and to PostgreSQL: states, values and second figures. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Assignable,
  type Assignment,
  type Change,
  type Step,
  compileSteps,
} from '../../src/expression/assignment.ts'
import { and, choose, number, stateIn } from '../../src/expression/build.ts'
import { compileNumber } from '../../src/expression/evaluate.ts'
import type { ConditionNode, NumberNode } from '../../src/expression/node.ts'
import type { ScaleSteps } from '../../src/judge/lower-scale.ts'
import type { Dialect } from '../../src/sql/dialect.ts'
import { type Sql, sql } from '../../src/sql/fragment.ts'
import { reconcileScale } from '../../src/sql/print-assignment.ts'
import { Query } from '../../src/sql/query.ts'
import { Random } from '../../../../test/support/random.ts'
import { ABSENT_SLOT, CONDITION_KINDS, NUMBER_KINDS, SLOTS, WHOLE_SLOT, randomNode } from './random-nodes.ts'
import { type Row, STATES, numberOrNull, plan, readSlots, rows, useReadings } from './readings.ts'

const PROGRAMS = 12
const DEPTH = 2
const TODAY = 20_260_131
/** Every slot but the one that no row has: nothing is assigned to a field without a column. */
const ASSIGNED = Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) => slot !== ABSENT_SLOT)

function anyNumber(random: Random): NumberNode {
  return randomNode(random.pick(NUMBER_KINDS), random, DEPTH) as NumberNode
}

function anyCondition(random: Random): ConditionNode {
  return randomNode(random.pick(CONDITION_KINDS), random, DEPTH) as ConditionNode
}

function anyChange(random: Random, slot: number): Change {
  // As most changes are: something of the slot's own state, which the engine asks first.
  const own = stateIn(slot, ...Array.from({ length: 1 + random.below(8) }, () => random.pick(STATES)))
  const condition = anyCondition(random)
  return {
    when: random.chance(0.6) ? and(own, condition) : condition,
    ...(random.chance(0.6) && { state: random.pick(STATES) }),
    // The tables of logarithms know the values of the slot's own range alone.
    ...(slot !== WHOLE_SLOT && random.chance(0.6) && { value: anyNumber(random) }),
    ...(random.chance(0.5) && { disagreement: anyNumber(random) }),
  }
}

function anyStep(random: Random): Step {
  const slots = ASSIGNED.filter(() => random.chance(0.5))
  return slots.map((slot): Assignment => {
    return { slot, changes: Array.from({ length: 1 + random.below(3) }, () => anyChange(random, slot)) }
  })
}

function anySteps(random: Random): readonly Step[] {
  return Array.from({ length: 1 + random.below(3) }, () => anyStep(random))
}

/** Steps of two forms, and of a record that is in neither; the form is known beforehand or follows from the record. */
function anyProgram(seed: number): ScaleSteps {
  const random = new Random(seed)
  const forms = [anySteps(random), anySteps(random)]
  const undeclared = anySteps(random)
  const known = number(random.pick([0, 1, -1]))
  const form = random.chance(0.4)
    ? known
    : choose(
        [
          { when: anyCondition(random), then: number(0) },
          { when: anyCondition(random), then: number(1) },
        ],
        number(-1),
      )
  return { form, forms: forms.map((steps) => () => steps), undeclared: () => undeclared }
}

type Result = readonly (number | null)[]

/** The state, the value and the second figure of each slot. */
function engineGives({ form, forms, undeclared }: ScaleSteps, row: Row): Result {
  const values = Float64Array.from(row.values)
  const states = Uint8Array.from(row.states)
  const figures = new Map<number, number>()
  const slots: Assignable = {
    values,
    states,
    set(slot, state, value) {
      states[slot] = state
      values[slot] = value
    },
    disagree: (slot, figure) => figures.set(slot, figure),
  }
  const steps = (forms[compileNumber(form)(values, states, TODAY)] ?? undeclared)()
  compileSteps(steps)(slots, TODAY)
  return ASSIGNED.flatMap((slot) => [
    states[slot] ?? null,
    orNull(values[slot] ?? Number.NaN),
    orNull(figures.get(slot) ?? Number.NaN),
  ])
}

function orNull(figure: number): number | null {
  return Number.isNaN(figure) ? null : figure + 0
}

function queryFor(dialect: Dialect, program: ScaleSteps): string {
  const query = new Query(dialect, plan, dialect.date('2026-01-31'))
  const pos = query.define('pos', sql`pos`)
  const slots = readSlots(query)
  reconcileScale(query, program, [...slots.keys()], slots)
  const asNumber = (part: Sql): Sql => query.define('x', sql`CAST(${part} AS ${dialect.doubleType})`)
  const columns = ASSIGNED.flatMap((slot) => {
    const { state, value, disagreement = sql`NULL` } = slots[slot] ?? assert.fail()
    return [state, value, disagreement].map(asNumber)
  })
  const { text, last } = query.print('readings')
  const names = columns.map((column, place) => `${column.text} AS x${place}`)
  return `${text} SELECT ${names.join(', ')} FROM ${last} ORDER BY ${pos.text}`
}

const databases = useReadings()

test(`${PROGRAMS} random programs of steps`, async () => {
  let changed = 0
  for (let seed = 1; seed <= PROGRAMS; seed++) {
    const program = anyProgram(seed)
    const expected = rows.map((row) => engineGives(program, row))
    changed += expected.filter((result, place) => result[0] !== rows[place]?.states[0]).length
    for (const { dialect, run } of databases) {
      const found = await run(queryFor(dialect, program))
      const given = found.map((row) => (expected[0] ?? []).map((_, place) => numberOrNull(row[`x${place}`])))
      assert.deepEqual(given, expected, `${dialect.name}, seed ${seed}`)
    }
  }
  assert.ok(changed > PROGRAMS, 'the programs change slots')
})
