/** What the closed test could find on given data, and how many events it needs at least. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { candidatesFor } from '../../../src/learn/fit/recalibrate-candidates.ts'
import type { Power } from '../../../src/learn/fit/score-test.ts'
import { randomFrom } from '@patient-risk/statistics'
import { fitModel } from '../../../src/learn/tasks/fit-model.ts'
import { recalibrateModel } from '../../../src/learn/tasks/recalibrate-model.ts'
import { runHere } from '../../../../../test/support/run-command.ts'
import {
  SPECIFICATION,
  csvOf,
  expit,
  fileWith,
  fitInput,
  inventRows,
} from '../../../../../test/support/learning.ts'

const ROWS = 600
const random = randomFrom(8)
const points = Float64Array.from({ length: 2 * ROWS }, () => random() * 2 - 1)
const risks = Float64Array.from({ length: ROWS }, (_each, row) =>
  expit(-1.5 + (points[2 * row] as number) + (points[2 * row + 1] as number)),
)
const outcomes = Uint8Array.from(risks, (risk) => (random() < risk ? 1 : 0))
const LINK: ModelDefinition['link'] = { kind: 'logistic', intercept: -1.5 }

/** The rows so many times over, as new patients or as further rows of the same ones. */
function powerOf(times: number, patients: 'new' | 'same', own = risks): readonly Power[] {
  const over = Array.from({ length: times * ROWS }, (_each, row) => row % ROWS)
  const predictions = {
    risks: Float64Array.from(over, (row) => own[row] as number),
    outcomes: Uint8Array.from(over, (row) => outcomes[row] as number),
    clusters: Int32Array.from(over, (row, place) => (patients === 'same' ? row : place)),
  }
  const all = Float64Array.from(over.flatMap((row) => [...points.subarray(2 * row, 2 * row + 2)]))
  return candidatesFor({ link: LINK, terms: [] }, predictions, all, 2).power()
}

test('events needed: more patients change nothing, copies of rows need as many times more, and power grows with patients', () => {
  const once = powerOf(1, 'new')
  const twice = powerOf(2, 'new')
  const copied = powerOf(5, 'same')
  assert.deepEqual(
    once.map(({ change, by }) => [change, by]),
    [
      ['slope', 0.6],
      ['slope', 0.8],
      ['odds', 1.3],
    ],
  )
  once.forEach(({ power, events = 0 }, k) => {
    assert.ok(Math.abs((twice[k]?.events ?? 0) - events) <= 1)
    assert.ok(Math.abs((copied[k]?.events ?? 0) - 5 * events) <= 5)
    assert.ok(Math.abs((copied[k]?.power ?? 0) - power) < 1e-9)
    assert.ok((twice[k]?.power ?? 0) > power)
  })
})

test('with the events that are said to be needed, the power is 80 %', () => {
  const has = outcomes.reduce((sum, each) => sum + each, 0)
  const events = powerOf(1, 'new')[1]?.events ?? 0
  const times = Math.round(events / has)
  assert.ok(times >= 4)
  const power = powerOf(times, 'new')[1]?.power ?? 0
  assert.ok(Math.abs(power - 0.8) < 0.1)
})

test('where all risks are alike, no number of events shows a slope', () => {
  const alike = powerOf(1, 'new', new Float64Array(ROWS).fill(0.2))
  assert.deepEqual(
    alike.map(({ change, events }) => [change, events === undefined]),
    [
      ['slope', true],
      ['slope', true],
      ['odds', false],
    ],
  )
})

const { model } = SPECIFICATION
const terms = [
  ...model.terms,
  { kind: 'square', field: 'age', per: 10 },
  { kind: 'linear', field: 'stayDays' },
]
const { definition } = await fitModel(
  fitInput(fileWith('rows.csv', csvOf(inventRows(6_000, 77))), { model: { ...model, terms } }),
)

/** The first rows that have so many events. */
function fewRows(events: number): string {
  const all = inventRows(2_000, 5)
  let seen = 0
  return csvOf(all.slice(0, all.findIndex(({ died }) => died === 1 && ++seen === events) + 1))
}

const REFUSED = [
  ['auto', 27, /27 rows .* at least 28 are required for 7 estimates \(20 in all, 4 for each/],
  ['refit', 27, /at least 28 are required for 7 estimates/],
  ['slope', 19, /at least 20 are required/],
  ['auto', 28, undefined],
  ['slope', 20, undefined],
] as const
for (const [method, events, refused] of REFUSED) {
  test(`${method} with ${events} events: ${refused === undefined ? 'done' : 'refused'}`, async () => {
    const path = fileWith('few.csv', fewRows(events))
    const asked = { ...fitInput(path), model: definition, method, version: '1.1.0', samples: 0 }
    if (refused === undefined) assert.ok((await recalibrateModel(asked)).report.recalibration?.power)
    else await assert.rejects(recalibrateModel(asked), refused)
    assert.ok((await recalibrateModel({ ...asked, allowSmallSample: true })).report.figures.events === events)
  })
}

test('weights: a warning says that the level of the test is not shown to hold with them', async () => {
  const lines = csvOf(inventRows(500, 6)).trim().split('\n')
  const weighted = lines.map((line, row) => `${line},${row === 0 ? 'weight' : 1 + (row % 3)}`)
  const path = fileWith('weighted.csv', `${weighted.join('\n')}\n`)
  const { data, ...rest } = fitInput(path)
  const asked = { ...rest, model: definition, method: 'auto' as const, version: '1.1.0', samples: 0 }
  const warningsWith = async (own: typeof data): Promise<number> =>
    ((await recalibrateModel({ ...asked, data: own })).report.warnings ?? []).filter((text) =>
      text.startsWith('Rows have weights.'),
    ).length
  assert.deepEqual([await warningsWith({ ...data, weights: 'weight' }), await warningsWith(data)], [1, 0])
})

test('the help says from how many events on a recalibration is made', async () => {
  const { out } = await runHere(['learn', 'recalibrate', '--help'])
  assert.match(out, /fewer than 20 events, or 4 for each estimate/)
})
