/** The instruments with measured numbers, codes and formulas, computed here a second time from their published rules. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findModel, createScaleReader } from '@patient-risk/catalog'
import { createScorer } from '../../src/scorer.ts'
import { Random } from '../../../../test/support/random.ts'
import { testCatalog } from '../../../../test/support/serve.ts'

const catalog = testCatalog()
const TODAY = 20260101
const readScale = createScaleReader(catalog.definitions)

/** Scale · items · lowest total · highest total · totals in between that cannot be reached. */
const SUMS = [
  ['fourAt', 4, 0, 12, []],
  ['nrs2002', 3, 0, 7, []],
  ['fried', 5, 0, 5, []],
  ['phq9', 9, 0, 27, []],
  ['miniCog', 2, 0, 5, []],
  ['prisma7', 7, 0, 7, []],
  ['edmonton', 11, 0, 17, []],
  ['g8', 8, 0, 17, [16.5]],
  ['morse', 6, 0, 125, [5, 120]],
  ['stratify', 5, 0, 5, []],
  ['waterlow', 22, 2, 79, []],
  ['frailVig', 22, 0, 25, []],
  ['cdr', 6, 0, 18, [16.5, 17.5]],
] as const
for (const [id, count, lowest, highest, unreachable] of SUMS) {
  test(`${id}: the sum of ${count} items from ${lowest} to ${highest}, for random records`, () => {
    const scale = catalog.scales.get(id)
    assert.ok(scale)
    const items = Object.entries(scale.items)
    assert.equal(items.length, count)
    const domain = catalog.domains.get(`${id}_total`)
    assert.ok(domain?.kind === 'list')
    assert.deepEqual([domain.values[0], domain.values.at(-1)], [lowest, highest])
    for (const total of unreachable) assert.ok(!domain.values.includes(total), `${total}`)
    const random = new Random(7)
    for (let round = 0; round < 200; round++) {
      const record = Object.fromEntries(
        items.map(([name, item]) => [`${id}_${name}`, random.pick(item.values)]),
      )
      const sum = Object.values(record).reduce((all, value) => all + value, 0)
      const reading = readScale(record, TODAY)
      assert.deepEqual(reading.problems, [])
      assert.equal(reading.figure(`${id}_total`), sum)
    }
  })
}

test('MoCA: the education point does not lift the total above 30', () => {
  for (let raw = 0; raw <= 30; raw++) {
    for (const point of [0, 1]) {
      const reading = readScale({ moca_rawScore: raw, moca_educationPoint: point }, TODAY)
      assert.equal(reading.figure('moca_total'), Math.min(30, raw + point))
    }
  }
})

test('GNRI agrees with its formula for random people', () => {
  const random = new Random(11)
  for (let round = 0; round < 2_000; round++) {
    const albumin = 100 + random.below(501)
    const weight = 300 + random.below(1_000)
    const height = 140 + random.below(61)
    const isWoman = random.chance(0.5)
    const ideal = height - 100 - (height - 150) / (isWoman ? 2.5 : 4)
    const gnri = (1.489 * albumin) / 10 + 41.7 * Math.min(1, weight / 10 / ideal)
    const record = {
      gnri_albumin: albumin / 10,
      gnri_weight: weight / 10,
      gnri_height: height,
      gnri_sex: isWoman ? 'female' : 'male',
    }
    const figure = readScale(record, TODAY).figure('gnri_total')
    if (gnri < 29.99) assert.equal(figure, undefined)
    else if (gnri >= 30) assert.ok(Math.abs((figure ?? Number.NaN) - gnri) <= 0.00051, JSON.stringify(record))
  }
})

/** Measure · unit · lowest · highest · step · a value between two steps. */
const MEASURES = [
  ['tug_seconds', 's', 1, 300, 0.001, 12.3456],
  ['gaitSpeed_speed', 'm/s', 0.05, 3, 0.001, 0.8055],
  ['gripStrength_kg', 'kg', 0, 90, 0.001, 20.2555],
  ['gnri_height', 'cm', 120, 210, 0.001, 160.2345],
] as const
for (const [field, , from, to, step, between] of MEASURES) {
  test(`${field} takes numbers from ${from} to ${to} in steps of ${step}`, () => {
    const reasonOf = (value: unknown): string | undefined =>
      readScale({ [field]: value }, TODAY).problems[0]?.reason
    for (let index = 0; from + index * step <= to + 1e-9; index += 37) {
      assert.equal(reasonOf(Number((from + index * step).toFixed(3))), undefined)
    }
    for (const wrong of [between, to + step, from - step]) assert.equal(reasonOf(wrong), 'out of range')
    for (const wrong of ['12', true, []]) assert.equal(reasonOf(wrong), 'not a number')
  })
}

/** FAST as it is written, in the order of its levels. */
const STAGES = ['1', '2', '3', '4', '5', '6a', '6b', '6c', '6d', '6e', '7a', '7b', '7c', '7d', '7e', '7f']
STAGES.forEach((stage, index) => {
  test(`FAST stage ${stage} is level ${index + 1}`, () => {
    const reading = readScale({ fast_stage: stage }, TODAY)
    assert.deepEqual([reading.figure('fast_level'), reading.figure('fast_total')], [index + 1, index + 1])
  })
})

test('gait speed follows from the time for 4 m', () => {
  for (let hundredths = 134; hundredths <= 8_000; hundredths += 13) {
    const speed = Math.round((4 / (hundredths / 100)) * 1000) / 1000
    const figure = readScale({ gaitSpeed_seconds4m: hundredths / 100 }, TODAY).figure('gaitSpeed_total')
    assert.equal(figure, speed)
  }
})

const STRATIFY_REST = {
  stratify_recentFall: 1,
  stratify_agitated: 0,
  stratify_visualImpairment: 0,
  stratify_frequentToileting: 0,
}
const GNRI = { gnri_albumin: 35, gnri_weight: 50, gnri_height: 160, gnri_sex: 'female' }
/** A total beside the values that its item is computed from · the sum that is named, where they differ. */
const TOTALS_OF_COMPUTED: readonly (readonly [object, number | undefined])[] = [
  [{ ...GNRI, gnri_total: 89.35 }, undefined],
  [{ ...GNRI, gnri_total: 89.4 }, undefined],
  [{ ...GNRI, gnri_total: 50 }, 89.347],
  [{ gaitSpeed_seconds4m: 5, gaitSpeed_total: 0.8 }, undefined],
  [{ gaitSpeed_seconds4m: 5, gaitSpeed_total: 1.2 }, 0.8],
  [{ fast_stage: '6c', fast_total: 8 }, undefined],
  [{ fast_stage: '6c', fast_total: 9 }, 8],
  [{ ...STRATIFY_REST, stratify_transfer: 2, stratify_mobility: 1, stratify_total: 2 }, undefined],
  [{ ...STRATIFY_REST, stratify_transfer: 2, stratify_mobility: 1, stratify_total: 1 }, 2],
]
for (const [fields, sum] of TOTALS_OF_COMPUTED) {
  const verdict = sum === undefined ? 'agrees' : `differs from ${sum}`
  test(`${JSON.stringify(fields)}: the total ${verdict}, also for a model that does not use the scale`, () => {
    const record = {
      age: 80,
      sex: 'F',
      inpatientAdmissions: 1,
      emergencyAdmissions: 0,
      stayDays: 3,
      ...fields,
    }
    const definition = findModel(catalog, 'readmission30')?.definition
    assert.ok(definition)
    const scorer = createScorer(catalog.definitions, definition, {
      output: { kind: 'number' },
      reportUnknown: false,
      maxRecords: 1,
      maxDepth: 8,
      maxKeys: 99,
      maxLineBytes: 9_999,
    })
    const { problems } = scorer.assess({ idx: 1, ...record }, TODAY)
    const expected = sum === undefined ? [] : [`computed sum ${sum})`]
    assert.deepEqual(
      problems.map(({ message }) => message.slice(message.indexOf('computed sum'))),
      expected,
    )
  })
}

test('grip strength has bands for women and for men, with the limits of the papers', () => {
  const limits = (catalog.scales.get('gripStrength')?.bands ?? []).map(({ scheme, sex, bands }) => [
    scheme,
    sex,
    bands[1]?.from,
  ])
  assert.deepEqual(limits, [
    ['EWGSOP2 2019', 'M', 27],
    ['EWGSOP2 2019', 'F', 16],
    ['AWGS 2019', 'M', 28],
    ['AWGS 2019', 'F', 18],
    ['EWGSOP 2010 (old)', 'M', 30],
    ['EWGSOP 2010 (old)', 'F', 20],
    ['FNIH 2014', 'M', 26],
    ['FNIH 2014', 'F', 16],
    ['SDOC 2020', 'M', 35.5],
    ['SDOC 2020', 'F', 20],
  ])
})

test('no model rests on an unverified scale', () => {
  for (const { definition } of catalog.models.values()) {
    for (const id of Object.keys(definition.scales ?? {}))
      assert.equal(catalog.scales.get(id)?.verified, true, id)
  }
})
