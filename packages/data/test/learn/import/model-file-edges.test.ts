/** The bounds of reading a model file: below, at and above each. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { around, atLimit } from '../../../../../test/support/limits.ts'
import { readPmml } from '../../../src/learn/import/pmml/read-pmml.ts'
import { readXml } from '../../../src/learn/import/pmml/xml.ts'
import { readModelFile, refuseLarge } from '../../../src/learn/import/readers.ts'
import { ReadingBudget, refuseDeep, refuseFeatures } from '../../../src/learn/import/reading-budget.ts'
import { apply, chained, ref } from './hostile-files.ts'

const OPTIONS = { isDraft: true, mayBeAbsent: () => false, baseline: 0.5 }

/** Reads what is permitted, and refuses the rest with such a reason. */
function expectRead(read: () => unknown, isPermitted: boolean, reason: RegExp): void {
  if (isPermitted) read()
  else assert.throws(read, reason)
}

atLimit(
  'steps: an expression evaluated, a code compared, a part of a formula',
  around(20_000_000),
  (steps, isPermitted) => {
    const budget = new ReadingBudget()
    budget.take(1, 'one')
    expectRead(
      () => budget.take(steps - 1, 'other'),
      isPermitted,
      /^NotSupported: other: asks for more than 20,000,000/,
    )
  },
)

atLimit('features', around(5_000), (count, isPermitted) => {
  expectRead(() => refuseFeatures(count, 'features'), isPermitted, /are 5001 features; at most 5,000/)
})

atLimit('splits of a tree, one after the other', around(500), (splits, isPermitted) => {
  // Each split leads to the next one; the last has no split below it.
  const below = (split: number): readonly number[] => (split === splits - 1 ? [] : [split + 1])
  expectRead(() => refuseDeep(below, 'tree'), isPermitted, /more than 500 splits deep/)
})

// What is not too large is refused at its first character, so that the rest takes no time.
atLimit('PMML: characters', around(20_000_000), (characters, isPermitted) => {
  const text = 'x'.padEnd(characters)
  assert.throws(() => readXml(text), isPermitted ? /is not well-formed/ : /is larger than 20 MB/)
})

atLimit('PMML: elements inside of each other', around(500), (depth, isPermitted) => {
  const text = '<a>'.repeat(depth) + '</a>'.repeat(depth)
  expectRead(() => readXml(text), isPermitted, /is nested more than 500 deep/)
})

/** Each derived field is two expressions, a sum and the reference in it. The first one makes up an odd number. */
function nested(expressions: number): string {
  const plusOne = (before: string): string => apply('+', before, '<Constant>1</Constant>')
  const isOdd = expressions % 2 === 1
  return chained(Math.ceil(expressions / 2), plusOne, isOdd ? ref('x0') : undefined)
}

atLimit(
  'PMML: expressions inside of each other, through derived fields',
  around(500),
  (expressions, isPermitted) => {
    const read = (): unknown => readPmml(nested(expressions), OPTIONS)
    expectRead(read, isPermitted, /is the innermost of more than 500 expressions/)
  },
)

atLimit('size of a file of XGBoost or LightGBM', around(400_000_000), (bytes, isPermitted) => {
  expectRead(() => refuseLarge(bytes, 'model.json'), isPermitted, /model\.json: is larger than 400 MB/)
})

test('a model file that is too large is refused before it is read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-large-'))
  const path = join(folder, 'model.json')
  writeFileSync(path, '{}')
  // Takes no room: it is all hole.
  truncateSync(path, 400_000_001)
  assert.throws(() => readModelFile(path, 'xgboost', OPTIONS), /is larger than 400 MB/)
  rmSync(folder, { recursive: true })
})
