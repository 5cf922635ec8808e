/** Random readings: the same answers from the reference, the byte reader and printed SQL. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createScorer } from '../../src/scorer.ts'
import { Random } from '../../../../test/support/random.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { useEngines } from '../sql/engines.ts'
import type { Value } from '../sql/rows.ts'
import {
  type Reading,
  readingModel,
  readingRecord,
  scalesWithReadings,
} from '../../../../test/support/reading-models.ts'

const LIMITS = { reportUnknown: false, maxDepth: 8, maxKeys: 1_024, maxLineBytes: 1 << 20 }

export function agreeOnReadings(count: number): void {
  const catalog = testCatalog()
  const { definitions } = catalog
  describe('reference, byte reader and printed SQL agree', () => {
    const { agree } = useEngines()
    for (const [place, scale] of scalesWithReadings(catalog).entries()) {
      const model = readingModel(scale)
      const random = new Random(4_711 + place)
      const records = Array.from({ length: count }, (_, idx) => ({ idx, ...readingRecord(random, scale) }))
      test(`${scale.id}: ${count} records`, async () => {
        const body = Buffer.from(JSON.stringify(records))
        const [fast, slow] = (['bytes', 'reference'] as const).map((reader) => {
          const options = { output: { kind: 'number' }, ...LIMITS, maxRecords: count, reader } as const
          return Buffer.from(
            createScorer(definitions, model, options).score(body, 20_260_131).bytes,
          ).toString()
        })
        assert.equal(fast, slow)
        const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
        const columns = names.map((name) => ({ name, type: 'cell' as const }))
        const rows = records.map((record) =>
          names.map((name): Value => String((record as Reading)[name] ?? '')),
        )
        await agree({ definitions, model, output: { kind: 'number' }, table: { columns, rows }, notices: {} })
      })
    }
  })
}
