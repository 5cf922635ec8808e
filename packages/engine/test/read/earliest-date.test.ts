/** A date before 01-01-1900 is out of range in every reader of the engine: objects, bytes, lines and SQL. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createScorer } from '../../src/scorer.ts'
import type { ColumnType } from '../../src/sql/read-field.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { DAYS, EXPECTED, PATIENT, RECORDS, problemOf } from '../../../../test/support/earliest-date.ts'
import { catalogueModel } from '../sql/cases.ts'
import { type Case, engineResults } from '../sql/compare.ts'
import { useEngines } from '../sql/engines.ts'
import { OPTIONS, TODAY } from '../../../../test/support/small-definitions.ts'

const catalog = testCatalog()
const model = catalogueModel('readmission30')
const { agree } = useEngines()

function resultsIn(text: string): unknown {
  return JSON.parse(text)
}

for (const reader of ['reference', 'bytes'] as const) {
  const scorer = createScorer(catalog.definitions, model, { ...OPTIONS, reader })

  test(`${reader}: an array of records`, () => {
    const { bytes } = scorer.score(Buffer.from(JSON.stringify(RECORDS)), TODAY)
    assert.deepEqual(resultsIn(Buffer.from(bytes).toString()), EXPECTED)
  })

  test(`${reader}: one record each, and validate`, () => {
    for (const [at, record] of RECORDS.entries()) {
      const body = Buffer.from(JSON.stringify([record]))
      assert.deepEqual(resultsIn(Buffer.from(scorer.score(body, TODAY).bytes).toString()), [EXPECTED[at]])
      const valid = { idx: at, valid: true, error_message: EXPECTED[at]?.error_message }
      assert.deepEqual(resultsIn(Buffer.from(scorer.validate(body, TODAY).bytes).toString()), [valid])
    }
  })

  test(`${reader}: lines`, () => {
    const lines = RECORDS.map((record) => `${JSON.stringify(record)}\n`).join('')
    const { bytes } = scorer.lines.score(Buffer.from(lines), TODAY, { first: 0, duplicates: new Set() })
    const text = Buffer.from(bytes).toString().trim().replaceAll('\n', ',')
    assert.deepEqual(resultsIn(`[${text}]`), EXPECTED)
  })
}

for (const type of ['cell', 'text', 'date'] as const satisfies readonly ColumnType[]) {
  test(`SQL: a column of type ${type} in DuckDB and PostgreSQL`, async () => {
    const columns = Object.keys(PATIENT).map((name) => {
      return { name, type: name === 'sex' ? ('text' as const) : ('integer' as const) }
    })
    const given: Case = {
      definitions: catalog.definitions,
      model,
      output: { kind: 'number' },
      table: {
        columns: [{ name: 'idx', type: 'integer' }, ...columns, { name: 'barthel_date', type }],
        rows: DAYS.map(([day, isoDay], idx) => [
          idx,
          ...Object.values(PATIENT),
          type === 'date' ? isoDay : day,
        ]),
      },
    }
    const expected = DAYS.map(([, , isEarly], idx) => (isEarly ? [problemOf(idx)] : null))
    // The tests of SQL have a day of their own, on which the last of these lies in the future.
    assert.deepEqual(
      engineResults(given)
        .slice(0, -1)
        .map(({ error_message }) => error_message),
      expected.slice(0, -1),
    )
    await agree(given)
  })
}
