/** Random tables of every model, one after the other, in DuckDB and against the engine. */
import { duckdb } from '../../src/sql/dialect.ts'
import { DEFINITIONS, MODELS } from './cases.ts'
import { differences, printFor, randomCase } from './compare.ts'
import { openDuckDb } from './duckdb.ts'

const ROWS = 20_000

/** The exit code: 1 when a row differs. */
export async function fuzzSql(first: number, wanted: number): Promise<number> {
  const database = await openDuckDb()
  let rows = 0
  let seed = first
  process.stdout.write(`seed ${first}: ${wanted} rows on ${MODELS.length} models\n`)
  try {
    for (; rows < wanted; seed++) {
      for (const model of MODELS) {
        const given = randomCase(DEFINITIONS, model, seed, ROWS)
        await database.load('patients', given.table)
        const differing = differences(given, await database.rows(printFor(given, duckdb, 'patients')))
        rows += ROWS
        if (differing.length === 0) continue
        process.stdout.write(`seed ${seed}, ${model.id}: ${differing.length} rows differ\n${differing[0]}\n`)
        return 1
      }
      process.stdout.write(`${rows} rows, seed ${seed}\n`)
    }
    return 0
  } finally {
    await database.close()
  }
}
