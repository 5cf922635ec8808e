/** The answer names what an alarm has found only beside the figures of the same group. For a hidden group it would reveal these figures. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OutcomeStore, OutcomeWatch } from '@patient-risk/monitor'
import { FigureCache } from '../src/outcomes/figure-cache.ts'
import type { OutcomeDeployment } from '../src/outcomes/outcome-watch.ts'
import { performanceAnswer } from '../src/outcomes/performance-answer.ts'

type Counts = readonly [events: number, others: number]
type Groups = Readonly<Record<string, Counts>>

const MONTH = '2026-01'
const FINDING = { direction: 'more', since: MONTH, about: 'all', scored: 9, expected: 1, least: 5, most: 5 }

/** Whether the answer tells what an alarm found, by its group and the state that raised it. */
async function told(groups: Groups, alarms: readonly (readonly [group: string, basis: string])[]) {
  const cells = Object.entries(groups).flatMap(([group, [events, others]]) =>
    [others, events].map((number, outcome) => {
      return { month: MONTH, group, bin: 200, flagged: 0, outcome, number, units: number * 2_000 }
    }),
  )
  const store = {
    readOutcomes: (_name: string, _digest: string, _months: unknown, _columns: unknown, group?: string) =>
      Promise.resolve(cells.filter((each) => group === undefined || each.group === group)),
  } as unknown as OutcomeStore
  const digests = ['present', 'former']
  const findings = new Map(alarms.map(([group]) => [group, FINDING]))
  const judged = {
    evidence: 1,
    limit: 2,
    findings,
    acknowledged: '',
    bounds: null,
    bins: [],
    groups: new Set(),
  }
  const states = digests.map((digest) => ({ digest, model: 'm@1', output: 'number', threshold: 0.2 }))
  const month = { month: MONTH, scored: 1, counted: 1, countedUnits: 1, outcomes: 1, kinds: [] }
  const raised = { kind: 'calibration', state: 'raised', likely: MONTH, at: 0 }
  const watch = {
    judge: () => Promise.resolve(new Map(digests.map((digest) => [digest, judged]))),
    statesOf: () => Promise.resolve(states),
    monthsOf: () => Promise.resolve([{ ...month, complete: true, judged: true }]),
    alarmsOf: () => Promise.resolve(alarms.map(([field, basis]) => ({ ...raised, field, basis }))),
  } as unknown as OutcomeWatch
  const parts = {
    store,
    watch,
    clock: { today: () => 20260601, now: () => 0 },
    host: { nextTurn: () => Promise.resolve() },
    cache: new FigureCache(),
    isoTime: String,
  }
  const deployment = {
    name: 'a',
    digest: 'present',
    model: { definition: { card: { competing: 'none' } } },
    outcomes: { horizonDays: 30, eta: 1, groups: Object.keys(groups) },
  } as unknown as OutcomeDeployment
  const answer = await performanceAnswer(parts, deployment)
  return answer?.alarm.open.map(({ group, finding }) => [group, finding !== null])
}

const LARGE: Counts = [100, 400]
const SMALL: Counts = [3, 3]

/** The groups · the alarms, each with whether its finding is told. Where one group is hidden, a second one is hidden too. */
const ROWS: readonly (readonly [string, Groups, readonly (readonly [string, string, boolean])[]])[] = [
  [
    'large groups',
    { north: LARGE, south: LARGE },
    [
      ['', 'present', true],
      ['north', 'present', true],
      ['south', 'present', true],
    ],
  ],
  [
    'a small group',
    { east: SMALL, north: LARGE, south: [101, 400] },
    [
      ['', 'present', true],
      ['east', 'present', false],
      ['north', 'present', false],
      ['south', 'present', true],
    ],
  ],
  [
    'an alarm of a former state',
    { north: LARGE, south: LARGE },
    [
      ['', 'former', true],
      ['north', 'former', false],
    ],
  ],
  [
    'too few in all',
    { north: SMALL, south: SMALL },
    [
      ['', 'present', false],
      ['north', 'present', false],
    ],
  ],
]
for (const [what, groups, alarms] of ROWS) {
  test(`${what}: of ${alarms.length} alarms ${alarms.filter(([, , isTold]) => isTold).length} say what they found`, async () => {
    assert.deepEqual(
      await told(
        groups,
        alarms.map(([group, basis]) => [group, basis]),
      ),
      alarms.map(([group, , isTold]) => [group === '' ? null : group, isTold]),
    )
  })
}
