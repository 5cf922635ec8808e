/** Every kind of node means the same to the engine, to DuckDB and to PostgreSQL: random expressions with none among their leaves. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compileCondition, compileNumber } from '../../src/expression/evaluate.ts'
import type { ConditionNode, Node, NumberNode } from '../../src/expression/node.ts'
import { type Dialect, duckdb, postgres } from '../../src/sql/dialect.ts'
import { FALSE, type Sql, sql } from '../../src/sql/fragment.ts'
import { Printer } from '../../src/sql/print-expression.ts'
import { Query } from '../../src/sql/query.ts'
import { ABSENT } from '../../src/sql/slot.ts'
import { needsPostgres } from '../../../../test/support/postgres-server.ts'
import { Random } from '../../../../test/support/random.ts'
import { CONDITION_KINDS, NUMBER_KINDS, SLOTS, WHOLE_SLOT, randomNode } from './random-nodes.ts'
import { type Row, numberOrNull, plan, readSlots, rows, useReadings } from './readings.ts'

const DEPTH = 4
/** `npm run test:all` has many more, with a random seed. */
const TREES = Number(process.env['EXPRESSIONS'] ?? 25)
const FIRST_SEED = Number(process.env['SEED'] ?? 1)
const TODAY = 20_260_131

/** The expressions as columns of one query. */
function queryFor(dialect: Dialect, nodes: readonly Node[]): string {
  const query = new Query(dialect, plan, `DATE '2026-01-31'`)
  const pos = query.define('pos', sql`pos`)
  const slots = readSlots(query)
  const columns = nodes.map((node): Sql => {
    const printer = new Printer(query, slots, [node])
    if (!isCondition(node))
      return query.define('x', sql`CAST(${printer.number(node)} AS ${dialect.doubleType})`)
    const condition = printer.condition(node)
    return query.define('x', sql`CASE WHEN ${condition} THEN 1 ELSE 0 END`)
  })
  const { text, last } = query.print('readings')
  const names = columns.map((column, place) => `${column.text} AS x${place}`)
  return `${text} SELECT ${names.join(', ')} FROM ${last} ORDER BY ${pos.text}`
}

function isCondition(node: Node): node is ConditionNode {
  const kinds: readonly string[] = CONDITION_KINDS
  return kinds.includes(node.kind)
}

/** What the engine gives; null for none. */
function engineGives(node: Node, { values, states }: Row): number | null {
  if (isCondition(node)) return Number(compileCondition(node)(values, states, TODAY))
  const found = compileNumber(node)(values, states, TODAY)
  return Number.isNaN(found) ? null : found + 0
}

const databases = useReadings()

for (const kind of [...NUMBER_KINDS, ...CONDITION_KINDS]) {
  test(`${kind}: ${TREES} random expressions`, async () => {
    const nodes = Array.from({ length: TREES }, (_, seed) =>
      randomNode(kind, new Random(FIRST_SEED + seed), DEPTH),
    )
    const expected = rows.map((row) => nodes.map((node) => engineGives(node, row)))
    for (const { dialect, run } of databases) {
      const found = await run(queryFor(dialect, nodes))
      const given = found.map((row) => nodes.map((_, place) => numberOrNull(row[`x${place}`])))
      for (const [place, node] of nodes.entries()) {
        const here = (list: readonly (readonly unknown[])[]) => list.map((row) => row[place])
        assert.deepEqual(here(given), here(expected), `${dialect.name}: ${JSON.stringify(node)}`)
      }
    }
  })
}

describe('the traps', () => {
  test('the negation of a comparison with none is true', needsPostgres(), async () => {
    const query = queryFor(postgres, [
      {
        kind: 'not',
        of: { kind: 'compare', operator: '<', left: NOTHING, right: { kind: 'number', value: 5 } },
      },
    ])
    assert.ok(query.includes('coalesce('))
    const [row] = (await databases[1]?.run(query)) ?? []
    assert.equal(row?.['x0'], 1)
  })

  test('a look-up of a fraction next to a whole number gives none', async () => {
    const node: NumberNode = {
      kind: 'lookup',
      of: { kind: 'number', value: 1 - 2 ** -53 },
      from: -1,
      table: [5, 6, 7],
    }
    assert.ok(Number.isNaN(compileNumber(node)(new Float64Array(0), new Uint8Array(0), TODAY)))
    for (const { dialect, run } of databases) {
      const [row] = await run(queryFor(dialect, [node]))
      assert.equal(numberOrNull(row?.['x0']), null, dialect.name)
    }
  })

  test('a choice with a logarithm that its branch does not read has a number although the slot has none', async () => {
    const node: NumberNode = {
      kind: 'choose',
      branches: [{ when: { kind: 'and', of: [] }, then: { kind: 'number', value: -2.5 } }],
      otherwise: { kind: 'log', of: { kind: 'value', slot: WHOLE_SLOT } },
    }
    assert.ok(rows.some(({ values }) => Number.isNaN(values[WHOLE_SLOT])))
    for (const { dialect, run } of databases) {
      const found = await run(queryFor(dialect, [node]))
      for (const row of found) assert.equal(numberOrNull(row['x0']), -2.5, dialect.name)
    }
  })

  test('a condition that is known is left out', () => {
    const slots = Array.from({ length: SLOTS }, () => ABSENT)
    const printer = new Printer(new Query(duckdb, plan, 'current_date'), slots)
    const never: ConditionNode = { kind: 'compare', operator: '<', left: NOTHING, right: NOTHING }
    assert.equal(printer.condition(never).text, FALSE.text)
  })
})

/** Without a value in every row, but not known to be so. */
const NOTHING: NumberNode = {
  kind: 'sqrt',
  of: { kind: 'subtract', left: { kind: 'number', value: -1 }, right: { kind: 'number', value: 1 } },
}
