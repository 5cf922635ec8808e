/** The units of one feed: a change shows within 200 records, a right unit raises no alarm, and units are told apart. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { type Deployment, makeDeployments } from '@patient-risk/catalog'
import { makePlan } from 'patient-risk-engine'
import { ALARM_AT, Detector, evidenceOfCounts, testShare, randomFrom } from '@patient-risk/statistics'
import { FeedField, type UnitAlarm, type WatchedField, watchedFields } from '../src/units/feed-units.ts'
import { testCatalog } from '../../../test/support/serve.ts'

const catalog = testCatalog()

function fieldOf(model: string, field: string, units: DeploymentSettings['units'] = {}): WatchedField {
  const entry = { name: 'ward', basePath: '/', model, output: 'number', units } as const
  const { model: used, scorerOptions } = makeDeployments(catalog, [entry]).deployments[0] as Deployment
  const { definition } = used
  const plan = makePlan(catalog.definitions, definition, scorerOptions.conversions)
  const found = watchedFields({ plan, units: catalog.units, model: definition }).find(
    (each) => each.field === field,
  )
  assert.ok(found)
  return found
}

/** How many values it takes until an alarm, and which; Infinity where none comes. */
function runOf(test: FeedField, values: Iterable<number>): readonly [number, UnitAlarm | undefined] {
  let seen = 0
  for (const value of values) {
    seen++
    const alarm = test.add(value)
    if (alarm !== undefined) return [seen, alarm]
  }
  return [Infinity, undefined]
}

function normal(mean: number, spread: number, count: number, seed: number): number[] {
  const random = randomFrom(seed)
  const draw = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return Array.from({ length: count }, () => Math.max(0.1, Math.round((mean + spread * draw()) * 10) / 10))
}

const HAEMOGLOBIN = fieldOf('profund', 'haemoglobin')

for (const mean of [12, 12.5, 13, 13.5, 14]) {
  test(`10,000 values around ${mean} g/dL raise no alarm, and a change to mmol/L one within 200 records`, () => {
    for (let seed = 0; seed < 20; seed++) {
      const feed = new FeedField(HAEMOGLOBIN, false)
      assert.deepEqual(runOf(feed, normal(mean, 2, 10_000, seed)), [Infinity, undefined])
      const changed = normal(mean, 2, 200, 1_000 + seed).map((value) => value * 0.6206)
      const [records, alarm] = runOf(feed, changed)
      assert.ok(records <= 200, `${records} records`)
      assert.deepEqual(alarm, { likely: 'mmol/L', reference: 'history' })
    }
  })
}

test('on a fresh service values around 8.8 mmol/L raise an alarm', () => {
  for (let seed = 0; seed < 20; seed++) {
    const feed = new FeedField(HAEMOGLOBIN, false)
    const [records, alarm] = runOf(feed, normal(8.8, 1.2, 3_000, seed))
    assert.ok(records < 3_000)
    assert.equal(alarm?.likely, 'mmol/L')
  }
})

/** Model · field · unit received · a value of the feed · the unit that is likely. */
const FEEDS = [
  ['profund', 'haemoglobin', 'g/dL', 121, 'g/L'],
  ['profund', 'haemoglobin', 'g/dL', 7.5, 'mmol/L'],
  ['profund', 'haemoglobin', 'g/L', 12.1, 'g/dL'],
  ['profund', 'haemoglobin', 'g/L', 7.5, 'mmol/L'],
  ['profund', 'haemoglobin', 'mmol/L', 12.1, 'g/dL'],
  ['profund', 'haemoglobin', 'mmol/L', 121, 'g/L'],
  ['walter', 'creatinine', 'mg/dL', 88, 'µmol/L'],
  ['walter', 'creatinine', 'µmol/L', 1.1, 'mg/dL'],
  ['walter', 'albumin', 'g/dL', 35, 'g/L'],
  ['profund', 'barthel_total', 'of 100', 17, 'of 20'],
  ['profund', 'barthel_total', 'of 20', 85, 'of 100'],
] as const
for (const [model, field, received, value, likely] of FEEDS) {
  test(`${field} received in ${received}, each ${value}: ${likely}, not before enough values`, () => {
    const feed = new FeedField(fieldOf(model, field, { [field]: received }), false)
    const [records, alarm] = runOf(feed, new Array<number>(200).fill(value))
    assert.deepEqual(alarm, { likely, reference: 'absolute' })
    // Of a list of numbers every value counts, and each says more.
    assert.ok(field === 'barthel_total' ? records < 31 : records >= 93 && records < 150, `${records} records`)
  })
}

test('the cuts are the geometric middles between the usual medians', () => {
  const cutOf = ({ median, others }: WatchedField, unit: string): number =>
    median * Math.sqrt(others.find(([name]) => name === unit)?.[1] ?? 0)
  assert.equal(cutOf(HAEMOGLOBIN, 'mmol/L').toFixed(1), '9.5')
  assert.equal(cutOf(fieldOf('walter', 'creatinine'), 'µmol/L').toFixed(1), '9.4')
  assert.equal(cutOf(fieldOf('walter', 'albumin'), 'g/L').toFixed(0), '11')
})

test('a ward whose median is 9.0 g/dL always raises an alarm; with a confirmed unit only its own history counts', () => {
  const ward = normal(9, 1.8, 20_000, 4)
  assert.equal(runOf(new FeedField(HAEMOGLOBIN, false), ward)[1]?.reference, 'absolute')
  const confirmed = new FeedField(HAEMOGLOBIN, true)
  assert.deepEqual(runOf(confirmed, ward), [Infinity, undefined])
  const changed = normal(9, 1.8, 200, 5).map((value) => value * 0.6206)
  assert.deepEqual(runOf(confirmed, changed)[1], { likely: 'mmol/L', reference: 'history' })
})

test('a Barthel out of 100 may be low, and has no alarm; one out of 20 has one, for totals under 20 too', () => {
  const low = Array.from({ length: 3_000 }, (_each, at) => (at % 5) * 5)
  const feed = new FeedField(fieldOf('profund', 'barthel_total'), false)
  assert.deepEqual(runOf(feed, low), [Infinity, undefined])
  const [records, alarm] = runOf(
    feed,
    Array.from({ length: 60 }, (_each, at) => (at * 8) % 21),
  )
  assert.ok(records <= 25, `${records} records`)
  assert.equal(alarm?.likely, 'of 20')
})

test('zeros, infinities and what is not a number count for nothing', () => {
  const feed = new FeedField(HAEMOGLOBIN, false)
  assert.deepEqual(runOf(feed, new Array(500).fill([0, -1, Number.NaN, Infinity]).flat()), [
    Infinity,
    undefined,
  ])
})

test('in mean the evidence grows by at most 1 a record while the share is in order', () => {
  for (const most of [0.02, 0.2, 0.5, 0.8]) {
    const { ifSuch, ifNot } = testShare(most)
    ifSuch.forEach((factor, at) => assert.ok(most * factor + (1 - most) * (ifNot[at] ?? 2) <= 1))
  }
})

test('31 values beyond a cut are needed for an alarm; the order of counts does not matter', () => {
  const test = testShare(0.5, [0.6, 0.75, 0.95])
  const detector = new Detector(test)
  for (let count = 0; count < 30; count++) detector.add(true)
  assert.ok(detector.mean < ALARM_AT)
  detector.add(true)
  assert.ok(detector.mean >= ALARM_AT)
  assert.ok(Math.abs(evidenceOfCounts(test, 1, 0) - (1.2 ** 0.7 + 1.5 ** 0.7 + 1.9 ** 0.7) / 3) < 1e-12)
})
