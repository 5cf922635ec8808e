/** Random tables of every model in DuckDB and PostgreSQL, other ones in each run: a large one, and many sets of columns. */
import { test } from 'node:test'
import { DEFINITIONS, MODELS } from './cases.ts'
import { randomCase } from './compare.ts'
import { useEngines } from './engines.ts'

/** Few large tables: to print and plan a statement takes longer than its rows. */
const ROWS = 7_000
const FIRST_SEED = Number(process.env['SEED'] ?? 101)

const { agree } = useEngines()

/** Faults of the printed text depend on which columns there are, not on how many rows. */
const COLUMN_SETS = 4
const FEW_ROWS = 40

for (const model of MODELS) {
  test(`${model.id}: ${COLUMN_SETS} sets of columns from seed ${FIRST_SEED}`, async () => {
    for (let seed = FIRST_SEED + 1; seed <= FIRST_SEED + COLUMN_SETS; seed++) {
      await agree(randomCase(DEFINITIONS, model, seed, FEW_ROWS))
    }
  })

  test(`${model.id}: ${ROWS} rows of seed ${FIRST_SEED}`, () =>
    agree(randomCase(DEFINITIONS, model, FIRST_SEED, ROWS)))
}
