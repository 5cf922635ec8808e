/** The databases in which printed SQL is compared with the engine. */
import assert from 'node:assert/strict'
import { after, afterEach, before } from 'node:test'
import { type Dialect, duckdb, postgres } from '../../src/sql/dialect.ts'
import { type Case, differences, printFor } from './compare.ts'
import { type Database, openDuckDb } from './duckdb.ts'
import { needsPostgres, useDatabases, whyNoPostgres } from '../../../../test/support/postgres-server.ts'
import { openPostgres } from './postgres.ts'

export interface Engines {
  /** What differs in each database; `spoil` adds a defect to the query first. */
  readonly found: (given: Case, spoil?: (query: string) => string) => Promise<readonly (readonly string[])[]>
  /** Fails where a risk or a message differs in one of them. */
  readonly agree: (given: Case) => Promise<void>
}

/** Opens the databases before the tests of a file and closes them afterwards. Without PostgreSQL a test compares in DuckDB alone. */
export function useEngines(): Engines {
  let engines: readonly { readonly dialect: Dialect; readonly database: Database }[] = []
  after(() => Promise.all(engines.map(({ database }) => database.close())))
  const newDatabase = useDatabases()
  before(async () => {
    engines = [{ dialect: duckdb, database: await openDuckDb() }]
    if (whyNoPostgres() !== undefined) return
    engines = [...engines, { dialect: postgres, database: await openPostgres(await newDatabase()) }]
  })
  let hasCompared = false
  afterEach((context) => {
    const { skip } = needsPostgres()
    // What was compared agrees, but in one database only. A skipped test would hide its failure, so that one stays a failure.
    const { passed } = context as { readonly passed?: boolean }
    if (hasCompared && skip !== false && 'skip' in context && passed === true) context.skip(skip)
    hasCompared = false
  })
  const found: Engines['found'] = async (given, spoil = (query) => query) => {
    const all: (readonly string[])[] = []
    for (const { dialect, database } of engines) {
      await database.load('patients', given.table)
      all.push(differences(given, await database.rows(spoil(printFor(given, dialect, 'patients')))))
    }
    hasCompared = true
    return all
  }
  return {
    found,
    async agree(given) {
      for (const [place, differing] of (await found(given)).entries()) {
        const shown = differing.slice(0, 3).join('\n')
        assert.equal(differing.length, 0, `${engines[place]?.dialect.name}:\n${shown}`)
      }
    },
  }
}
