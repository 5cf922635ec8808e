/** Some statements that were printed before the tree of expressions answer as those of today; the slow tests compare all of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreeWithRecorded, useRecorded } from './compare-recorded.ts'
import { knownDifferences, recordedStatements } from './recorded.ts'

const FEW = new Set(['charlson10y-typed', 'walter-cells-notices', 'contradictions-7'])
const ROWS = 150
const statements = recordedStatements()
const differing = useRecorded()

agreeWithRecorded(
  statements.filter(({ name }) => FEW.has(name)),
  ROWS,
  differing,
)

test('another word in one message is found', async () => {
  const recorded = statements.find(({ name }) => FEW.has(name)) ?? assert.fail()
  const found = await differing(recorded, ROWS, (query) => query.replaceAll('out of range', 'outside'))
  assert.ok(found.length > 0)
})

test('every known difference has a reason and a statement', () => {
  const names = new Set(statements.map(({ name }) => name))
  for (const { statement, reason, positions } of knownDifferences()) {
    assert.ok(names.has(statement), statement)
    assert.ok(reason.length > 20, statement)
    assert.ok(positions.length > 0, statement)
  }
})
