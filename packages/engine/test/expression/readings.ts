/** Rows of random readings with states, as the engine and as the databases of a test hold them. */
import { after, before } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import pg from 'pg'
import { makePlan } from '../../src/plan/plan.ts'
import { STATE } from '../../src/plan/slots.ts'
import { type Dialect, duckdb, postgres } from '../../src/sql/dialect.ts'
import { sql } from '../../src/sql/fragment.ts'
import type { Query } from '../../src/sql/query.ts'
import { ABSENT, type Slot } from '../../src/sql/slot.ts'
import { useDatabases, whyNoPostgres } from '../../../../test/support/postgres-server.ts'
import { Random } from '../../../../test/support/random.ts'
import { ABSENT_SLOT, MOST, SLOTS, WHOLE_SLOT, anyReading } from './random-nodes.ts'

const ROWS = 80
export const STATES = Object.values(STATE)

export interface Row {
  readonly values: Float64Array
  readonly states: Uint8Array
}

const random = new Random(Number(process.env['SEED'] ?? 42))
export const rows: readonly Row[] = Array.from({ length: ROWS }, (): Row => {
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
export const plan = makePlan({ fields: new Map(fields), scales: [] })

/** The readings as columns of a query. */
export function readSlots(query: Query): Slot[] {
  return Array.from({ length: SLOTS }, (_, slot): Slot => {
    if (slot === ABSENT_SLOT) return ABSENT
    const value = query.define('v', sql`${`v${slot}`}`)
    return { value, state: query.define('s', sql`${`s${slot}`}`), possible: new Set(STATES) }
  })
}

export interface ReadingsDatabase {
  readonly dialect: Dialect
  readonly run: (query: string) => Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** The table `readings` in DuckDB and, where it can run, in PostgreSQL; they are there when the tests of the file begin. */
export function useReadings(): readonly ReadingsDatabase[] {
  const databases: ReadingsDatabase[] = []
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
  return databases
}

/** A number of a database; null for NULL. */
export function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value) + 0
}
