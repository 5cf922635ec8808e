/** How large trees may be in SQL: those of depth 6 are exact in every database, and too many are refused with their size. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DIALECTS } from '../../src/sql/dialect.ts'
import { NotInSql } from '../../src/sql/not-in-sql.ts'
import { DEFINITIONS } from './cases.ts'
import { printFor, randomCase } from './compare.ts'
import { useEngines } from './engines.ts'
import { trees } from './many-trees.ts'

const { agree } = useEngines()

test('20 trees of depth 6 give the same answers in DuckDB and PostgreSQL', () =>
  agree(randomCase(DEFINITIONS, trees(20), 1, 300)))

const many = randomCase(DEFINITIONS, trees(2_000), 1, 1)
for (const dialect of DIALECTS) {
  test(`${dialect.name}: more than 40,000 splits are refused with their number`, () => {
    assert.throws(() => printFor(many, dialect, 'patients'), {
      name: NotInSql.name,
      message: /^The 2000 trees of the model have \d{5,6} splits, and a query has room for 40000\./,
    })
  })
}
