/** Ten times as many random readings of each scale as in the fast tests, and every combination of the boxes of the CDR. */
import { test } from 'node:test'
import type { ScaleDefinition } from '../../src/definition/scale.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { useEngines } from '../sql/engines.ts'
import type { Value } from '../sql/rows.ts'
import { CDR_LEVELS, CDR_PARTS, readingModel } from '../../../../test/support/reading-models.ts'
import { agreeOnReadings } from './readings-agree.ts'

const { definitions, scales } = testCatalog()
const { agree } = useEngines()

agreeOnReadings(3_000)

test('all boxes of the CDR', async () => {
  const scale = scales.get('cdr') as ScaleDefinition
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
