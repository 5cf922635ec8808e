/** Other tables than those of exact.test.ts: twenty thousand random rows for each model in DuckDB and PostgreSQL. */
import { test } from 'node:test'
import { DEFINITIONS, MODELS } from './cases.ts'
import { randomCase } from './compare.ts'
import { useEngines } from './engines.ts'

/** Few large tables: to print and plan a statement takes longer than its rows. */
const ROWS = 7_000
const FIRST_SEED = Number(process.env['SEED'] ?? 101)
const SEEDS = 3

const { agree } = useEngines()

/** Faults of the printed text depend on which columns there are, not on how many rows. */
const COLUMN_SETS = 8
const FEW_ROWS = 40

for (const model of MODELS) {
  test(`${model.id}: ${COLUMN_SETS} sets of columns from seed ${FIRST_SEED}`, async () => {
    for (let seed = FIRST_SEED + SEEDS; seed < FIRST_SEED + SEEDS + COLUMN_SETS; seed++) {
      await agree(randomCase(DEFINITIONS, model, seed, FEW_ROWS))
    }
  })

  test(`${model.id}: ${ROWS * SEEDS} rows from seed ${FIRST_SEED}`, async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      await agree(randomCase(DEFINITIONS, model, seed, ROWS))
    }
  })
}
