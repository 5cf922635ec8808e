/** Every contradiction, and every code of a notice, is printed by SQL as the engine says it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { RECORD_NOTICE_CODES } from '../../src/rules/notice-rules.ts'
import { DEFINITIONS, MODELS } from './cases.ts'
import { engineResults, randomCase } from './compare.ts'
import { CONTRADICTORY_TABLES, contradictory } from './contradictory.ts'
import { useEngines } from './engines.ts'

const ROWS = 100
const { agree, found } = useEngines()

describe('fields that contradict each other', () => {
  for (let seed = 0; seed < CONTRADICTORY_TABLES; seed++)
    test(`table ${seed + 1}`, () => agree(contradictory(seed)))
})

test('the rows of these tests have every code, and a query without one of them is found out', async () => {
  const cases = [
    ...MODELS.map((model) => ({ ...randomCase(DEFINITIONS, model, 1, ROWS), notices: {} })),
    contradictory(0),
  ]
  const codes = new Map(
    cases.flatMap((given) =>
      engineResults(given).flatMap(({ notices = [] }) => notices.map(({ code }) => [code, given] as const)),
    ),
  )
  assert.deepEqual([...codes.keys()].sort(), [...RECORD_NOTICE_CODES].sort())
  for (const [code, given] of codes) {
    const all = await found(given, (query) => query.replaceAll(`; ${code}:`, '; other:'))
    assert.ok(
      all.every((differing) => differing.length > 0),
      code,
    )
  }
})
