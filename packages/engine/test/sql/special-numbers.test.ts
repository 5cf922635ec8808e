/** Numbers without a literal: an edge of a tree may be infinite, and every database must take the query and give the engine's risks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import type { ModelDefinition } from '../../src/definition/model.ts'
import type { TreeDefinition } from '../../src/definition/term.ts'
import { nextUp } from '../../src/expression/double.ts'
import { DIALECTS, duckdb } from '../../src/sql/dialect.ts'
import { model } from '../../../../test/support/small-definitions.ts'
import { DEFINITIONS } from './cases.ts'
import { type Case, engineResults, printFor } from './compare.ts'
import { useEngines } from './engines.ts'

const { agree } = useEngines()

const SPECIAL = [Infinity, -Infinity, Number.NaN] as const
const LARGEST = Number.MAX_VALUE

test('DuckDB reads infinite numbers and NaN, alone and in lists', async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  try {
    const values = [...SPECIAL, 0, -0.5, LARGEST, -LARGEST, 5e-324]
    const columns = values.map((value, at) => `${duckdb.double(value)} AS c${at}`)
    const query = `SELECT ${columns.join(', ')}, ${duckdb.list(values)} AS l, typeof(${duckdb.double(Infinity)}) AS t`
    const [row] = (await connection.runAndReadAll(query)).getRowObjectsJS()
    assert.deepEqual(
      values.map((_, at) => row?.[`c${at}`]),
      values,
    )
    assert.deepEqual([row?.['l'], row?.['t']], [values, 'DOUBLE'])
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
})

test('infinity is the edge after the largest number, and stays itself', () => {
  assert.deepEqual([LARGEST, Infinity, -Infinity].map(nextUp), [Infinity, Infinity, -LARGEST])
})

/** As LightGBM writes splits that every value passes: not above the largest number, or above the smallest. */
const TREES: readonly TreeDefinition[] = [
  [{ field: 'age', upTo: LARGEST, then: 1, else: 2 }, 0.3, -0.9],
  [{ field: 'age', upTo: -LARGEST, then: 1, else: 2 }, -0.9, 0.2],
  [{ field: 'albumin', upTo: LARGEST, then: 1, else: 2, absent: 'else' }, 0.1, -0.4],
  [{ field: 'albumin', upTo: LARGEST, then: 1, else: 2, absent: 'then' }, 0.05, -0.6],
  [{ field: 'age', upTo: 80, then: 1, else: 2 }, -0.2, 0.2],
].map((tree) => tree as TreeDefinition)

const ROUNDINGS = ['none', 'value', 'both'] as const

function treesWith(rounding: (typeof ROUNDINGS)[number]): ModelDefinition {
  const inputs = { age: {}, albumin: { whenAbsent: null, why: 'a test' } }
  return model(inputs, [{ kind: 'trees', combine: 'sum', rounding, trees: [...TREES] }])
}

function caseOf(definition: ModelDefinition): Case {
  return {
    definitions: DEFINITIONS,
    model: definition,
    output: { kind: 'number' },
    table: {
      columns: [
        { name: 'idx', type: 'integer' },
        { name: 'age', type: 'integer' },
        { name: 'albumin', type: 'number' },
      ],
      rows: [
        [0, 80, 3.5],
        [1, 81, 3.5],
        [2, 80, null],
        [3, 0, 1],
        [4, null, 2],
      ],
    },
  }
}

for (const rounding of ROUNDINGS) {
  test(`an infinite edge in trees, rounding ${rounding}: DuckDB and PostgreSQL give the engine's risks`, async () => {
    const given = caseOf(treesWith(rounding))
    // All of them are 0.3 + 0.2 + 0.1 + 0.05 − 0.2 or + 0.2, and 0.3 + 0.2 − 0.4 + 0.05 − 0.2 without albumin.
    assert.deepEqual(
      engineResults(given).map(({ risk }) => risk),
      [0.6106, 0.7006, 0.4875, 0.6106, null],
    )
    await agree(given)
  })
}

for (const dialect of DIALECTS) {
  test(`${dialect.name}: no literal of a query is a word`, () => {
    const query = printFor(caseOf(treesWith('none')), dialect, 'patients')
    assert.match(query, /'Infinity'/)
    assert.doesNotMatch(query.replaceAll(/'-?(Infinity|NaN)'/g, "'1'"), /\b(Infinity|NaN)/)
  })
}
