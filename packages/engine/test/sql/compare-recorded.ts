/** Compares recorded statements with those of today on the same random tables. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { duckdb } from '../../src/sql/dialect.ts'
import { printFor } from './compare.ts'
import { type Database, type SqlRow, openDuckDb } from './duckdb.ts'
import { type Recorded, caseOf, knownDifferences, textOf } from './recorded.ts'

/** Finds the positions of the rows that the two statements answer in different ways; `spoil` adds a defect to today's. */
export type FindDiffering = (
  recorded: Recorded,
  rows: number,
  spoil?: (query: string) => string,
) => Promise<readonly number[]>

/** Opens DuckDB for the tests of a file. */
export function useRecorded(): FindDiffering {
  let database: Database
  before(async () => {
    database = await openDuckDb()
  })
  after(() => database.close())
  return async (recorded, rows, spoil = (query) => query) => {
    const given = caseOf(recorded, rows)
    await database.load('patients', given.table)
    const then = byPosition(await database.rows(textOf(recorded)))
    const now = byPosition(await database.rows(spoil(printFor(given, duckdb, 'patients'))))
    assert.equal(then.size, rows)
    assert.equal(now.size, rows)
    return [...then.keys()].filter((position) => then.get(position) !== now.get(position))
  }
}

/** A test for each statement: no row differs but those that are listed. */
export function agreeWithRecorded(
  statements: readonly Recorded[],
  rows: number,
  differing: FindDiffering,
): void {
  const known = knownDifferences()
  for (const recorded of statements) {
    test(`${recorded.name}: ${rows} rows as recorded`, async () => {
      const listed = known
        .filter(({ statement }) => statement === recorded.name)
        .flatMap(({ positions }) => positions.filter((position) => position < rows))
      assert.deepEqual(
        [...(await differing(recorded, rows))].sort((a, b) => a - b),
        listed.toSorted((a, b) => a - b),
      )
    })
  }
}

function byPosition(rows: readonly SqlRow[]): ReadonlyMap<number, string> {
  return new Map(rows.map((row) => [row.pos, JSON.stringify(row)]))
}
