/** Vital signs, weight and height by their LOINC codes become readings, and readings become points. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIELD_SYSTEM } from '../../../src/adapters/fhir/codings.ts'
import { wantedBy } from '../../../src/adapters/fhir/read/read-patient.ts'
import { searchesFor } from '../../../src/adapters/fhir/fetch/searches.ts'
import { createScaleReader } from '@patient-risk/catalog'
import type { ScaleDefinition } from 'patient-risk-engine/definition'
import { readingModel } from '../../../../../test/support/reading-models.ts'
import { testCatalog } from '../../../../../test/support/serve.ts'
import { type RecordCase, checkRecords } from './record-cases.ts'
import { mapping } from '../../../../../test/support/mapping.ts'
import { type Resource, STAY, bundle, encounter, observation, patient, recordsOf, ucum } from './source.ts'

const coded = (code: string): Resource => ({ coding: [{ system: 'http://loinc.org', code }] })
const own = (id: string, code: string, value: Resource): Resource => {
  return { ...observation(id, '0', undefined), code: { coding: [{ system: FIELD_SYSTEM, code }] }, ...value }
}
const VITAL_SIGNS: readonly Resource[] = [
  STAY,
  observation('rr', '9279-1', ucum(22, '/min')),
  observation('sat', '59408-5', ucum(94, '%')),
  {
    ...observation('bp', '85354-9', ucum(0, 'mm[Hg]')),
    valueQuantity: undefined,
    component: [
      { code: coded('8480-6'), valueQuantity: ucum(105, 'mm[Hg]') },
      { code: coded('8462-4'), valueQuantity: ucum(60, 'mm[Hg]') },
    ],
  },
  observation('hr', '8867-4', ucum(115, '/min')),
  observation('t', '8310-5', ucum(101.3, '[degF]')),
  own('scale', 'news2_saturationScale', { valueInteger: 1 }),
  own('oxygen', 'news2_supplementalOxygenReading', { valueString: 'oxygen' }),
  own('awake', 'news2_consciousnessReading', { valueString: 'A' }),
]
/** The vital signs with one of them replaced or changed. */
const with_ = (id: string, more: Resource): readonly Resource[] =>
  VITAL_SIGNS.map((each) => (each['id'] === id ? { ...each, ...more } : each))
const SNOMED = (code: string): Resource => ({ coding: [{ system: 'http://snomed.info/sct', code }] })
const OF_STAY = { encounter: { reference: 'Encounter/index' } }
const LED = { ...encounter('led', 'EMER', '2026-03-02T06:00:00+01:00', '2026-03-02T10:00:00+01:00') }
const OXYGEN: readonly (readonly [string, number, string, unknown])[] = [
  ['3151-8', 0, 'L/min', 'air'],
  ['3151-8', 2, 'L/min', 'oxygen'],
  ['3151-8', 500, 'mL/min', 'oxygen'],
  ['3150-6', 21, '%', 'air'],
  ['3150-6', 28, '%', 'oxygen'],
  ['3150-6', 10, '%', null],
  ['3151-8', 2, 'kg', null],
]
const ACVPU: readonly (readonly [string, unknown])[] = [
  ['248234008', 'A'],
  ['130987000', 'C'],
  ['300202002', 'V'],
  ['450847001', 'P'],
  ['422768004', 'U'],
  ['1', null],
]
/** A panel of vital signs without a value of its own. */
const PANEL: Resource = {
  ...observation('panel', '85353-1', undefined),
  component: [
    { code: coded('9279-1'), valueQuantity: ucum(22, '/min') },
    { code: coded('59408-5'), valueQuantity: ucum(94, '%') },
    { code: coded('8867-4'), valueQuantity: ucum(115, '/min') },
    { code: coded('8310-5'), valueQuantity: ucum(101.3, '[degF]') },
  ],
}
const BODY: readonly Resource[] = [
  STAY,
  observation('w', '29463-7', ucum(64_800, 'g')),
  observation('h', '8302-2', ucum(1.8, 'm')),
]

const CASES: readonly RecordCase[] = [
  {
    name: 'vital signs',
    resources: VITAL_SIGNS,
    record: {
      news2_respirationRateReading: 22,
      news2_spo2Reading: 94,
      news2_saturationScale: 1,
      news2_supplementalOxygenReading: 'oxygen',
      news2_systolicBpReading: 105,
      news2_pulseReading: 115,
      news2_consciousnessReading: 'A',
      news2_temperatureReading: 38.5,
    },
  },
  {
    name: 'weight in grams and height in metres',
    resources: BODY,
    record: {
      must_weight: 64.8,
      must_height: 180,
      gnri_weight: 64.8,
      waterlow_height: 180,
      must_bmiReading: null,
    },
    why: { must_bmiReading: /No Observation/ },
  },
  {
    name: 'weight in pounds and height in inches',
    resources: [
      STAY,
      observation('w', '29463-7', ucum(100, '[lb_av]')),
      observation('h', '8302-2', ucum(60, '[in_i]')),
    ],
    record: { mna_weight: 45.36, mna_height: 152.4 },
  },
  ...(
    [
      ['8310-5', 37.05, 'Cel', 'news2_temperatureReading', 37.1],
      ['8310-5', 38.04, 'Cel', 'news2_temperatureReading', 38],
      ['8310-5', 38.05, 'Cel', 'news2_temperatureReading', 38.1],
      ['8310-5', 98.6, '[degF]', 'news2_temperatureReading', 37],
      ['8310-5', 310.2, 'K', 'news2_temperatureReading', 37.1],
      ['8480-6', 16, 'kPa', 'news2_systolicBpReading', 120],
      ['8480-6', 119.5, 'mm[Hg]', 'news2_systolicBpReading', 120],
      ['9279-1', 0.3, '/s', 'news2_respirationRateReading', 18],
      ['8867-4', 1.25, 'Hz', 'news2_pulseReading', 75],
      ['2708-6', 0.94, '1', 'news2_spo2Reading', 94],
      ['8302-2', 67, '[in_i]', 'gnri_height', 170.18],
      ['39156-5', 21.96, 'kg/m2', 'must_bmiReading', 21.96],
    ] as const
  ).map(([code, value, unit, field, expected]) => ({
    name: `${value} ${unit} is rounded to the step of ${field}: ${expected}`,
    resources: [STAY, observation('a', code, ucum(value, unit))],
    record: { [field]: expected },
  })),
  ...OXYGEN.map(([code, value, unit, expected]) => ({
    name: `oxygen as ${code}, ${value} ${unit}: ${String(expected)}`,
    resources: [STAY, observation('a', code, ucum(value, unit))],
    record: { news2_supplementalOxygenReading: expected },
  })),
  ...ACVPU.map(([code, expected]) => ({
    name: `consciousness as ${code}: ${String(expected)}`,
    resources: [
      STAY,
      observation('a', 'x', undefined, {
        code: SNOMED('1104441000000107'),
        valueCodeableConcept: SNOMED(code),
      }),
    ],
    record: { news2_consciousnessReading: expected },
  })),
  ...(
    [
      ['59 minutes before the others belongs to the set', '2026-03-05T07:01:00+01:00', 22, 115],
      ['an hour before the others belongs to the set', '2026-03-05T07:00:00+01:00', 22, 115],
      ['61 minutes before the others does not', '2026-03-05T06:59:00+01:00', null, 115],
      ['of the day before does not', '2026-03-04T08:00:00+01:00', null, 115],
      ['of the day before, without a time, may', '2026-03-04', null, null],
      ['of two days before, without a time, does not', '2026-03-03', null, 115],
      [
        'two hours after the others is the set, and the others are not',
        '2026-03-05T10:00:00+01:00',
        22,
        null,
      ],
      ['without a time: which ones belong together is not known', '2026-03-05', null, null],
    ] as const
  ).map(([name, effectiveDateTime, respiration, pulse]) => ({
    name: `a respiration rate ${name}`,
    resources: with_('rr', { effectiveDateTime }),
    record: { news2_respirationRateReading: respiration, news2_pulseReading: pulse },
  })),
  {
    name: 'readings of another Encounter are not of the set',
    resources: [
      LED,
      ...VITAL_SIGNS.map((each) =>
        each['id'] === 'rr'
          ? { ...each, encounter: { reference: 'Encounter/led' } }
          : { ...each, ...OF_STAY },
      ),
    ],
    record: { news2_pulseReading: 115, news2_respirationRateReading: null },
    why: { news2_respirationRateReading: /not taken in the latest set/ },
  },
  {
    name: 'a reading that may count and may be of the set makes the set uncertain',
    resources: [...VITAL_SIGNS, observation('x', '8867-4', ucum(40, '/min'), { status: undefined })],
    record: { news2_pulseReading: null, news2_respirationRateReading: null },
  },
  {
    name: 'the saturation scale is no reading: it is set once',
    resources: with_('scale', { effectiveDateTime: '2026-03-02' }),
    record: { news2_saturationScale: 1, news2_pulseReading: 115 },
  },
  ...OXYGEN.map(([code, value, unit, reading]) => ({
    name: `oxygen as a component of pulse oximetry: ${code} ${value} ${unit}`,
    resources: with_('sat', {
      component: [{ code: coded(code), valueQuantity: ucum(value, unit) }],
    }).filter(({ id }) => id !== 'oxygen'),
    record: { news2_supplementalOxygenReading: reading, news2_spo2Reading: 94 },
  })),
  {
    name: 'vital signs as components of one panel',
    resources: [STAY, PANEL],
    record: {
      news2_respirationRateReading: 22,
      news2_spo2Reading: 94,
      news2_pulseReading: 115,
      news2_temperatureReading: 38.5,
    },
  },
  {
    name: 'a component has the status of its panel',
    resources: [STAY, { ...PANEL, status: 'entered-in-error' }],
    record: { news2_pulseReading: null },
  },
  {
    name: 'a component without a value is not read',
    resources: [
      STAY,
      {
        ...PANEL,
        component: [{ code: coded('8867-4'), valueQuantity: ucum(1, '/min'), dataAbsentReason: {} }],
      },
    ],
    record: { news2_pulseReading: null },
  },
  {
    name: 'a component and an Observation of the same time with different values contradict each other',
    resources: [STAY, PANEL, observation('hr', '8867-4', ucum(60, '/min'))],
    record: { news2_pulseReading: null, news2_respirationRateReading: 22 },
    why: { news2_pulseReading: /Several Observations are the latest/ },
  },
  {
    name: 'the latest of a component and an Observation counts',
    resources: [
      STAY,
      PANEL,
      observation('hr', '8867-4', ucum(60, '/min'), { effectiveDateTime: '2026-03-05T08:30:00+01:00' }),
    ],
    record: { news2_pulseReading: 60, news2_respirationRateReading: 22 },
  },
  {
    name: 'a panel of nobody may be the latest',
    resources: [STAY, observation('hr', '8867-4', ucum(60, '/min')), { ...PANEL, subject: {} }],
    record: { news2_pulseReading: null },
  },
  {
    name: 'a laboratory value as a component of a panel',
    resources: [
      STAY,
      {
        ...observation('lab', '58410-2', undefined),
        component: [
          { code: coded('718-7'), valueQuantity: ucum(11.2, 'g/dL') },
          { code: coded('4544-3'), valueQuantity: ucum(33, '%') },
        ],
      },
    ],
    record: { haemoglobin: 11.2 },
  },
  {
    name: 'weight and height are of no set',
    resources: [
      STAY,
      observation('w', '29463-7', ucum(64, 'kg'), { effectiveDateTime: '2026-03-02' }),
      observation('h', '8302-2', ucum(170, 'cm')),
    ],
    record: { must_weight: 64, must_height: 170 },
  },
  {
    name: 'a given total is taken, not its readings',
    resources: [...VITAL_SIGNS, own('sum', 'news2_total', { valueInteger: 9 })],
    record: { news2_total: 9, news2_pulseReading: null },
  },
  {
    name: 'an item beside readings',
    resources: [...BODY, own('ill', 'must_acuteDisease', { valueInteger: 2 })],
    record: { must_acuteDisease: 2, must_weight: 64.8 },
  },
]
checkRecords(CASES)

const catalog = testCatalog()
const read = createScaleReader(catalog.definitions)
for (const [resources, figure, points] of [
  [VITAL_SIGNS, 'news2_total', 9],
  [BODY, 'must_bmi', 1],
  [BODY, 'waterlow_build', 0],
] as const)
  test(`${figure} of the record is ${points}`, () => {
    const [found] = recordsOf(bundle(patient(), ...resources))
    assert.equal(read(found?.record ?? {}).figure(figure), points)
  })

test('a model with a scale of readings asks for them, and for age and sex', () => {
  const wanted = wantedBy(
    readingModel(catalog.scales.get('waterlow') as ScaleDefinition),
    catalog.definitions,
  )
  assert.deepEqual(wanted.fields, ['sex', 'age'])
  const { observations = '' } = searchesFor(wanted, mapping)
  for (const code of ['29463-7', '8302-2', '718-7', 'waterlow_weightLossReading'])
    assert.ok(observations.includes(`|${code}`), code)
})
