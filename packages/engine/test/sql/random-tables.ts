/** The printed SQL gives the engine's risks and messages for random tables in DuckDB and PostgreSQL. */
import { describe, test } from 'node:test'
import type { ModelDefinition } from '../../src/definition/model.ts'
import { DEFINITIONS } from './cases.ts'
import { randomCase } from './compare.ts'
import { useEngines } from './engines.ts'

export function agreeOnRandomTables(
  models: readonly ModelDefinition[],
  rows: number,
  seeds: readonly number[],
): void {
  const { agree } = useEngines()
  describe('random tables', () => {
    for (const model of models) {
      test(`${model.id}: ${rows * seeds.length} rows`, async () => {
        for (const seed of seeds) await agree(randomCase(DEFINITIONS, model, seed, rows))
      })
    }
  })
}
