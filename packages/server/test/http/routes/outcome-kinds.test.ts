/** Kinds of outcome: what each permits, when it can be known, what it counts as, and corrections. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { contract } from '../../../../../test/support/clauses.ts'
import {
  type Given,
  OUTCOMES,
  PERFORMANCE,
  digestOf,
  good,
  readmission,
  scoreIn,
  send,
  start,
} from './outcomes-set-up.ts'

interface Result {
  readonly counted: boolean
  readonly error_message: { readonly Field: string; readonly ExtendError: string }[] | null
}

const NAME = 'readmission'
const profund: DeploymentSettings = {
  ...{ name: 'profund', basePath: '/profund', model: 'profund', output: 'number' },
  outcomes: { horizonDays: 365, eta: 1 },
}

/** The reason of each problem by field; empty for what was counted. */
const reasonsOf = (results: unknown): readonly string[] =>
  (results as Result[]).map(({ error_message: found }) =>
    (found ?? []).map(({ Field, ExtendError }) => `${Field}: ${ExtendError.replace(/.*\(|\)$/g, '')}`).join(),
  )

const kindsIn = async (served: Given, name = NAME, base = ''): Promise<readonly number[]> => {
  const digest = (await digestOf(served, base)).slice(9, -1)
  const cells = await served.store.readOutcomes(name, digest, ['', '9999-12'], [])
  return [0, 1, 2, 3].map((kind) => cells.find(({ outcome }) => outcome === kind)?.number ?? 0)
}

contract('12.kinds', 'four kinds are counted apart; true is event and false is none', async () => {
  const served = await start([readmission])
  const digest = await digestOf(served)
  const kinds = ['event', 'none', 'diedFirst', 'unknown', true, false, 'Event', 'died', 1, null, []]
  const body = kinds.map((outcome, idx) => good(digest, { idx, outcome, scored: '2026-01' }))
  const answer = await send(served, body)
  const refused = 'outcome: not a permitted value'
  assert.deepEqual(reasonsOf(answer.json()), [
    ...['', '', '', '', '', ''],
    ...[refused, refused, refused],
    'outcome: ValueMissing for value outcome',
    refused,
  ])
  assert.deepEqual(await kindsIn(served), [2, 2, 1, 1])
})

contract(
  '12.horizon',
  'none and unknown wait for the horizon; event and diedFirst may come at any time',
  async () => {
    const served = await start([readmission])
    const digest = await digestOf(served)
    const kinds = ['event', 'none', 'diedFirst', 'unknown', false, true]
    const body = kinds.map((outcome, idx) => good(digest, { idx, outcome, scored: '2026-03' }))
    // The first of March and 30 days: the 31st.
    served.clock.set('2026-03-30T12:00:00Z')
    const early = 'outcome: before the end of the horizon'
    assert.deepEqual(reasonsOf((await send(served, body)).json()), ['', early, '', early, early, ''])
    served.clock.set('2026-03-31T12:00:00Z')
    assert.deepEqual(reasonsOf((await send(served, body, { 'idempotency-key': 'later' })).json()), [
      ...['', '', '', '', '', ''],
    ])
  },
)

test('where death is the outcome nobody dies before it', async () => {
  const served = await start([profund])
  const digest = await digestOf(served, '/profund')
  const body = ['diedFirst', 'event', 'none'].map((outcome, idx) =>
    good(digest, { idx, outcome, scored: '2025-01' }),
  )
  const answer = await send(served, body, {}, `/profund${OUTCOMES}`)
  assert.deepEqual(reasonsOf(answer.json()), ['outcome: not a permitted value', '', ''])
})

contract(
  '12.corrections',
  'a correction moves one count in its cell, and nothing where there is none',
  async () => {
    const served = await start([readmission])
    const digest = await digestOf(served)
    const element = (idx: number, outcome: unknown, was?: unknown, more: object = {}): object =>
      good(digest, { idx, outcome, scored: '2026-01', ...(was === undefined ? {} : { was }), ...more })
    const none = 'was: not a permitted value'
    const steps: readonly (readonly [string, readonly object[], readonly string[], readonly number[]])[] = [
      ['what is there', [element(1, 'none'), element(2, 'none')], ['', ''], [2, 0, 0, 0]],
      ['one moves', [element(1, 'event', 'none')], [''], [1, 1, 0, 0]],
      ['at the limit', [element(1, 'unknown', false), element(2, 'event', 'none')], ['', none], [0, 1, 0, 1]],
      ['other cells have none', [element(1, 'none', 'event', { risk: 0.3 })], [none], [0, 1, 0, 1]],
      ['other groups', [element(1, 'none', true, { group: 'ward 3' })], [none], [0, 1, 0, 1]],
      ['the same kind', [element(1, 'event', 'event')], [none], [0, 1, 0, 1]],
      ['no kind', [element(1, 'event', 'no')], [none], [0, 1, 0, 1]],
      // In the order of the body: what comes first can be corrected after it.
      ['in one body', [element(1, 'diedFirst'), element(2, 'none', 'diedFirst')], ['', ''], [1, 1, 0, 1]],
      ['null is none', [element(1, 'event', null)], [''], [1, 2, 0, 1]],
    ]
    for (const [name, body, expected, kinds] of steps) {
      const headers = { 'idempotency-key': name }
      const first = await send(served, body, headers)
      assert.deepEqual(reasonsOf(first.json()), expected, name)
      assert.deepEqual(await kindsIn(served), kinds, name)
      // A retry is answered alike, though the counts have moved, and counts nothing.
      assert.deepEqual((await send(served, body, headers)).json(), first.json(), name)
      assert.deepEqual(await kindsIn(served), kinds, name)
    }
  },
)

test('a correction that others have overtaken is read again, and no count falls below 0', async () => {
  const served = await start([readmission])
  const digest = await digestOf(served)
  await send(served, [good(digest, { outcome: 'none', scored: '2026-01' })])
  const correct = (place: number): ReturnType<typeof send> =>
    send(served, [good(digest, { outcome: 'event', was: 'none', scored: '2026-01' })], {
      'idempotency-key': `caller ${place}`,
    })
  const answers = await Promise.all([1, 2, 3].map(correct))
  const counted = answers.flatMap((answer) => (answer.json() as Result[]).map((each) => each.counted))
  assert.equal(counted.filter(Boolean).length, 1)
  assert.deepEqual(await kindsIn(served), [0, 1, 0, 0])
})

test('deaths first count as the card says; where it says nothing the figures come both ways', async () => {
  const served = await start([readmission])
  const digest = await digestOf(served)
  const risks = Array.from({ length: 60 }, () => 0.2)
  await scoreIn(served, '2026-01', digest, risks)
  const kinds = [...Array<string>(12).fill('event'), ...Array<string>(30).fill('none')]
  kinds.push(...Array<string>(8).fill('diedFirst'), ...Array<string>(10).fill('unknown'))
  const body = kinds.map((outcome, idx) => good(digest, { idx, risk: 0.2, outcome, scored: '2026-01' }))
  await send(served, body)
  while (await served.store.countRows());
  interface Part {
    readonly outcomes: number
    readonly events: number
  }
  const shown = (await served.get(PERFORMANCE, served.admin)).json() as {
    competing: string
    deathCountsAs: string
    whole: Part & { risks: { inTheLarge: object | null; slope: object | null } }
    wholeIfDeathsCount: Part
    coverage: object
    bounds: { least: number; most: number; scored: number }
  }
  assert.deepEqual([shown.competing, shown.deathCountsAs], ['unstated', 'none'])
  assert.deepEqual([shown.whole.outcomes, shown.whole.events], [50, 12])
  assert.deepEqual([shown.wholeIfDeathsCount.outcomes, shown.wholeIfDeathsCount.events], [50, 20])
  // All risks are equal: there is a mean error, and no slope.
  assert.deepEqual([shown.whole.risks.inTheLarge === null, shown.whole.risks.slope], [false, null])
  assert.deepEqual(shown.coverage, { scored: 60, outcomes: 60, coverage: 1, diedFirst: 8, unknown: 10 })
  // Whatever those eighteen are.
  assert.deepEqual([shown.bounds.scored, shown.bounds.least, shown.bounds.most], [60, 12, 30])
})

test('the whole has only months in which patients were scored', async () => {
  const served = await start([readmission])
  const digest = await digestOf(served)
  const month = (scored: string, outcome: (place: number) => boolean): object[] =>
    Array.from({ length: 50 }, (_each, idx) =>
      good(digest, { idx, risk: 0.2, outcome: outcome(idx), scored }),
    )
  for (const scored of ['2025-10', '2025-12'])
    await scoreIn(served, scored, digest, Array<number>(50).fill(0.2))
  await send(
    served,
    month('2025-10', (idx) => idx % 5 === 0),
    { 'idempotency-key': 'a' },
  )
  await send(
    served,
    month('2025-11', () => true),
    { 'idempotency-key': 'b' },
  )
  await send(
    served,
    month('2025-12', (idx) => idx % 5 === 0),
    { 'idempotency-key': 'c' },
  )
  while (await served.store.countRows());
  const { whole } = (await served.get(PERFORMANCE, served.admin)).json() as { whole: object }
  const { outcomes, events } = whole as { outcomes: number; events: number }
  assert.deepEqual([outcomes, events], [100, 20])
})
