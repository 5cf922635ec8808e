/** Items that follow from readings: the same from the reference, the byte reader and printed SQL. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createScorer } from '../../src/engine/scorer.ts'
import type { ScaleDefinition } from '../../src/definition/scale.ts'
import { Random } from '../fuzz/random.ts'
import { useEngines } from '../sql/engines.ts'
import type { Value } from '../sql/rows.ts'
import { testCatalog } from '../serve.ts'
import {
  CDR_LEVELS,
  CDR_PARTS,
  type Reading,
  readingModel,
  readingRecord,
  scalesWithReadings,
} from './reading-models.ts'

const catalog = testCatalog()
const { definitions } = catalog

const ROWS = 3_000
const OPTIONS = { reportUnknown: false, maxRecords: ROWS, maxDepth: 8, maxKeys: 1_024, maxLineBytes: 1 << 20 }

const { agree } = useEngines()
for (const [place, scale] of scalesWithReadings(catalog).entries()) {
  const model = readingModel(scale)
  const random = new Random(4_711 + place)
  const records = Array.from({ length: ROWS }, (_, idx) => ({ idx, ...readingRecord(random, scale) }))
  test(`${scale.id}: ${ROWS} records`, async () => {
    const body = Buffer.from(JSON.stringify(records))
    const [fast, slow] = (['bytes', 'reference'] as const).map((reader) => {
      const scorer = createScorer(definitions, model, { output: { kind: 'number' }, ...OPTIONS, reader })
      return Buffer.from(scorer.score(body, 20_260_131).bytes).toString()
    })
    assert.equal(fast, slow)
    const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
    const columns = names.map((name) => ({ name, type: 'cell' as const }))
    const rows = records.map((record) => names.map((name): Value => String((record as Reading)[name] ?? '')))
    await agree({ definitions, model, output: { kind: 'number' }, table: { columns, rows }, notices: {} })
  })
}
test('all boxes of the CDR', async () => {
  const scale = catalog.scales.get('cdr') as ScaleDefinition
  const rows: Value[][] = []
  for (let at = 0; at < 12_500; at++) {
    const boxes = [...Array(5).keys()].map((box) => CDR_LEVELS[Math.floor(at / 4 / 5 ** box) % 5] as number)
    rows.push([at, ...boxes, at % 4, at % 3 === 0 ? 1 : null])
  }
  const names = ['idx', ...CDR_PARTS.map((part) => `cdr_${part}`), 'cdr_global']
  const columns = names.map((name) => ({
    name,
    type: name === 'idx' ? ('integer' as const) : ('number' as const),
  }))
  await agree({
    definitions,
    model: readingModel(scale),
    output: { kind: 'number' },
    table: { columns, rows },
    notices: {},
  })
})
