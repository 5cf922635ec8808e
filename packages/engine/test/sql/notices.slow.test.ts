/** The column `notices` of the printed SQL on larger random tables: every model with every limit on the age of an assessment. */
import { test } from 'node:test'
import type { NoticeOptions } from '../../src/rules/notice-rules.ts'
import { DEFINITIONS, MODELS } from './cases.ts'
import { randomCase } from './compare.ts'
import { useEngines } from './engines.ts'

const ROWS = 500
const OPTIONS: readonly NoticeOptions[] = [{}, { assessmentDays: 4_000 }, { assessmentDays: null }]
const { agree } = useEngines()
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000))

for (const model of MODELS) {
  test(`${model.id} (SEED=${seed})`, async () => {
    for (const [more, notices] of OPTIONS.entries())
      await agree({ ...randomCase(DEFINITIONS, model, seed + more, ROWS), notices })
  })
}
