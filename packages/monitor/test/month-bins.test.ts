/** Which months are judged, and the bounds of a month whose outcomes may be of others: another digest, no group, not counted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OutcomeStore, OutcomeWatch } from '@patient-risk/monitor'
import { binsOfMonth } from '../src/outcomes/month-bins.ts'

type Counts = readonly [scored: number, events: number, others: number]

const MONTH = '2026-01'
const UNITS = 2_000

/** A store in which everything is of one bin, by digest and group. */
function storeOf(cells: Readonly<Record<string, Readonly<Record<string, Counts>>>>): OutcomeStore {
  const countsIn = (digest: string, group?: string): Counts => {
    const all = Object.entries(cells[digest] ?? {}).filter(([name]) => group === undefined || name === group)
    const sum = (at: 0 | 1 | 2): number => all.reduce((total, [, counts]) => total + counts[at], 0)
    return [sum(0), sum(1), sum(2)]
  }
  const cell = (number: number): { bin: number; number: number; units: number } => {
    return { bin: 200, number, units: number * UNITS }
  }
  return {
    readScoredRisks: (_name: string, digest: string, _months: unknown, _columns: unknown, group?: string) => {
      const [scored] = countsIn(digest, group)
      return Promise.resolve(scored === 0 ? [] : [cell(scored)])
    },
    readOutcomes: (_name: string, digest: string, _months: unknown, _columns: unknown, group?: string) => {
      const [, events, others] = countsIn(digest, group)
      return Promise.resolve([
        { ...cell(events), outcome: 1 },
        { ...cell(others), outcome: 0 },
      ])
    },
  } as unknown as OutcomeStore
}

/** [Scored, events, others] by digest and group · the group that is judged · scored, and the fewest and the most events. */
const BINS = [
  ['complete', { one: { '': [10, 2, 8] } }, undefined, [10, 2, 2]],
  // In the sum nothing would be missing.
  [
    'one version sent twice, of the other events only',
    { one: { '': [10, 4, 16] }, two: { '': [20, 4, 0] } },
    undefined,
    [30, 4, 24],
  ],
  [
    'outcomes of a version whose patients were not counted',
    { one: { '': [10, 1, 0] }, two: { '': [0, 9, 30] } },
    undefined,
    [10, 1, 10],
  ],
  ['all name their group', { one: { 'ward 3': [10, 2, 7], 'ward 4': [5, 1, 4] } }, 'ward 3', [10, 2, 3]],
  ['two did not at scoring', { one: { 'ward 3': [10, 4, 5], '': [2, 0, 0] } }, 'ward 3', [10, 2, 7]],
  ['most did not', { one: { 'ward 3': [10, 9, 0], '': [90, 0, 0] } }, 'ward 3', [10, 0, 10]],
  ['the whole does not mind', { one: { 'ward 3': [10, 4, 5], '': [2, 0, 0] } }, undefined, [12, 4, 7]],
] as const

for (const [name, cells, group, [scored, least, most]] of BINS) {
  test(`bounds of a bin: ${name}`, async () => {
    const states = Object.keys(cells).map((digest) => ({ digest, output: 'number' as const }))
    const found = await binsOfMonth(storeOf(cells), 'ward', states, MONTH, 'unknown', group)
    assert.deepEqual(found, [{ risk: 0.2, scored, least, most }])
  })
}

/** By month, those scored by the audit and those counted with their risks · the months that are judged. */
const BEGINNINGS: readonly (readonly [
  Readonly<Record<string, readonly [scored: number, counted: number]>>,
  readonly string[],
])[] = [
  [{ '2026-01': [40, 40], '2026-02': [40, 40] }, ['2026-01', '2026-02']],
  [{ '2026-01': [41, 40], '2026-02': [41, 40] }, ['2026-02']],
  [{ '2026-01': [41, 0], '2026-02': [40, 40] }, ['2026-02']],
  [{ '2026-01': [41, 0], '2026-02': [41, 40], '2026-03': [90, 40] }, ['2026-03']],
]

for (const [given, judged] of BEGINNINGS) {
  test(`a month within which counting began is not judged: ${JSON.stringify(given)}`, async () => {
    const months = Object.entries(given)
    const store = {
      readOutcomes: () => Promise.resolve([]),
      readScored: () => Promise.resolve(months.map(([month, [scored]]) => ({ month, scored }))),
      readScoredRisks: () =>
        Promise.resolve(
          months.flatMap(([month, [, number]]) => (number === 0 ? [] : [{ month, number, units: 1 }])),
        ),
    }
    const clock = { today: () => 20_270_101, now: () => 0 }
    const parts = { store, clock } as unknown as ConstructorParameters<typeof OutcomeWatch>[0]
    const outcomes = { horizonDays: 30 } as NonNullable<Parameters<OutcomeWatch['monthsOf']>[0]['outcomes']>
    const found = await new OutcomeWatch(parts).monthsOf({ name: 'ward', outcomes }, 'digest')
    assert.deepEqual(
      found.filter((each) => each.judged).map(({ month }) => month),
      judged,
    )
  })
}

/** [Scored, events] by group and month, at risks of 20 %. Each group is wrong in a month of its own; the third never. */
const OF_GROUPS: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>> = {
  'ward 3': { '2025-10': [100, 60], '2025-11': [100, 20] },
  'ward 4': { '2025-10': [100, 20], '2025-11': [100, 60] },
  'ward 5': { '2025-10': [100, 20], '2025-11': [100, 20] },
}

test('every month of every group is judged, and each alarm names its own group and month', async () => {
  type Months = readonly [string, string]
  const inStore = (wanted: string | undefined, [from, to]: Months) =>
    Object.entries(OF_GROUPS).flatMap(([group, months]) =>
      Object.entries(months).flatMap(([month, [scored, events]]) =>
        (wanted === undefined || wanted === group) && from <= month && month <= to
          ? [{ group, month, bin: 200, scored, events }]
          : [],
      ),
    )
  type Read = (name: string, digest: string, months: Months, columns: unknown, group?: string) => unknown
  const readScoredRisks: Read = (_name, _digest, months, _columns, group) =>
    Promise.resolve(
      inStore(group, months).map(({ group: own, month, bin, scored }) => {
        return { group: own, month, bin, number: scored, units: scored * UNITS }
      }),
    )
  const readOutcomes: Read = (_name, _digest, months, _columns, group) =>
    Promise.resolve(
      inStore(group, months).flatMap(({ scored, events, ...place }) => [
        { ...place, outcome: 1, number: events, units: events * UNITS },
        { ...place, outcome: 0, number: scored - events, units: (scored - events) * UNITS },
      ]),
    )
  const state = { digest: 'd', riskDigest: 'r', output: 'number', centre: -1.4 }
  const raised: string[] = []
  const parts = {
    store: {
      readAlarms: () => Promise.resolve([]),
      readStates: () => Promise.resolve([state]),
      readScored: () => Promise.resolve([]),
      readScoredRisks,
      readOutcomes,
    },
    clock: { today: () => 20260101, now: () => 7 },
    board: {
      raise: ({ field, likely }: { readonly field: string; readonly likely: string }) => {
        raised.push(`${field === '' ? 'whole' : field} ${likely}`)
        return Promise.resolve()
      },
    },
  }
  const watch = new OutcomeWatch(parts as unknown as ConstructorParameters<typeof OutcomeWatch>[0])
  const deployment = {
    name: 'readmission',
    digest: 'd',
    outcomes: { horizonDays: 30, groups: Object.keys(OF_GROUPS) },
    model: { definition: { card: {} } },
  }
  const judged = await watch.judge(deployment as unknown as Parameters<OutcomeWatch['judge']>[0])
  assert.deepEqual(raised.filter((each) => !each.startsWith('whole')).sort(), [
    'ward 3 2025-10',
    'ward 4 2025-11',
  ])
  assert.deepEqual([...(judged.get('d')?.groups ?? [])].sort(), Object.keys(OF_GROUPS))
})
