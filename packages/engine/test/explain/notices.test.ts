/** Notices: what each code is for, what it is not for, and that no text carries a submitted value. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { makeDeployments } from '@patient-risk/catalog'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import type { ContradictionsDefinition } from '../../src/definition/contradictions.ts'
import type { Notice } from '../../src/explain/notices.ts'
import type { Scorer } from '../../src/scorer.ts'
import { Random } from '../../../../test/support/random.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { TODAY, model, scorerOf } from '../../../../test/support/small-definitions.ts'

const catalog = testCatalog()

const scorers = new Map<string, Scorer>()

function noticesOf(record: object, more: Partial<DeploymentSettings> = {}): readonly Notice[] {
  const name = JSON.stringify(more)
  const scorer = scorers.get(name) ?? scorerWith(more)
  scorers.set(name, scorer)
  return scorer.restsOn(scorer.assess({ idx: 1, ...record }, TODAY), TODAY).notices
}

function scorerWith(more: Partial<DeploymentSettings>): Scorer {
  const { deployments, faults } = makeDeployments(catalog, [
    { name: 'a', basePath: '/', model: 'readmission30', output: 'number', ...more },
  ])
  assert.deepEqual(faults, [])
  return deployments[0]?.scorer ?? assert.fail()
}

const COMPLETE = { age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const PROFUND = { model: 'profund' }
const BARTHEL_20 = { model: 'profund', units: { barthel_total: 'of 20' } }

/** What the record is · the record · settings · code and field of each notice. */
const CASES: readonly (readonly [string, object, Partial<DeploymentSettings>, readonly string[]])[] = [
  ['nothing to say', COMPLETE, {}, []],
  ['thoughts of self-harm on some days', { phq9_selfHarm: 1 }, {}, ['act-on-item phq9_selfHarm']],
  ['no such thoughts', { phq9_selfHarm: 0 }, {}, []],
  ['the highest total, without items', { phq9_total: 27 }, {}, []],
  ['an item that is out of range', { phq9_selfHarm: 4 }, {}, []],
  [
    'such thoughts beside a wrong total',
    { ...COMPLETE, phq9_selfHarm: 2, phq9_total: 1 },
    {},
    ['act-on-item phq9_selfHarm'],
  ],
  [
    'before all other notices, whatever the model',
    { phq9_selfHarm: 3, haemoglobin: 8.1 },
    PROFUND,
    ['act-on-item phq9_selfHarm', 'unit-doubt haemoglobin'],
  ],
  ['one vital sign with 2', { news2_pulse: 2 }, {}, []],
  ['one vital sign with 3', { news2_pulse: 3 }, {}, ['act-on-item news2_pulse']],
  ['the oxygen of NEWS2 is never 3', { news2_supplementalOxygen: 2 }, {}, []],
  ['a pulse of 130', { news2_pulseReading: 130 }, {}, []],
  ['a pulse of 131', { news2_pulseReading: 131 }, {}, ['act-on-item news2_pulse']],
  [
    'each of two vital signs with 3',
    { news2_pulse: 3, news2_temperatureReading: 35 },
    {},
    ['act-on-item news2_pulse', 'act-on-item news2_temperature'],
  ],
  ['discoloured skin', { waterlow_skinDiscoloured: 2 }, {}, ['act-on-item waterlow_skinDiscoloured']],
  ['broken skin', { waterlow_skinBroken: 3 }, {}, ['act-on-item waterlow_skinBroken']],
  ['whole skin', { waterlow_skinBroken: 0, waterlow_skinDiscoloured: 0 }, {}, []],
  [
    'the ends of the data are inside',
    { ...COMPLETE, age: 99, inpatientAdmissions: 21, stayDays: 14 },
    {},
    [],
  ],
  [
    'beyond the ends of the data',
    { ...COMPLETE, age: 110, inpatientAdmissions: 100, stayDays: 3650 },
    {},
    ['outside-data age', 'outside-data inpatientAdmissions', 'outside-data stayDays'],
  ],
  ['below the lowest of the data', { ...COMPLETE, stayDays: 0 }, {}, ['outside-data stayDays']],
  ['a value that is refused is no value of the data', { ...COMPLETE, age: 400 }, {}, []],
  ['another model has no data to compare with', { ...COMPLETE, age: 110 }, PROFUND, []],
  [
    'a total of some items',
    { ...COMPLETE, barthel_feeding: 10, barthel_bathing: 5, barthel_total: 15 },
    {},
    ['incomplete-scale barthel_total'],
  ],
  ['a total without items', { ...COMPLETE, barthel_total: 15 }, {}, []],
  ['items without a total', { ...COMPLETE, barthel_feeding: 10, barthel_bathing: 5 }, {}, []],
  ['a total that differs from some items', { ...COMPLETE, barthel_feeding: 10, barthel_total: 50 }, {}, []],
  ['366 days', { ...COMPLETE, mna_date: '14-03-2025', mna_total: 20 }, {}, []],
  ['367 days', { ...COMPLETE, mna_date: '13-03-2025', mna_total: 20 }, {}, ['old-assessment mna_date']],
  [
    'the limit of the deployment',
    { ...COMPLETE, mna_date: '13-02-2026' },
    { assessmentDays: 29 },
    ['old-assessment mna_date'],
  ],
  ['no limit', { ...COMPLETE, mna_date: '01-01-1990' }, { assessmentDays: null }, []],
  ['a woman with the item for men', { ...COMPLETE, prisma7_male: 1 }, {}, ['contradiction prisma7_male']],
  ['sex X contradicts nothing', { ...COMPLETE, sex: 'X', prisma7_male: 1 }, {}, []],
  [
    '84 years without the point',
    { ...COMPLETE, nrs2002_ageAdjustment: 0 },
    {},
    ['contradiction nrs2002_ageAdjustment'],
  ],
  ['84 years with the point', { ...COMPLETE, nrs2002_ageAdjustment: 1 }, {}, []],
  ['two scales without the age', { g8_ageBand: 2, prisma7_over85: 1 }, {}, ['contradiction prisma7_over85']],
  ['85 years and not over 85', { ...COMPLETE, age: 85, prisma7_over85: 0, g8_ageBand: 1 }, {}, []],
  ['more visits in less time', { ...COMPLETE, edVisits6Months: 3 }, {}, ['contradiction edVisits6Months']],
  [
    'the MNA and its short form',
    { mna_mobility: 1, mnaSf_mobility: 2 },
    {},
    ['contradiction mnaSf_mobility'],
  ],
  [
    'the same on another day',
    { mna_mobility: 1, mna_date: '01-03-2026', mnaSf_mobility: 2, mnaSf_date: '02-03-2026' },
    {},
    [],
  ],
  ['no caregiver, and a burden', { caregiver: 'none', zarit_item1: 2 }, {}, ['contradiction zarit_item1']],
  ['haemoglobin in another unit', { haemoglobin: 8.1 }, PROFUND, ['unit-doubt haemoglobin']],
  ['haemoglobin out of range', { haemoglobin: 135 }, PROFUND, ['unit-doubt haemoglobin']],
  ['a usual haemoglobin', { haemoglobin: 12 }, PROFUND, []],
  ['a haemoglobin that fits no unit', { haemoglobin: 2 }, PROFUND, []],
  [
    'the same where the unit is declared',
    { haemoglobin: 8.1 },
    { ...PROFUND, units: { haemoglobin: 'mmol/L' } },
    [],
  ],
  ['a field that the model does not use', { ...COMPLETE, haemoglobin: 8.1 }, {}, []],
  [
    'a total of 100 where one of 20 is declared',
    { barthel_total: 20 },
    PROFUND,
    ['unit-doubt barthel_total'],
  ],
  ['a low total of 20', { barthel_total: 4 }, BARTHEL_20, []],
]
for (const [name, record, settings, expected] of CASES) {
  test(`notices: ${name}`, () => {
    const found = noticesOf(record, settings)
    assert.deepEqual(
      found.map(({ code, field }) => `${code} ${field}`),
      expected,
    )
    for (const { text } of found) assert.match(text, /^\S.*\.$/)
  })
}

test('what the model takes for a missing value is said, and only then', () => {
  const field = { type: 'integer', from: 0, to: 9, meaning: 'a' } as const
  const scorer = scorerOf({
    fields: { a: field },
    model: model({ a: { whenAbsent: 4, why: 'a test' } }, [{ kind: 'linear', field: 'a', coefficient: 1 }]),
  })
  const of = (record: object): readonly Notice[] =>
    scorer.restsOn(scorer.assess({ idx: 1, ...record }, TODAY), TODAY).notices
  assert.deepEqual(of({ a: 3 }), [])
  const text = 'a is missing or not usable; tiny takes 4 in its place.'
  assert.deepEqual(of({}), [{ code: 'assumed', field: 'a', text }])
})

test('a record that is refused as a whole has no scales, no notices and no range', () => {
  const { deployments } = makeDeployments(catalog, [
    { name: 'a', basePath: '/', model: 'profund', output: 'number', limits: { keysPerRecord: 16 } },
  ])
  const { scorer } = deployments[0] ?? assert.fail()
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`x${at}`, 1]))
  for (const record of [7, { idx: 1, haemoglobin: 8.1, barthel_total: 50, ...many }]) {
    const rest = scorer.restsOn(scorer.assess(record, TODAY), TODAY)
    assert.deepEqual(rest, { explanation: null, scales: [], notices: [], range: null })
  }
})

test('no text changes with a submitted value', () => {
  const random = new Random(5)
  const texts = new Map<string, string>()
  for (let i = 0; i < 2_000; i++) {
    const [weight, age] = [random.below(2), 100 + random.below(11)]
    const record = {
      ...COMPLETE,
      age,
      stayDays: 15 + random.below(3_000),
      charlson_dementia: weight,
      dementia: weight === 0,
    }
    for (const { code, field, text } of noticesOf(record)) {
      const known = texts.get(`${code} ${field}`)
      assert.equal(known ?? text, text)
      texts.set(`${code} ${field}`, text)
    }
  }
  assert.deepEqual([...texts.keys()].sort(), [
    'contradiction charlson_dementia',
    'outside-data age',
    'outside-data stayDays',
  ])
})

const FILE = JSON.parse(readFileSync('clinical/contradictions.json', 'utf8')) as ContradictionsDefinition

const BOXES = ['memory', 'orientation', 'judgment', 'communityAffairs', 'homeHobbies', 'personalCare']

for (const { id, all } of FILE.rules ?? []) {
  test(`the rule ${id} can be broken, and needs each of its conditions`, () => {
    const part = (condition: (typeof all)[number]): object => {
      if (condition.kind === 'aboveField') return { [condition.field]: 2, [condition.other]: 1 }
      // The rules give 0 for these boxes.
      if (condition.kind === 'differsFromRules')
        return { [condition.field]: 0.5, ...Object.fromEntries(BOXES.map((box) => [`cdr_${box}`, 0])) }
      return condition.kind === 'anyGiven'
        ? {
            [condition.fields[0] ?? '']:
              catalog.domains.get(condition.fields[0] ?? '')?.kind === 'list' ? 0 : 1,
          }
        : { [condition.field]: condition.values[0] }
    }
    const count = (parts: readonly object[]): number =>
      noticesOf(Object.assign({}, ...parts) as object).filter(({ code }) => code === 'contradiction').length
    const parts = all.map(part)
    assert.ok(count(parts) > 0)
    parts.forEach((_, left) => assert.equal(count(parts.filter((_, at) => at !== left)), 0))
  })
}
