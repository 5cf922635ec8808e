/** What every scale can reach, computed from its items, against the ranges that are written in the literature. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainIn, scaleForms } from '../../src/definition/scale-domains.ts'
import type { ScaleDefinition } from '../../src/definition/scale.ts'
import { createScaleReader } from '@patient-risk/catalog'
import { testCatalog } from '../../../../test/support/serve.ts'

/** Scale · coding · figure · lowest · highest · step. Written by hand: the files do not state a range. */
const RANGES: readonly (readonly [string, string | null, string, number, number, number])[] = [
  ['barthel', null, 'total', 0, 100, 5],
  ['braden', null, 'total', 6, 23, 1],
  ['cam', null, 'total', 0, 1, 1],
  ['cfs', null, 'total', 1, 9, 1],
  ['charlson', 'folded', 'total', 0, 33, 1],
  ['charlson', 'lines', 'total', 0, 33, 1],
  ['charlson', 'folded', 'ageAdjusted', 0, 37, 1],
  ['cirs', '0-4', 'total', 0, 56, 1],
  ['cirs', '1-5', 'total', 14, 70, 1],
  ['cirs', '0-4', 'comorbidityIndex', 0, 13, 1],
  ['downton', null, 'total', 0, 11, 1],
  ['extonSmith', null, 'total', 5, 20, 1],
  ['frail', null, 'total', 0, 5, 1],
  ['gds15', null, 'total', 0, 15, 1],
  ['gijon', null, 'total', 5, 25, 1],
  ['isar', null, 'total', 0, 6, 1],
  ['katz', null, 'total', 0, 6, 1],
  // Of two stages of a disease only the worse one counts; all weights add up to 34.
  ['laceCharlson', null, 'total', 0, 29, 1],
  ['lawton', null, 'total', 0, 8, 1],
  ['mmse', null, 'total', 0, 30, 1],
  ['mna', null, 'total', 0, 30, 0.5],
  ['mna', null, 'screening', 0, 14, 1],
  ['mna', null, 'assessment', 0, 16, 0.5],
  ['mnaSf', null, 'total', 0, 14, 1],
  ['must', null, 'total', 0, 6, 1],
  ['news2', null, 'total', 0, 20, 1],
  ['norton', null, 'total', 5, 20, 1],
  ['painad', null, 'total', 0, 10, 1],
  ['sarcF', null, 'total', 0, 10, 1],
  ['spmsq', null, 'total', 0, 10, 1],
  ['spmsq', null, 'adjusted', 0, 10, 1],
  ['sppb', null, 'total', 0, 12, 1],
  ['tinetti', null, 'total', 0, 28, 1],
  ['tinetti', null, 'balance', 0, 16, 1],
  ['tinetti', null, 'gait', 0, 12, 1],
  ['zarit', null, 'total', 0, 48, 1],
]

const { scales, definitions } = testCatalog()

/** Held to their rules in instruments.test.ts. */
const FURTHER =
  'fourAt moca nrs2002 fried tug gaitSpeed gripStrength phq9 miniCog prisma7 edmonton g8 morse stratify waterlow frailVig gdsReisberg fast cdr ecog pps gnri'

test('every scale is in this table or among the instruments', () => {
  const known = new Set([...RANGES.map(([id]) => id), ...FURTHER.split(' ')])
  assert.deepEqual([...known].sort(), [...scales.keys()].sort())
  assert.equal(scales.size, 49)
})

for (const [id, coding, figure, lowest, highest, step] of RANGES) {
  test(`${id}${coding === null ? '' : ` (${coding})`} reaches a ${figure} from ${lowest} to ${highest}, each ${step}`, () => {
    const scale = scales.get(id) as ScaleDefinition
    const form = scaleForms(scale).find((each) => each.coding === coding)
    assert.ok(form)
    const domain = domainIn(scale, form, figure)
    assert.ok(domain?.kind === 'list')
    const expected = Array.from(
      { length: Math.round((highest - lowest) / step) + 1 },
      (_, n) => lowest + n * step,
    )
    assert.deepEqual(domain.values, expected)
  })
}

/** 232 items in the collection of facts; the lines of Charlson are further ones of ours. */
test('every scale computes its lowest and its highest total from its items, and refuses what lies beside them', () => {
  const read = createScaleReader(definitions)
  for (const [id, coding, figure, lowest, highest] of RANGES) {
    const scale = scales.get(id) as ScaleDefinition
    const form = scaleForms(scale).find((each) => each.coding === coding)
    const groups = scale.total !== 'sum' && scale.total.kind === 'sum' ? (scale.total.alternatives ?? []) : []
    if (figure !== 'total' || form?.shift !== 0) continue
    for (const [end, total] of [
      ['low', lowest],
      ['high', highest],
    ] as const) {
      const record: Record<string, unknown> = coding === null ? {} : { [`${id}_coding`]: coding }
      for (const [item, values] of form.items) {
        if (!groups.some((group) => group.indexOf(item) > 0))
          record[`${id}_${item}`] = end === 'low' ? values[0] : values.at(-1)
      }
      const reading = read(record, 20260101)
      assert.deepEqual(reading.problems, [], `${id}, ${end}`)
      assert.equal(reading.figure(`${id}_total`), total, `${id}, ${end}`)
      for (const wrong of [lowest - 1, highest + 1, lowest + 0.25]) {
        const beside = read(
          { ...(coding === null ? {} : { [`${id}_coding`]: coding }), [`${id}_total`]: wrong },
          20260101,
        )
        assert.equal(beside.problems.length, 1, `${id}_total ${wrong}`)
        assert.equal(beside.figure(`${id}_total`), undefined)
      }
    }
  }
})
