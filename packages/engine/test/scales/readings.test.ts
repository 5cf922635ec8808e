/** From reading to points: every edge of every band, in each unit. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createScaleReader } from '@patient-risk/catalog'
import { cdrGlobal } from '../../src/plan/cdr-global.ts'
import { type Conversions, makePlan } from '../../src/plan/plan.ts'
import { Assessor } from '../../src/answer/assess.ts'
import { compileModel } from '../../src/score/model.ts'
import { recordField } from '../../src/definition/scale-domains.ts'
import type { ScaleDefinition } from '../../src/definition/scale.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { CDR_LEVELS, CDR_PARTS, type Reading, readingModel } from '../../../../test/support/reading-models.ts'

const catalog = testCatalog()
const { definitions } = catalog
const read = createScaleReader(definitions)

/** Item · reading · each edge with its points, the last value of a band and the first of the next · what else the record says. */
type Table = readonly [item: string, reading: string, edges: string, beside?: Reading]

const SCALE_2 = '40=3 83=3 84=2 85=2 86=1 87=1 88=0 92=0'
const AIR = { news2_saturationScale: 2, news2_supplementalOxygen: 0 }
const OXYGEN = '93=1 94=1 95=2 96=2 97=3 100=3'
const BMI_OF_MNA = '4=0 18.99=0 19=1 20.99=1 21=2 22.99=2 23=3 174=3'
const LOSS_OF_MNA = '0=3 0.9=3 1=2 3=2 3.1=0 100=0'
const DRUGS = '0=1 3=1 4=0 60=0'
const AGES = '13=no 14=1 49=1 50=2 64=2 65=3 74=3 75=4 80=4 81=5 120=5'
const TABLES: readonly Table[] = [
  [
    'news2_respirationRate',
    'respirationRateReading',
    '1=3 8=3 9=1 11=1 12=0 20=0 21=2 24=2 25=3 80=3 8.5=no',
  ],
  ...[{}, { news2_supplementalOxygen: 0 }, { news2_supplementalOxygen: 2 }].map((oxygen): Table => {
    const edges = '40=3 91=3 92=2 93=2 94=1 95=1 96=0 100=0 91.5=no'
    return ['news2_spo2', 'spo2Reading', edges, { news2_saturationScale: 1, ...oxygen }]
  }),
  ['news2_spo2', 'spo2Reading', `${SCALE_2} 93=no 100=no`, { news2_saturationScale: 2 }],
  ['news2_spo2', 'spo2Reading', `${SCALE_2} 93=0 94=0 97=0 100=0`, AIR],
  ['news2_spo2', 'spo2Reading', `${SCALE_2} ${OXYGEN}`, { ...AIR, news2_supplementalOxygen: 2 }],
  [
    ...(['news2_spo2', 'spo2Reading', OXYGEN] as const),
    { news2_saturationScale: 2, news2_supplementalOxygenReading: 'oxygen' },
  ],
  ['news2_spo2', 'spo2Reading', '83=no 97=no', { news2_supplementalOxygen: 0 }],
  ['news2_systolicBp', 'systolicBpReading', '30=3 90=3 91=2 100=2 101=1 110=1 111=0 219=0 220=3 300=3'],
  ['news2_pulse', 'pulseReading', '20=3 40=3 41=1 50=1 51=0 90=0 91=1 110=1 111=2 130=2 131=3 300=3'],
  [
    ...(['news2_temperature', 'temperatureReading'] as const),
    '25=3 35=3 35.1=1 36=1 36.1=0 38=0 38.1=1 39=1 39.1=2 45=2 38.05=no',
  ],
  ['news2_consciousness', 'consciousnessReading', 'A=0 C=3 V=3 P=3 U=3'],
  ['news2_supplementalOxygen', 'supplementalOxygenReading', 'air=0 oxygen=2'],
  ['must_bmi', 'bmiReading', '4=2 18.49=2 18.5=1 20=1 20.01=0 174=0'],
  ['must_weightLoss', 'weightLossReading', '0=0 4.99=0 5=1 10=1 10.01=2 100=2'],
  ...['mna', 'mnaSf', 'g8'].flatMap((scale): readonly Table[] => [
    [`${scale}_bmi`, 'bmiReading', BMI_OF_MNA],
    [`${scale}_weightLoss`, 'weightLossReading', LOSS_OF_MNA],
  ]),
  ...['mna', 'g8'].map((scale): Table => [`${scale}_manyDrugs`, 'manyDrugsReading', DRUGS]),
  ['mna_midArmCircumference', 'midArmCircumferenceReading', '20.9=0 21=0.5 22=0.5 22.1=1'],
  ['mna_calfCircumference', 'calfCircumferenceReading', '30.9=0 31=1'],
  ['mnaSf_calfCircumference', 'calfCircumferenceReading', '30.9=0 31=3'],
  // With a body mass index the calf circumference gives no points, and the other way round.
  ['mnaSf_calfCircumference', 'calfCircumferenceReading', '31=no', { mnaSf_bmiReading: 20 }],
  ['mnaSf_bmi', 'bmiReading', '20=no', { mnaSf_calfCircumference: 3 }],
  ['waterlow_build', 'buildReading', '19.99=3 20=0 24.99=0 25=1 29.99=1 30=2'],
  ['waterlow_weightLoss', 'weightLossReading', '0.4=0 0.5=1 5=1 5.1=2 10=2 10.1=3 15=3 15.1=4'],
  ['waterlow_anaemia', 'anaemiaReading', '7.9=2 8=0'],
  ['waterlow_ageBand', 'age', AGES, { waterlow_smoking: 0 }],
  ['g8_ageBand', 'age', '79=2 80=1 85=1 86=0', { g8_mobility: 0 }],
  ['prisma7_over85', 'age', '85=0 86=1', { prisma7_usesAid: 0 }],
  ['nrs2002_ageAdjustment', 'age', '69=0 70=1', { nrs2002_nutritionalStatus: 0 }],
  ['prisma7_male', 'sex', 'F=0 M=1 X=no', { prisma7_usesAid: 0 }],
  ['waterlow_sex', 'sex', 'F=2 M=1 X=no', { waterlow_smoking: 0 }],
]

/** Each reading of a table with the points that it gives; null for none. */
function rowsOf(edges: string): readonly (readonly [value: number | string, points: number | null])[] {
  return edges.split(' ').map((edge) => {
    const [value = '', points = ''] = edge.split('=')
    const number = Number(value)
    return [Number.isNaN(number) ? value : number, points === 'no' ? null : Number(points)]
  })
}

function readingField(item: string, reading: string): string {
  return reading === 'age' || reading === 'sex' ? reading : `${item.split('_')[0]}_${reading}`
}

for (const [item, reading, edges, beside = {}] of TABLES) {
  const also = Object.entries(beside).map(([name, value]) => ` with ${name} ${String(value)}`)
  for (const [value, points] of rowsOf(edges)) {
    test(`${reading} ${value}${also.join('')} gives ${points ?? 'no'} points of ${item}`, () => {
      const given = read({ ...beside, [readingField(item, reading)]: value })
      assert.equal(given.figure(item) ?? null, points)
    })
  }
}

test('every edge of every band in the files is in the table', () => {
  for (const { id, computed = {} } of catalog.scales.values()) {
    for (const [item, each] of Object.entries(computed)) {
      if (each.kind !== 'banded') continue
      const reading = recordField(each.of) ?? each.of
      const rows = TABLES.filter(([target, name]) => target === `${id}_${item}` && name === reading).flatMap(
        ([, , edges]) => rowsOf(edges),
      )
      for (const { points, from, to } of each.bands)
        for (const edge of [from, to].filter((end) => end !== undefined))
          assert.ok(
            rows.some(([value, own]) => value === edge && own === points),
            `${id}_${item} ${points} at ${edge}`,
          )
    }
  }
})

/** Scale · item · weight in kg · height in cm · points; each index is exactly on an edge, or as near as 100 g and 5 mm come. */
const WEIGHTS = [
  ['must', 'bmi', 59.9, 180, 2],
  ['must', 'bmi', 60, 180, 1],
  ['must', 'bmi', 64.8, 180, 1],
  ['must', 'bmi', 64.9, 180, 0],
  ['must', 'bmi', 74, 200, 1],
  ['must', 'bmi', 73.9, 200, 2],
  ['mna', 'bmi', 76, 200, 1],
  ['mna', 'bmi', 75.9, 200, 0],
  ['mnaSf', 'bmi', 84, 200, 2],
  ['mnaSf', 'bmi', 83.9, 200, 1],
  ['g8', 'bmi', 92, 200, 3],
  ['g8', 'bmi', 91.9, 200, 2],
  ['waterlow', 'build', 64.8, 180, 0],
  ['waterlow', 'build', 64.7, 180, 3],
  ['waterlow', 'build', 81, 180, 1],
  ['waterlow', 'build', 80.9, 180, 0],
  ['waterlow', 'build', 97.2, 180, 2],
  ['waterlow', 'build', 97.1, 180, 1],
] as const
/** What a weight of kilograms and a height of centimetres is in each unit. */
const WEIGHT_UNITS = { kg: [1, 1], g: [1, 1_000], lb: [0.45359237, 1] } as const
const HEIGHT_UNITS = { cm: [1, 1], m: [100, 1], in: [2.54, 1] } as const

for (const [scale, item, weight, height, points] of WEIGHTS) {
  for (const [weightUnit, [weightTimes, weightPer]] of Object.entries(WEIGHT_UNITS)) {
    for (const [heightUnit, [heightTimes, heightPer]] of Object.entries(HEIGHT_UNITS)) {
      test(`${weight} kg in ${weightUnit} at ${height} cm in ${heightUnit} gives ${points} points of ${scale}_${item}`, () => {
        const conversions: Conversions = {
          [`${scale}_weight`]: { unit: weightUnit, own: 'kg', times: weightTimes, per: weightPer },
          [`${scale}_height`]: { unit: heightUnit, own: 'cm', times: heightTimes, per: heightPer },
        }
        const model = readingModel(catalog.scales.get(scale) as ScaleDefinition)
        const plan = makePlan(definitions, model, conversions)
        const assessor = new Assessor(plan, compileModel(model, plan))
        const record = {
          idx: 1,
          [`${scale}_weight`]: (weight * weightPer) / weightTimes,
          [`${scale}_height`]: (height * heightPer) / heightTimes,
        }
        assessor.assess(record, 0, { today: 20_260_101, reportUnknown: false, maxKeys: 99 })
        assert.equal(assessor.slots.valueOf(plan.slotByName.get(`${scale}_${item}`) as number), points)
      })
    }
  }
}

test('every exact loss of 5 or 10 % of a weight lies in the band that it is printed in', () => {
  let found = 0
  for (let before = 200; before <= 2_500; before++) {
    for (const percent of [5, 10]) {
      if ((before * percent) % 100 !== 0) continue
      const now = before - (before * percent) / 100
      if (now < 201 || now > 2_499) continue
      found++
      const points = [now - 1, now, now + 1].map((each) =>
        read({ must_weightBefore: before / 10, must_weight: each / 10 }).figure('must_weightLoss'),
      )
      assert.deepEqual(points, percent === 5 ? [1, 1, 0] : [2, 1, 1], `${before} to ${now}`)
    }
  }
  assert.ok(found >= 182)
})

test('a gain of weight is no loss', () => {
  const gained = read({ must_weightBefore: 60, must_weight: 70 })
  assert.equal(gained.figure('must_weightLossReading'), 0)
  assert.equal(gained.figure('must_weightLoss'), 0)
})

/** A record, and the fields that it has a problem with. */
const MISMATCHES: readonly (readonly [string, Reading, readonly string[]])[] = [
  ['points and reading agree', { news2_pulse: 1, news2_pulseReading: 91 }, []],
  ['points and reading differ', { news2_pulse: 0, news2_pulseReading: 91 }, ['news2_pulse']],
  ['index and points differ', { must_bmi: 0, must_weight: 64.8, must_height: 180 }, ['must_bmi']],
  ['a rounded index agrees', { must_bmiReading: 20, must_weight: 64.9, must_height: 180 }, []],
  [
    'another index differs',
    { must_bmiReading: 21, must_weight: 64.8, must_height: 180 },
    ['must_bmiReading'],
  ],
  ['a total and a reading differ', { news2_total: 5, news2_pulseReading: 72 }, ['news2_total']],
  ['age adds nothing to a given total', { age: 90, sex: 'M', prisma7_usesAid: 1, prisma7_total: 1 }, []],
  ['age and its item are a notice, not a problem', { age: 90, prisma7_over85: 0 }, []],
]
for (const [name, record, fields] of MISMATCHES)
  test(`${name}: ${fields.join() || 'no problem'}`, () => {
    const { problems } = read(record)
    assert.deepEqual(
      problems.map(({ field }) => field),
      fields,
    )
    assert.ok(problems.every(({ blocking }) => blocking))
  })

test('weight and height decide over a rounded index', () => {
  assert.equal(read({ must_bmiReading: 20, must_weight: 64.9, must_height: 180 }).figure('must_bmi'), 0)
})

const GNRI = { gnri_albumin: 35, gnri_weight: 50, gnri_height: 160 }
for (const [sex, score] of [
  [{ sex: 'F' }, 89.347],
  [{ gnri_sex: 'female' }, 89.347],
  [{ sex: 'M', gnri_sex: 'female' }, 89.347],
  [{ sex: 'M' }, 88.376],
  [{ sex: 'X' }, undefined],
  [{}, undefined],
] as const)
  test(`GNRI with ${JSON.stringify(sex)} is ${score}`, () => {
    assert.equal(read({ ...GNRI, ...sex }).figure('gnri_total'), score)
  })

test('CDR global: every combination of boxes, by its digest', () => {
  const lines: string[] = []
  for (const m of CDR_LEVELS)
    for (const o of CDR_LEVELS)
      for (const j of CDR_LEVELS)
        for (const c of CDR_LEVELS)
          for (const h of CDR_LEVELS)
            for (const p of [0, 1, 2, 3])
              lines.push([m, o, j, c, h, p, cdrGlobal(m, [o, j, c, h, p])].join(','))
  assert.equal(lines.length, 12_500)
  const digest = createHash('sha256')
    .update(`${lines.join('\n')}\n`)
    .digest('hex')
  assert.equal(digest, 'ac2eefcad77efe411c474e623bc04db7f9070e00c2d46e3cc00d91e2cd9f5483')
})

const cdrRecord = (boxes: readonly number[]): Reading =>
  Object.fromEntries(boxes.map((box, place) => [`cdr_${CDR_PARTS[place]}`, box]))
test('CDR global is filled in from all boxes, and a given one is kept', () => {
  const boxes = cdrRecord([1, 0, 0, 0.5, 1, 1])
  assert.equal(read(boxes).figure('cdr_global'), 0.5)
  const given = read({ ...boxes, cdr_global: 1 })
  assert.equal(given.figure('cdr_global'), 1)
  assert.deepEqual(given.problems, [])
  assert.equal(read(cdrRecord([1, 0, 0, 0.5, 1])).figure('cdr_global'), undefined)
})
