/** When inputs and risks have moved away from the profile: after the record that the published recursion, written here again, says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { Assessor, makePlan, compileModel } from 'patient-risk-engine'
import { ALARM_AT, evidenceOfCounts, testShare } from '@patient-risk/statistics'
import { FEWEST_RECORDS, ProfileCounter, driftOf } from '../src/drift/profile.ts'
import { Random } from '../../../test/support/random.ts'
import { DEFINITIONS, MODEL, OPTIONS } from '../../../test/support/example-model.ts'

const PROFILE = {
  data: 'invented',
  rows: 100,
  inputs: {
    age: { cuts: [50, 70], shares: [0.25, 0.25, 0.5], missing: 0 },
    // More than 0.63 may not be tested: 1.5 × 0.65 + 0.05 is above 1.
    albumin: { cuts: [3], shares: [0.35, 0.65], missing: 0.2 },
  },
  risk: { cuts: [0.1], shares: [0.5, 0.5] },
}
const MODEL_WITH_PROFILE: ModelDefinition = { ...MODEL, profile: PROFILE }
const plan = makePlan(DEFINITIONS, MODEL_WITH_PROFILE)
const assessor = new Assessor(plan, compileModel(MODEL_WITH_PROFILE, plan))

type Patient = readonly [age: number | undefined, albumin: number | undefined]

function count(counter: ProfileCounter, [age, albumin]: Patient): void {
  const record = { idx: 1, ...(age !== undefined && { age }), ...(albumin !== undefined && { albumin }) }
  counter.add(assessor.slots, assessor.assess(record, 0, OPTIONS))
}

/** The evidence that a share is above the most that is in order, after each record; undefined records say nothing. */
class Evidence {
  private readonly values = [0, 0, 0]
  private readonly most: number
  constructor(most: number) {
    this.most = most
  }
  after(isSuch: boolean): void {
    for (const [at, step] of [0.05, 0.15, 0.5].entries()) {
      const share = this.most + step * (1 - this.most)
      const ratio = isSuch ? share / this.most : (1 - share) / (1 - this.most)
      this.values[at] = ((this.values[at] as number) + 1) * ratio ** 0.7
    }
  }
  get mean(): number {
    return this.values.reduce((sum, value) => sum + value, 0) / 3
  }
}

/** After which record the mean over all tests of an input reaches the limit. `binOf` gives the last number for a missing value. */
function expectedAlarm(
  shares: readonly number[],
  patients: readonly Patient[],
  binOf: (patient: Patient) => number,
): number {
  const missing = shares.length - 1
  const tests = shares.flatMap((share, bin) => {
    const most = 1.5 * share + 0.05
    return most < 1 ? [{ bin, evidence: new Evidence(most) }] : []
  })
  return patients.findIndex((patient, place) => {
    const bin = binOf(patient)
    for (const each of tests)
      if (bin !== missing || each.bin === missing) each.evidence.after(each.bin === bin)
    const mean = tests.reduce((sum, { evidence }) => sum + evidence.mean, 0) / tests.length
    return mean >= ALARM_AT && place + 1 >= FEWEST_RECORDS
  })
}

function binOfAge([age]: Patient): number {
  if (age === undefined) return 3
  if (age < 50) return 0
  return age < 70 ? 1 : 2
}

function binOfAlbumin([, albumin]: Patient): number {
  if (albumin === undefined) return 2
  return albumin < 3 ? 0 : 1
}

const BINS = {
  age: [[0.25, 0.25, 0.5, 0], binOfAge],
  albumin: [[0.35, 0.65, 0.2], binOfAlbumin],
} as const

/** What changes · how often ages are of each bin or missing · how often albumin is. */
const POPULATIONS: readonly (readonly [string, readonly number[], readonly number[]])[] = [
  ['as in the profile', [0.25, 0.25, 0.5, 0], [0.28, 0.52, 0.2]],
  ['younger', [0.7, 0.2, 0.1, 0], [0.28, 0.52, 0.2]],
  ['age often missing', [0.2, 0.2, 0.4, 0.2], [0.28, 0.52, 0.2]],
  ['albumin lower', [0.25, 0.25, 0.5, 0], [0.75, 0.05, 0.2]],
  ['albumin mostly missing', [0.25, 0.25, 0.5, 0], [0.1, 0.2, 0.7]],
  ['albumin always given, and lower', [0, 0, 1, 0], [0.8, 0.2, 0]],
]
const AGES = [30, 60, 75, undefined]
const ALBUMINS = [2, 4, undefined]

function pick<T>(random: Random, values: readonly T[], shares: readonly number[]): T {
  let left = random.next()
  const at = shares.findIndex((share) => {
    left -= share
    return left < 0
  })
  return values[at < 0 ? values.length - 1 : at] as T
}

for (const [name, ages, albumins] of POPULATIONS)
  test(`${name}: each input moves after the record that the recursion says`, () => {
    const random = new Random(name.length)
    const patients = Array.from({ length: 3_000 }, (): Patient => [
      pick(random, AGES, ages),
      pick(random, ALBUMINS, albumins),
    ])
    const counter = new ProfileCounter(PROFILE, plan)
    const movedAfter = { age: -1, albumin: -1 }
    for (const [place, patient] of patients.entries()) {
      count(counter, patient)
      for (const input of ['age', 'albumin'] as const)
        if (counter.moved.has(input) && movedAfter[input] < 0) movedAfter[input] = place
    }
    for (const input of ['age', 'albumin'] as const) {
      const [shares, binOf] = BINS[input]
      assert.equal(movedAfter[input], expectedAlarm(shares, patients, binOf), input)
    }
    assert.equal(movedAfter.age >= 0 || movedAfter.albumin >= 0, name !== 'as in the profile')
  })

test('the risk moves by itself, a moved input stays so, and a restart begins its test again', () => {
  const counter = new ProfileCounter(PROFILE, plan)
  assert.deepEqual(counter.names, ['age', 'albumin', 'risk'])
  for (let row = 0; row < 400; row++) count(counter, [90, 2])
  assert.deepEqual([...counter.moved].sort(), ['age', 'albumin', 'risk'])
  for (let row = 0; row < 10; row++) count(counter, AGES.map((age): Patient => [age, 4])[row % 3] as Patient)
  assert.deepEqual([...counter.moved].sort(), ['age', 'albumin', 'risk'])
  counter.restart('age')
  assert.deepEqual([...counter.moved].sort(), ['albumin', 'risk'])
  for (const age of [30, 60, 75, 75]) count(counter, [age, 4])
  assert.ok(!counter.moved.has('age'))
  counter.restart('risk')
  assert.deepEqual([...counter.moved], ['albumin'])
})

test('nothing moves before so many records as an index needs', () => {
  const counter = new ProfileCounter(PROFILE, plan)
  for (let row = 1; row < FEWEST_RECORDS; row++) count(counter, [90, 2])
  assert.equal(counter.moved.size, 0)
  count(counter, [90, 2])
  assert.ok(counter.moved.has('age'))
})

/** Ages in the three bins and missing ones · whether age has moved by all counts at once. */
const FILES: readonly (readonly [counts: readonly [number, number, number, number], moved: boolean])[] = [
  [[250, 250, 500, 0], false],
  [[500, 250, 250, 0], false],
  [[700, 200, 100, 0], true],
  [[250, 250, 500, 300], true],
  [[250, 250, 500, 40], false],
  [[0, 0, 0, 300], true],
]
for (const [counts, moved] of FILES)
  test(`a file with ages ${counts.join(', ')}: ${moved ? 'moved' : 'as in the profile'}`, () => {
    const counter = new ProfileCounter(PROFILE, plan)
    for (const [bin, times] of counts.entries())
      for (let row = 0; row < times; row++) count(counter, [AGES[bin], row % 3 === 0 ? 2 : 4])
    const drift = driftOf(counter)
    assert.equal(drift.inputs[0]?.moved, moved)
    assert.equal(drift.inputs[1]?.moved, false)
    const given = counts[0] + counts[1] + counts[2]
    const shares = [...PROFILE.inputs.age.shares, 0]
    const evidence = shares.map((share, at) => {
      const such = counts[at] as number
      return evidenceOfCounts(
        testShare(1.5 * share + 0.05),
        such,
        (at === 3 ? given + counts[3] : given) - such,
      )
    })
    assert.equal(evidence.reduce((sum, each) => sum + each, 0) / 4 >= ALARM_AT, moved)
  })

test('the evidence of counts is the product of what each record says', () => {
  const given = testShare(0.2)
  let products = [1, 1, 1]
  for (const isSuch of [true, true, false, true])
    products = products.map((each, at) => each * ((isSuch ? given.ifSuch : given.ifNot)[at] as number))
  const mean = products.reduce((sum, each) => sum + each, 0) / 3
  assert.ok(Math.abs(evidenceOfCounts(given, 3, 1) / mean - 1) < 1e-12)
})
