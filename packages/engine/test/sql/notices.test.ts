/** The column `notices` of the printed SQL says in DuckDB and PostgreSQL what the engine says of the same rows. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NoticeOptions } from '../../src/rules/notice-rules.ts'
import type { Conversions } from '../../src/plan/plan.ts'
import { CORE, DEFINITIONS, catalogueModel } from './cases.ts'
import { randomCase } from './compare.ts'
import { contradictory } from './contradictory.ts'
import { useEngines } from './engines.ts'

/** The slow tests have more rows, every model with every option, and every contradiction. */
const ROWS = 60
const OPTIONS: readonly NoticeOptions[] = [{}, { assessmentDays: 4_000 }, { assessmentDays: null }]
const { agree } = useEngines()

describe('random tables', () => {
  for (const [index, model] of CORE.entries()) {
    test(model.id, async () => {
      const notices = OPTIONS[index % OPTIONS.length] ?? {}
      await agree({ ...randomCase(DEFINITIONS, model, index + 1, ROWS), notices })
    })
  }
})

test('fields that contradict each other', () => agree(contradictory(0, 1)))

test('a value that is received in another unit', async () => {
  const model = catalogueModel('hospital')
  const units = DEFINITIONS.units?.get('haemoglobin') ?? assert.fail()
  const conversions: Conversions = Object.fromEntries(
    Object.entries(units.others).map(([unit, { times = 1, per = 1 }]) => {
      return ['haemoglobin', { unit, own: units.unit, times, per }]
    }),
  )
  for (const each of [{}, conversions])
    await agree({ ...randomCase(DEFINITIONS, model, 5, ROWS), notices: {}, conversions: each })
})
