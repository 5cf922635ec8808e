/** A model of trees in a folder of its own: checked, tried with its cases, and printed in words. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findModel } from '../src/catalog/catalog.ts'
import { loadCatalog } from '../src/catalog/load.ts'
import { modelPage } from '../src/pages/model-page.ts'
import { treeNumbered, treeText } from '../src/pages/tree-text.ts'
import type { TermDefinition, TreeDefinition } from 'patient-risk-engine/definition'
import { BASE, newRoot } from '../../../test/support/broken-folder.ts'
import { type Json, MODEL, MODEL_CASES, validFiles, writeFiles } from '../../../test/support/valid-folder.ts'

const TREE: TreeDefinition = [
  { field: 'falls', upTo: 2, then: 1, else: 2 },
  0.1,
  { field: 'home', oneOf: ['care'], then: 3, else: 4, absent: 'then' },
  { field: 'ferritin', below: 12.5, then: 5, else: 6 },
  0.3,
  0.4,
  0.2,
]

test('a tree in words', () => {
  assert.equal(
    treeText(TREE, 3),
    `Tree 3:

- \`falls\` up to 2: 0.1
- otherwise:
  - \`home\` is care, or absent:
    - \`ferritin\` below 12.5: 0.4
    - otherwise: 0.2
  - otherwise: 0.3`,
  )
  assert.equal(treeText([0.5], 1), 'Tree 1:\n\n- always: 0.5')
})

test('trees are numbered over all terms', () => {
  const trees = (...leaves: readonly number[]): TermDefinition => ({
    kind: 'trees',
    combine: 'sum',
    trees: leaves.map((leaf) => [leaf]),
  })
  const terms = [trees(1, 2), { kind: 'flag', field: 'f', points: 1 } as const, trees(3)]
  assert.match(treeNumbered(terms, 3) ?? '', /^Tree 3:\n\n- always: 3\n$/)
  assert.equal(treeNumbered(terms, 4), undefined)
})

const RECORD = { falls: 3, ferritin: 12.5 }
const CASES: Json = [
  { name: 'no home', record: RECORD, score: 0.2, risk: 0.2, source: 'read from the tree' },
  {
    name: 'own home',
    record: { ...RECORD, home: 'own' },
    score: 0.3,
    risk: 0.3,
    source: 'read from the tree',
  },
  {
    name: 'low ferritin',
    record: { ...RECORD, home: 'care', ferritin: 12.4 },
    score: 0.4,
    risk: 0.4,
    source: 'read from the tree',
  },
]

function loaded(trees: readonly TreeDefinition[]) {
  const files = validFiles()
  const kept = Object.entries(files[MODEL] as Record<string, Json>).filter(
    ([key]) => !['profile', 'scales', 'threshold'].includes(key),
  )
  files[MODEL] = {
    ...Object.fromEntries(kept),
    inputs: { falls: {}, ferritin: {}, home: { whenAbsent: null, why: 'It is not asked at night.' } },
    terms: [{ kind: 'trees', combine: 'mean', trees: trees as unknown as Json }],
    link: { kind: 'identity' },
  }
  files[MODEL_CASES] = CASES
  const root = newRoot()
  writeFiles(root, files)
  const { catalog, faults } = loadCatalog([BASE, root])
  assert.deepEqual(faults, [])
  const model = catalog && findModel(catalog, 'toy')
  assert.ok(catalog && model)
  assert.deepEqual(model.selfCheckFailures, [])
  return modelPage(catalog, model)
}

test('the page of a model prints a small tree, and how absence is taken', () => {
  const page = loaded([TREE])
  assert.match(
    page,
    /### Decision tree\n\nThe points of one tree, with 7 nodes\.\n\nTree 1:\n\n- `falls` up to 2: 0\.1\n/,
  )
  assert.match(page, /taken as absent: It is not asked at night\./)
  assert.match(page, /The score is the risk\./)
})

test('of many trees the page prints the first, and how to print the others', () => {
  const page = loaded(Array.from({ length: 90 }, () => TREE))
  assert.match(page, /The mean of the points of 90 trees, with 630 nodes\./)
  assert.match(page, /The other trees, up to 90: `patient-risk models toy --tree N`\./)
  assert.doesNotMatch(page, /Tree 2:/)
})
