/** Intervals by samples of patients: copies of a patient's rows tell nothing new, and weights count as copies do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Predictions, DEFAULT_SEED, randomFrom } from '@patient-risk/statistics'
import { bootstrapIntervals } from '../../../src/learn/figures/resampling.ts'

const PATIENTS = 120
const THRESHOLD = 0.3
const random = randomFrom(DEFAULT_SEED)
const risks = Float64Array.from({ length: PATIENTS }, () => Math.round(random() * 80) / 100 + 0.05)
const outcomes = Uint8Array.from(risks, (risk) => (random() < risk ? 1 : 0))

/** Each patient's row so many times, with a weight. */
function rowsOf(timesOf: (patient: number) => number, weightOf?: (patient: number) => number): Predictions {
  const patients = [...risks.keys()].flatMap((patient) => new Array<number>(timesOf(patient)).fill(patient))
  return {
    risks: Float64Array.from(patients, (patient) => risks[patient] ?? 0),
    outcomes: Uint8Array.from(patients, (patient) => outcomes[patient] ?? 0),
    clusters: Int32Array.from(patients),
    ...(weightOf && { weights: Float64Array.from(patients, weightOf) }),
  }
}

const intervals = (rows: Predictions) => bootstrapIntervals(rows, THRESHOLD, { samples: 40 })

type Intervals = ReturnType<typeof intervals>
const flat = ({ atThreshold, ...overall }: Intervals): [string, number][] =>
  Object.entries({ ...overall, ...atThreshold }).flatMap(([name, span]) =>
    Array.isArray(span) ? (span as number[]).map((value): [string, number] => [name, value]) : [],
  )

function same(one: Intervals, other: Intervals): void {
  const there = flat(other)
  for (const [at, [name, value]] of flat(one).entries())
    assert.ok(Math.abs(value - (there[at]?.[1] ?? Number.NaN)) < 1e-6, `${name}: ${value}, ${there[at]?.[1]}`)
}

const once = intervals(rowsOf(() => 1))

test('every interval has a width, at the threshold too', () => {
  const spans = Object.entries({ ...once, ...once.atThreshold }).filter(([, span]) => Array.isArray(span))
  assert.equal(spans.length, 13)
  for (const [name, span] of spans) {
    const [from, to] = span as unknown as readonly [number, number]
    assert.ok(from < to, `${name} from ${from} to ${to}`)
  }
})

test('two rows of each patient have the intervals of one', () => {
  same(intervals(rowsOf(() => 2)), once)
})

test('one weight for all changes nothing', () => {
  same(
    intervals(
      rowsOf(
        () => 1,
        () => 2.5,
      ),
    ),
    once,
  )
})

test('a weight of 3 counts as three rows of the patient', () => {
  const times = (patient: number): number => (patient % 2 === 0 ? 1 : 3)
  same(intervals(rowsOf(() => 1, times)), intervals(rowsOf(times)))
})
