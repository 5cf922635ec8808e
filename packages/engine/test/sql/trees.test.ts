/** How large trees may be in SQL: a hundred of depth 6 are exact in every database, and too many are refused with their size. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DIALECTS } from '../../src/sql/dialect.ts'
import { NotInSql } from '../../src/sql/not-in-sql.ts'
import { treeModel } from '../../../../test/support/tree-models.ts'
import { loadForFuzz } from '../fuzz/deployments.ts'
import { Random } from '../../../../test/support/random.ts'
import { DEFINITIONS } from './cases.ts'
import { printFor, randomCase } from './compare.ts'
import { useEngines } from './engines.ts'

const catalog = loadForFuzz()
const { agree } = useEngines()

test('100 trees of depth 6 give the same answers in DuckDB and PostgreSQL', async () => {
  const model = treeModel(catalog, new Random(1), [
    'trees-hundred',
    { count: 100, depth: 6, rounding: 'both' },
  ])
  await agree(randomCase(DEFINITIONS, model, 1, 2_000))
})

for (const dialect of DIALECTS) {
  test(`${dialect.name}: more than 40,000 splits are refused with their number`, () => {
    const model = treeModel(catalog, new Random(1), ['trees-many', { count: 2_000, depth: 6 }])
    const given = randomCase(DEFINITIONS, model, 1, 1)
    assert.throws(() => printFor(given, dialect, 'patients'), {
      name: NotInSql.name,
      message: /^The 2000 trees of the model have \d{5,6} splits, and a query has room for 40000\./,
    })
  })
}
