/** What the scales of a record say: total, complete or not, items given and needed, band. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScaleDefinition } from '../src/definition/scale.ts'
import { Assessor } from '../src/answer/assess.ts'
import { type ScaleState, compileScaleStates } from '../src/explain/scale-states.ts'
import { makePlan } from '../src/plan/plan.ts'
import { compileModel } from '../src/score/model.ts'
import { catalog, describer } from './scales/describe.ts'
import { TODAY, model, scale } from '../../../test/support/small-definitions.ts'

const byDefault = describer()

/** All items of a scale at one value, but for some. */
function itemsOf(id: string, value: number, others: Readonly<Record<string, unknown>> = {}): object {
  const { items } = catalog.scales.get(id) ?? assert.fail(id)
  const all = { ...Object.fromEntries(Object.keys(items).map((name) => [name, value])), ...others }
  return Object.fromEntries(Object.entries(all).map(([name, each]) => [`${id}_${name}`, each]))
}

const NEWS2_RED = itemsOf('news2', 0, { consciousness: 3 })
const CIRS_NONE = itemsOf('cirs', 1, { coding: '1-5' })
const GRIP_80 = { age: 80, gripStrength_kg: 20 }
const MNASF = { ...itemsOf('mnaSf', 2), mnaSf_bmi: null, mnaSf_calfCircumference: null }
const GNRI = { gnri_albumin: 40, gnri_weight: 60, gnri_height: 165, gnri_sex: 'female' }
const LOW_GRIP = 'low strength: probable sarcopenia'

type Expected = readonly [
  total: number | null,
  complete: boolean,
  given: number,
  needed: number,
  band: string | null,
]
const RECORDS: readonly (readonly [string, object, Expected])[] = [
  // Measures by sex.
  ['a woman of 80 with a grip of 20 kg is not low', { ...GRIP_80, sex: 'F' }, [20, true, 1, 1, 'not low']],
  ['a man with the same grip is', { ...GRIP_80, sex: 'M' }, [20, true, 1, 1, LOW_GRIP]],
  ['another sex has no band', { ...GRIP_80, sex: 'X' }, [20, true, 1, 1, null]],
  ['no sex has none', GRIP_80, [20, true, 1, 1, null]],
  ['a wrong sex has none', { ...GRIP_80, sex: 'female' }, [20, true, 1, 1, null]],
  [
    'a gait speed from the time for 4 m',
    { gaitSpeed_seconds4m: 5 },
    [0.8, true, 1, 1, 'low physical performance'],
  ],
  ['a time beyond the limits gives no speed', { gaitSpeed_seconds4m: 1 }, [null, false, 0, 1, null]],
  ['a time for up and go', { tug_total: 12 }, [12, true, 0, 1, 'at risk of falling']],
  // Rules beyond the total.
  ['NEWS2: one item at 3', NEWS2_RED, [3, true, 7, 7, 'low-medium']],
  ['NEWS2: one item at 3, with the total', { ...NEWS2_RED, news2_total: 3 }, [3, true, 7, 7, 'low-medium']],
  ['NEWS2: 3 from three items', itemsOf('news2', 0, { pulse: 1, spo2: 2 }), [3, true, 7, 7, 'low']],
  [
    'NEWS2: oxygen and no item at 3',
    itemsOf('news2', 0, { supplementalOxygen: 2, pulse: 2 }),
    [4, true, 7, 7, 'low'],
  ],
  ['NEWS2: 5 with an item at 3', itemsOf('news2', 0, { pulse: 3, spo2: 2 }), [5, true, 7, 7, 'medium']],
  ['NEWS2: a bare 2 cannot have an item at 3', { news2_total: 2 }, [2, true, 0, 7, 'low']],
  ['NEWS2: a bare 3 may have one', { news2_total: 3 }, [3, true, 0, 7, null]],
  ['NEWS2: a bare 4 may have one', { news2_total: 4 }, [4, true, 0, 7, null]],
  ['NEWS2: a bare 5 is medium with and without', { news2_total: 5 }, [5, true, 0, 7, 'medium']],
  // Codings.
  ['CIRS 14 in the coding 1-5', { cirs_total: 14, cirs_coding: '1-5' }, [14, true, 0, 14, null]],
  ['CIRS from items in the coding 1-5', CIRS_NONE, [14, true, 14, 14, null]],
  ['CIRS without its coding', { ...CIRS_NONE, cirs_coding: null }, [null, false, 14, 14, null]],
  ['a total of CIRS without its coding', { cirs_total: 20 }, [null, false, 0, 14, null]],
  ['CIRS in a coding that does not exist', { ...CIRS_NONE, cirs_coding: '0-5' }, [null, false, 14, 14, null]],
  ['CIRS with a value of the other coding', { ...CIRS_NONE, cirs_renal: 0 }, [null, false, 13, 14, null]],
  [
    'Charlson as lines has 19',
    { charlson_coding: 'lines', charlson_dementia: 1 },
    [null, false, 1, 19, null],
  ],
  // Totals.
  [
    'MoCA with 30 and the point for schooling',
    itemsOf('moca', 30, { educationPoint: 1 }),
    [30, true, 2, 2, 'normal'],
  ],
  ['MoCA without the point', { moca_rawScore: 30 }, [null, false, 1, 2, null]],
  ['a grade', { cfs_score: 4 }, [4, true, 1, 1, 'very mild frailty']],
  ['a stage as it is written', { fast_stage: '6b' }, [7, true, 1, 1, 'moderately severe dementia']],
  [
    'MNA-SF with the body mass index',
    { ...MNASF, mnaSf_bmi: 3 },
    [13, true, 6, 6, 'normal nutritional status'],
  ],
  [
    'MNA-SF with the calf',
    { ...MNASF, mnaSf_calfCircumference: 0 },
    [10, true, 6, 6, 'at risk of malnutrition'],
  ],
  ['MNA-SF with neither', MNASF, [null, false, 5, 6, null]],
  ['MNA-SF with both', { ...MNASF, mnaSf_bmi: 3, mnaSf_calfCircumference: 3 }, [null, false, 6, 6, null]],
  ['the index of four measures', GNRI, [101.26, true, 1, 1, 'no risk']],
  ['one measure of four', { gnri_albumin: 40 }, [null, false, 0, 1, null]],
  [
    'an item from two others',
    {
      ...itemsOf('stratify', 0),
      stratify_transferMobility: null,
      stratify_transfer: 1,
      stratify_mobility: 2,
    },
    [1, true, 5, 5, 'lower risk'],
  ],
  // Rules as totals.
  ['CAM with all four items', itemsOf('cam', 1, { inattention: 0 }), [0, true, 4, 4, 'negative']],
  ['CAM decided by one item, without a total', { cam_inattention: 0 }, [null, false, 1, 4, null]],
  [
    'CAM decided by one item, with its total',
    { cam_inattention: 0, cam_total: 0 },
    [0, true, 1, 4, 'negative'],
  ],
  [
    'CAM with a total that one item leaves open',
    { cam_inattention: 1, cam_total: 0 },
    [0, false, 1, 4, null],
  ],
  // Incomplete and wrong.
  ['a total alone', { barthel_total: 60 }, [60, true, 0, 10, 'severe dependence']],
  ['all items', itemsOf('barthel', 5), [50, true, 10, 10, 'severe dependence']],
  ['some items', { barthel_feeding: 10, barthel_bathing: 5 }, [null, false, 2, 10, null]],
  [
    'some items with their sum',
    { barthel_feeding: 10, barthel_bathing: 5, barthel_total: 15 },
    [15, false, 2, 10, null],
  ],
  ['some items with another total', { barthel_feeding: 10, barthel_total: 15 }, [null, false, 1, 10, null]],
  ['all items with another total', itemsOf('barthel', 5, { total: 55 }), [null, false, 10, 10, null]],
  ['an item that is wrong', itemsOf('barthel', 5, { feeding: 7 }), [null, false, 9, 10, null]],
  [
    'an item that is wrong, with a total',
    itemsOf('barthel', 5, { feeding: 7, total: 50 }),
    [null, false, 9, 10, null],
  ],
  ['a total that is wrong', { barthel_total: 17 }, [null, false, 0, 10, null]],
  ['a date alone', { barthel_date: '01-02-2025' }, [null, false, 0, 10, null]],
  ['subtotals alone', { mna_screening: 10, mna_assessment: 10 }, [null, false, 0, 18, null]],
  [
    'subtotals with their total',
    { mna_screening: 10, mna_assessment: 10, mna_total: 20 },
    [20, true, 0, 18, 'at risk of malnutrition'],
  ],
  // Figures beside the total.
  [
    'SPMSQ adjusted, from an incomplete total',
    { spmsq_place: 1, spmsq_total: 1, spmsq_education: 'highSchool' },
    [1, false, 1, 10, null],
  ],
  [
    'SPMSQ adjusted, given alone with schooling',
    { spmsq_adjusted: 5, spmsq_education: 'highSchool' },
    [null, false, 0, 10, 'moderate impairment'],
  ],
  ['Frail-VIG has no default', { frailVig_total: 10 }, [10, true, 0, 22, null]],
  ['PPS has no default', { pps_level: 40 }, [40, true, 1, 1, null]],
]
for (const [name, record, [total, complete, given, needed, band]] of RECORDS) {
  test(`${name}: ${band ?? 'no band'}`, () => {
    const [state, ...more] = byDefault(record)
    assert.ok(state)
    assert.deepEqual(more, [])
    assert.deepEqual({ ...state, ...{ total, complete, given, needed, band } }, state)
    assert.equal(state.scheme === null, band === null)
    if (band === null) assert.equal(state.verified, false)
  })
}

test('a record without scales says nothing', () => {
  assert.deepEqual(byDefault({ age: 80, sex: 'F', barthel_total: null }), [])
})

test('scales come in the order of the catalogue, and each says by which scheme', () => {
  const states = byDefault({ sex: 'F', painad_total: 4, gripStrength_kg: 12, barthel_total: 100 })
  const about = { complete: true, needed: 1 }
  assert.deepEqual(states, [
    {
      ...about,
      scale: 'barthel',
      total: 100,
      given: 0,
      needed: 10,
      band: 'independence',
      scheme: 'Shah 1989',
      verified: true,
    },
    {
      ...about,
      scale: 'gripStrength',
      total: 12,
      given: 1,
      band: LOW_GRIP,
      scheme: 'EWGSOP2 2019',
      verified: true,
    },
    {
      ...about,
      scale: 'painad',
      total: 4,
      given: 0,
      needed: 5,
      band: 'moderate',
      scheme: 'Informal bands',
      verified: false,
    },
  ])
})

test('a total that a model uses is described as without the model', () => {
  const items = itemsOf('barthel', 5)
  assert.deepEqual(describer({ model: 'profund' })(items), byDefault(items))
})

test('a total in another unit is written as it was received, and judged in its own', () => {
  const describe = describer({ units: { barthel_total: 'of 20' } })
  for (const record of [
    { barthel_total: 15 },
    itemsOf('barthel', 5, { feeding: 10, stairs: 10, toiletUse: 10, mobility: 15 }),
  ]) {
    const [{ total, band } = assert.fail()] = describe(record)
    assert.deepEqual([total, band], [15, 'moderate dependence'])
  }
})

test('a deployment chooses a scheme, and of several with one name the one for the record', () => {
  const describe = describer({
    bands: { gripStrength: 'AWGS 2019', edmonton: 'four bands', cirs: 'Haematology' },
  })
  const bandOf = (record: object): unknown =>
    describe(record).map(({ band, scheme, verified }) => [band, scheme, verified])[0]
  assert.deepEqual(bandOf({ sex: 'F', gripStrength_kg: 17 }), ['low strength', 'AWGS 2019', true])
  assert.deepEqual(bandOf({ sex: 'M', gripStrength_kg: 28 }), ['not low', 'AWGS 2019', true])
  assert.deepEqual(bandOf({ sex: 'X', gripStrength_kg: 17 }), [null, null, false])
  assert.deepEqual(bandOf({ edmonton_total: 4 }), ['prefrail', 'four bands', false])
  assert.deepEqual(bandOf({ cirs_total: 14, cirs_coding: '1-5' }), ['fit', 'Haematology', false])
  assert.deepEqual(bandOf({ cirs_total: 21, cirs_coding: '1-5' }), ['unfit', 'Haematology', false])
  assert.deepEqual(bandOf({ cirs_total: 14, cirs_coding: '0-4' }), ['unfit', 'Haematology', false])
  assert.deepEqual(bandOf({ cirs_total: 14 }), [null, null, false])
})

type Scheme = NonNullable<ScaleDefinition['bands']>[number]
const scheme = (name: string, more: Partial<Scheme>): Scheme => {
  return { scheme: name, verified: true, bands: [{ from: 0, to: 9, label: name }], ...more }
}

/** A describer of one scale of two items, in a model that takes one of its items as optional. */
function small(
  bands: readonly Scheme[],
  more: Partial<ScaleDefinition> = {},
): (record: object) => readonly ScaleState[] {
  const walk = scale('walk', { left: [0, 1, 2], right: [0, 1, 2] }, { bands: [...bands], ...more })
  const fields = new Map(
    ['age', 'sex'].map((name) => [name, catalog.fields.get(name) ?? assert.fail(name)] as const),
  )
  const definitions = { fields, scales: [walk] }
  const tiny = model(
    { walk_left: { whenAbsent: 1, why: 'a test' }, walk_total: { whenAbsent: 2, why: 'a test' } },
    [{ kind: 'linear', field: 'walk_left', coefficient: 1 }],
  )
  const plan = makePlan(definitions, tiny)
  const assessor = new Assessor(plan, compileModel(tiny, plan))
  const describe = compileScaleStates(plan, definitions)
  return (record) => {
    assessor.assess({ idx: 1, ...record }, 0, { today: TODAY, reportUnknown: true, maxKeys: 99 })
    const { values, states } = assessor.slots
    const before = [values.join(), states.join()]
    const described = describe(assessor.slots)
    assert.deepEqual([values.join(), states.join()], before, 'the slots of the record have changed')
    return described
  }
}

test('bands by age hold from the first to the last year, and not without an age', () => {
  const describe = small([scheme('young', { age: { to: 74 } }), scheme('old', { age: { from: 75, to: 90 } })])
  const ages = [
    [74, 'young'],
    [75, 'old'],
    [90, 'old'],
    [91, null],
    [null, null],
    [-1, null],
  ] as const
  for (const [age, band] of ages) assert.equal(describe({ age, walk_total: 1 })[0]?.band, band, String(age))
})

test('bands for the absence of a part hold only without a usable value of it', () => {
  const context = { schooling: { label: 'S', values: { short: 'short', long: 'long' } } }
  const describe = small([scheme('unknown', { absent: 'schooling' })], { context })
  const values = [
    [null, 'unknown'],
    ['medium', 'unknown'],
    ['short', null],
  ] as const
  for (const [walk_schooling, band] of values)
    assert.equal(describe({ walk_schooling, walk_total: 1 })[0]?.band, band, String(walk_schooling))
})

test('bands by coding hold for the declared coding alone', () => {
  const describe = small([scheme('as it is', { coding: 'zero' })], {
    codings: { default: 'zero', forms: { zero: { meaning: 'Z' }, one: { meaning: 'O', shift: 1 } } },
  })
  const codings = [
    ['zero', 'as it is'],
    [null, 'as it is'],
    ['one', null],
    ['two', null],
  ] as const
  for (const [walk_coding, band] of codings)
    assert.equal(describe({ walk_coding, walk_total: 3 })[0]?.band, band, String(walk_coding))
})

/** The model's stand-ins for absent values are not values of the record. */
const STAND_INS: readonly (readonly [string, object, Expected])[] = [
  ['a total without the item that the model assumes', { walk_total: 3 }, [3, true, 0, 2, 'any']],
  ['an item without the total that the model assumes', { walk_right: 1 }, [null, false, 1, 2, null]],
  ['both items', { walk_right: 1, walk_left: 2 }, [3, true, 2, 2, 'any']],
  ['a wrong item that the model replaces', { walk_right: 1, walk_left: 7 }, [null, false, 1, 2, null]],
  ['a wrong item beside a total', { walk_total: 3, walk_left: 7 }, [null, false, 0, 2, null]],
  [
    'a wrong total that the model replaces',
    { walk_right: 1, walk_left: 2, walk_total: 'x' },
    [null, false, 2, 2, null],
  ],
]
for (const [name, record, [total, complete, given, needed, band]] of STAND_INS) {
  test(`${name}: ${band ?? 'no band'}`, () => {
    const [state] = small([scheme('any', {})])(record)
    assert.deepEqual(state, {
      ...{ scale: 'walk', total, complete, given, needed, band, scheme: band, verified: band !== null },
    })
  })
}

test('the default is the marked scheme, else the only confirmed one', () => {
  const bandsOf = (...schemes: readonly Scheme[]): unknown => small(schemes)({ walk_total: 1 })[0]?.band
  const [a, b] = [scheme('a', {}), scheme('b', {})]
  assert.equal(bandsOf(a), 'a')
  assert.equal(bandsOf(a, b), null)
  assert.equal(bandsOf(a, { ...b, default: true }), 'b')
  assert.equal(bandsOf(a, { ...b, verified: false }), 'a')
  assert.equal(bandsOf(a, { ...b, default: false }), 'a')
  assert.equal(bandsOf({ ...a, default: false }), null)
  assert.equal(bandsOf({ ...a, verified: false }), null)
  assert.equal(bandsOf({ ...a, verified: false, default: true }, b), 'a')
})

test('a rule that every combination of a total meets needs no items', () => {
  const describe = small([scheme('plain', { rules: [{ anyItem: 2, from: 2, to: 4, label: 'red' }] })])
  const bands = [0, 1, 2, 3, 4].map((walk_total) => describe({ walk_total })[0]?.band)
  // 2 is 0 + 2 or 1 + 1; 3 and 4 cannot do without a 2.
  assert.deepEqual(bands, ['plain', 'plain', null, 'red', 'red'])
})
