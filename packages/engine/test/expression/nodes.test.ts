/** Every kind of node means the same to the engine, to DuckDB and to PostgreSQL: random expressions with none among their leaves. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import pg from 'pg'
import { compileCondition, compileNumber } from '../../src/expression/evaluate.ts'
import type { ConditionNode, Node, NumberNode } from '../../src/expression/node.ts'
import { makePlan } from '../../src/plan/plan.ts'
import { STATE } from '../../src/plan/slots.ts'
import { type Dialect, duckdb, postgres } from '../../src/sql/dialect.ts'
import { FALSE, type Sql, sql } from '../../src/sql/fragment.ts'
import { Printer } from '../../src/sql/print-expression.ts'
import { Query } from '../../src/sql/query.ts'
import { ABSENT, type Slot } from '../../src/sql/slot.ts'
import { needsPostgres, useDatabases, whyNoPostgres } from '../../../../test/support/postgres-server.ts'
import { Random } from '../../../../test/support/random.ts'
import {
  ABSENT_SLOT,
  CONDITION_KINDS,
  MOST,
  NUMBER_KINDS,
  SLOTS,
  WHOLE_SLOT,
  anyReading,
  randomNode,
} from './random-nodes.ts'

const DEPTH = 4
/** `npm run test:all` has many more, with a random seed. */
const TREES = Number(process.env['EXPRESSIONS'] ?? 25)
const ROWS = 80
const TODAY = 20_260_131
const STATES = Object.values(STATE)

interface Row {
  readonly values: Float64Array
  readonly states: Uint8Array
}

const random = new Random(Number(process.env['SEED'] ?? 42))
const rows = Array.from({ length: ROWS }, (): Row => {
  const values = new Float64Array(SLOTS)
  const states = new Uint8Array(SLOTS)
  for (let slot = 0; slot < SLOTS; slot++) {
    const isGiven = slot !== ABSENT_SLOT && random.chance(0.85)
    const reading = slot === WHOLE_SLOT ? random.below(MOST + 1) : anyReading(random)
    values[slot] = isGiven ? reading : Number.NaN
    states[slot] = slot === ABSENT_SLOT ? STATE.absent : random.pick(STATES)
  }
  return { values, states }
})

const whole = { type: 'integer', from: 0, to: MOST, meaning: 'a test' } as const
const decimal = { type: 'decimal', from: -100, to: 100, meaning: 'a test' } as const
const fields = Array.from({ length: SLOTS }, (_, slot) => {
  return [`f${slot}`, slot === WHOLE_SLOT ? whole : decimal] as const
})
const plan = makePlan({ fields: new Map(fields), scales: [] })

/** The expressions as columns of one query. */
function queryFor(dialect: Dialect, nodes: readonly Node[]): string {
  const query = new Query(dialect, plan, `DATE '2026-01-31'`)
  const pos = query.define('pos', sql`pos`)
  const slots = Array.from({ length: SLOTS }, (_, slot): Slot => {
    if (slot === ABSENT_SLOT) return ABSENT
    const value = query.define('v', sql`${`v${slot}`}`)
    return { value, state: query.define('s', sql`${`s${slot}`}`), possible: new Set(STATES) }
  })
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

type Run = (query: string) => Promise<readonly Readonly<Record<string, unknown>>[]>
const databases: { readonly dialect: Dialect; readonly run: Run }[] = []
const closing: (() => Promise<void>)[] = []
// Before the server ends, which `useDatabases` sees to.
after(async () => {
  for (const close of closing) await close()
})
const newDatabase = useDatabases()

before(async () => {
  const printed = rows.map(({ values, states }, pos) => {
    const cells = [...values].map((value) => (Number.isNaN(value) ? 'NULL' : `CAST('${value}' AS TYPE)`))
    return `(${[pos, ...cells, ...states].join(', ')})`
  })
  const names = [...plan.fields.keys()]
  const table = (type: string): string =>
    `CREATE TABLE readings AS SELECT * FROM (VALUES ${printed.join(', ').replaceAll('TYPE', type)}) AS given (pos, ${names.map((at) => `v${at}`).join(', ')}, ${names.map((at) => `s${at}`).join(', ')})`
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  await connection.run(table('DOUBLE'))
  databases.push({
    dialect: duckdb,
    run: async (query) => (await connection.runAndReadAll(query)).getRowObjectsJS(),
  })
  closing.push(() => {
    connection.closeSync()
    instance.closeSync()
    return Promise.resolve()
  })
  if (whyNoPostgres() !== undefined) return
  const client = new pg.Client({ connectionString: await newDatabase() })
  await client.connect()
  closing.push(() => client.end())
  await client.query(table('float8'))
  databases.push({
    dialect: postgres,
    run: async (query) => (await client.query<Record<string, unknown>>(query)).rows,
  })
})

for (const kind of [...NUMBER_KINDS, ...CONDITION_KINDS]) {
  test(`${kind}: ${TREES} random expressions`, async () => {
    const nodes = Array.from({ length: TREES }, (_, seed) => randomNode(kind, new Random(seed + 1), DEPTH))
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

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value) + 0
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
