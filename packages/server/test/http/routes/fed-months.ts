/** Months of invented patients with their outcomes, fed to a service, and what it shows of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '@patient-risk/statistics'
import { type Given, PERFORMANCE, digestOf, good, scoreIn, send, start } from './outcomes-set-up.ts'

export const MONTHS = ['2025-09', '2025-10', '2025-11', '2025-12', '2026-01']

/**
 * Months of 400 patients scored, whose true risk is a multiple of the risk that was given, and the outcomes of those that `isSent` keeps.
 * `copies`: how often each is sent.
 */
export async function feed(
  served: Given,
  months: readonly string[],
  times: number,
  more: {
    readonly of?: string | undefined
    readonly isSent?: (outcome: boolean, place: number) => boolean
    readonly copies?: number
  } = {},
): Promise<void> {
  const { isSent = () => true, copies = 1 } = more
  const digest = more.of ?? (await digestOf(served))
  const random = randomFrom(months.length)
  for (const month of months) {
    const patients = Array.from({ length: 400 }, (_each, idx) => {
      const risk = Math.round((0.05 + 0.25 * random()) * 10_000) / 10_000
      const outcome = random() < times * risk
      return good(digest, { idx, risk, outcome, scored: month, group: idx % 2 === 0 ? 'ward 3' : 'ward 4' })
    })
    for (const group of ['ward 3', 'ward 4']) {
      const own = patients.filter((each) => each['group'] === group)
      await scoreIn(
        served,
        month,
        digest,
        own.map(({ risk }) => Number(risk)),
        { group },
      )
    }
    const body = patients.filter(({ outcome, idx }) => isSent(outcome === true, Number(idx)))
    for (let copy = 0; copy < copies; copy++) {
      const answer = await send(served, body, { 'idempotency-key': `${month} ${copy}` })
      assert.equal(answer.status, 200)
    }
  }
  while (await served.store.countRows());
}

interface Shown {
  readonly until: string
  readonly alarm: {
    readonly limit: number
    readonly evidence: number | null
    readonly open: {
      group: string | null
      month: string
      since: string
      finding: { direction: string; least: number; most: number; expected: number; text: string } | null
    }[]
    readonly reach: string | null
    readonly acknowledged: string | null
  }
  readonly bounds: { readonly scored: number } | null
  readonly verdict: { readonly kind: string; readonly text: string }
  readonly months: {
    month: string
    coverage: number
    complete: boolean
    judged: boolean
    figures: object | null
  }[]
  readonly groups: { group: string | null; figures: object | null; months: object[] | null }[]
}
export const shown = async (served: Given): Promise<Shown> =>
  (await served.get(PERFORMANCE, served.admin)).json() as Shown

type Way = readonly [what: string, more: Parameters<typeof feed>[3]]

export const QUICK_WAYS: readonly Way[] = [
  ['all are sent', {}],
  ['some without an event are missing', { isSent: (outcome, place) => outcome || place % 10 !== 0 }],
]
export const OTHER_WAYS: readonly Way[] = [
  [
    'a quarter of those without an event is missing',
    { isSent: (outcome, place) => outcome || place % 4 !== 0 },
  ],
  ['only those with an event are sent', { isSent: (outcome) => outcome }],
  ['a fifth of the events is missing', { isSent: (outcome, place) => !outcome || place % 5 !== 0 }],
  ['each is sent twice', { copies: 2 }],
]

export function raisesNone(ways: readonly Way[]): void {
  for (const [what, more] of ways) {
    test(`right risks raise no alarm: ${what}`, async () => {
      const served = await start()
      await feed(served, MONTHS, 1, more)
      const { alarm, months } = await shown(served)
      assert.deepEqual(alarm.open, [])
      // No month is left out because of what came.
      assert.ok(months.every(({ judged }) => judged))
    })
  }
}
