/** Points of a figure that is a quotient follow from it before it is rounded, in the engine and in every database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScaleDefinition } from '../../src/definition/scale.ts'
import { checkScale } from '../../src/definition/check/check-scale.ts'
import { FaultList } from '../../src/definition/fault.ts'
import { createScorer } from '../../src/scorer.ts'
import { Random } from '../../../../test/support/random.ts'
import { OPTIONS, TODAY, model, scale } from '../../../../test/support/small-definitions.ts'
import { DEFINITIONS } from './cases.ts'
import type { Case } from './compare.ts'
import { useEngines } from './engines.ts'

const gnri = DEFINITIONS.scales.find(({ id }) => id === 'gnri') ?? assert.fail()
const gait = DEFINITIONS.scales.find(({ id }) => id === 'gaitSpeed') ?? assert.fail()

/** The two scales of the catalogue with a computed measure, with points that follow from it. */
const WALK: ScaleDefinition = scale(
  'walk',
  { slow: [0, 1] },
  {
    measures: gait.measures ?? {},
    computed: {
      ...gait.computed,
      slow: {
        kind: 'banded',
        of: 'speed',
        bands: [
          { to: 0.8, points: 1 },
          { above: 0.8, points: 0 },
        ],
      },
    },
  },
)
const INDEX: ScaleDefinition = scale(
  'index',
  { risk: [0, 1, 2, 3] },
  {
    measures: gnri.measures ?? {},
    context: gnri.context ?? {},
    computed: {
      ...gnri.computed,
      risk: {
        kind: 'banded',
        of: 'score',
        bands: [
          { below: 82, points: 3 },
          { from: 82, below: 92, points: 2 },
          { from: 92, to: 98, points: 1 },
          { above: 98, points: 0 },
        ],
      },
    },
  },
)
const definitions = { ...DEFINITIONS, scales: [WALK, INDEX], contradictions: [] }
const points = model({ walk_total: {}, index_total: {} }, [
  { kind: 'linear', field: 'walk_total', coefficient: 1 },
  { kind: 'linear', field: 'index_total', coefficient: 0.1 },
])
const { agree } = useEngines()

test('the scales are sound', () => {
  for (const each of definitions.scales) {
    const faults = new FaultList(each.id)
    checkScale(each, faults)
    assert.deepEqual(faults.faults, [])
  }
})

/** Seconds over 4 m · whether that is slow. */
const SLOW = [
  [4.97, 0],
  [4.999, 0],
  [5, 1],
  [5.001, 1],
] as const
/** Albumin with 41.7 points of weight · the points of the index. */
const RISK = [
  [27.063, 3],
  [27.066, 2],
  [33.781, 2],
  [33.782, 1],
  [37.81, 1],
  [37.811, 0],
] as const

test('the engine gives the points of the unrounded figure', () => {
  const scorer = createScorer(definitions, points, OPTIONS)
  for (const [seconds, slow] of SLOW) {
    for (const [albumin, risk] of RISK) {
      const index = { index_albumin: albumin, index_weight: 90, index_height: 170, index_sex: 'male' }
      const assessed = scorer.assess({ idx: 1, walk_seconds4m: seconds, ...index }, TODAY)
      const expected = 1 / (1 + Math.exp(-(slow + risk / 10)))
      assert.equal(assessed.risk, Math.round(expected * 10_000) / 10_000, `${seconds} ${albumin}`)
    }
  }
})

test('and so does every database: 600 rows around the edges', async () => {
  const random = new Random(45)
  const columns = [
    { name: 'idx', type: 'integer' },
    { name: 'walk_seconds4m', type: 'number' },
    { name: 'index_albumin', type: 'number' },
    { name: 'index_weight', type: 'number' },
    { name: 'index_height', type: 'number' },
    { name: 'index_sex', type: 'text' },
  ] as const
  const rows = Array.from({ length: 600 }, (_, at) => {
    const sex = random.pick(['male', 'female'])
    const height = (120_000 + random.below(90_001)) / 1000
    const weight = (20_000 + random.below(230_001)) / 1000
    const ideal = height - 100 - (height - 150) / (sex === 'male' ? 4 : 2.5)
    const near = (random.pick([82, 92, 98]) - 41.7 * Math.min(1, weight / ideal)) / 1.489
    const albumin = Math.round(near * 1000 + random.below(5) - 2) / 1000
    return [at, (4_990 + random.below(21)) / 1000, albumin, weight, height, sex]
  })
  const given: Case = { definitions, model: points, output: { kind: 'number' }, table: { columns, rows } }
  await agree(given)
})
