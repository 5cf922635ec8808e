/** The printed SQL gives the engine's risks and messages for random tables in DuckDB and PostgreSQL. */
import { describe, test } from 'node:test'
import type { ModelDefinition } from '../../src/definition/model.ts'
import { DEFINITIONS } from './cases.ts'
import { randomCase } from './compare.ts'
import { useEngines } from './engines.ts'

/** Twenty thousand rows for each model; random.slow.test.ts has as many again in more tables. */
const ROWS = 5_000
const SEEDS = [1, 2, 3, 4]

export function agreeOnRandomTables(models: readonly ModelDefinition[]): void {
  const { agree } = useEngines()
  describe('random tables', () => {
    for (const model of models) {
      test(`${model.id}: ${ROWS * SEEDS.length} rows`, async () => {
        for (const seed of SEEDS) await agree(randomCase(DEFINITIONS, model, seed, ROWS))
      })
    }
  })
}
