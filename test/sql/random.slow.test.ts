/** Twenty thousand random rows for each model, with bad values in every column, in DuckDB and PostgreSQL. */
import { test } from 'node:test'
import { KNOWLEDGE, MODELS } from './cases.ts'
import { randomCase } from './compare.ts'
import { useEngines } from './engines.ts'

const ROWS = 2_000
const FIRST_SEED = 101
const SEEDS = 10

const { agree } = useEngines()

for (const model of MODELS) {
  test(`${model.id}: ${ROWS * SEEDS} rows`, async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      await agree(randomCase(KNOWLEDGE, model, seed, ROWS))
    }
  })
}
