/** What is noted of each row: the level of a column, however many levels there are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Slots } from 'patient-risk-engine'
import { type CatalogModel, findModel } from '@patient-risk/catalog'
import type { LabelledRow } from '../../../src/learn/data/read-labelled.ts'
import { modelRunFor } from '../../../src/learn/data/gather.ts'
import { RowAttributes } from '../../../src/learn/data/row-attributes.ts'
import { CATALOG } from '../../../../../test/support/learning.ts'

/** More than 16 bits can number. */
const LEVELS = 66_000

test(`a column of ${LEVELS} values splits the rows into as many parts`, () => {
  const { definition } = findModel(CATALOG, 'lace') as CatalogModel
  const { plan, assessor } = modelRunFor({ catalog: CATALOG, today: 20260101 }, definition)
  const attributes = new RowAttributes({ outcome: { column: null }, splitBy: 'site' }, plan, assessor.slots)
  // From the last level to the first, and the first two levels once more.
  const sites = [...Array.from({ length: LEVELS }, (_each, at) => LEVELS - 1 - at), 0, 1]
  for (const site of sites) attributes.add({ text: () => `site ${site}` } as unknown as LabelledRow, true)
  const split = attributes.split()
  assert.equal(split?.levels.length, LEVELS)
  assert.deepEqual([...split.levelOf], sites)
  assert.equal(split.levels[LEVELS - 1], `site ${LEVELS - 1}`)
})

/** The first and the last age of each group. */
const AGES = [
  ['under 18', 17],
  ['18 to 49', 18, 49],
  ['50 to 64', 50, 64],
  ['65 to 74', 65, 74],
  ['75 to 84', 75, 84],
  ['85 and over', 85, 110],
] as const

test('ages at both ends of a group belong to it', () => {
  const { definition } = findModel(CATALOG, 'readmission30') as CatalogModel
  const { plan } = modelRunFor({ catalog: CATALOG, today: 20260101 }, definition)
  const ages = AGES.flatMap(([, ...ends]) => ends)
  let row = 0
  const slots = { isUsable: () => true, valueOf: () => ages[row] ?? 0 } as unknown as Slots
  const attributes = new RowAttributes({ outcome: { column: null } }, plan, slots)
  for (row = 0; row < ages.length; row++) attributes.add({ text: () => '' } as unknown as LabelledRow, true)
  const groups = attributes.groupings().find(({ by }) => by === 'age')
  const levels = [...(groups?.levelOf ?? [])].map((level) => groups?.levels[level])
  assert.deepEqual(
    levels,
    AGES.flatMap(([name, ...ends]) => ends.map(() => name)),
  )
})
