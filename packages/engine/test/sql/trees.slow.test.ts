/** A hundred trees of depth 6 are exact in every database. */
import { test } from 'node:test'
import { DEFINITIONS } from './cases.ts'
import { randomCase } from './compare.ts'
import { useEngines } from './engines.ts'
import { trees } from './many-trees.ts'

const { agree } = useEngines()

test('100 trees of depth 6 give the same answers in DuckDB and PostgreSQL', () =>
  agree(randomCase(DEFINITIONS, trees(100), 1, 2_000)))
