/** What the tests of follow-up share: the stored rows, and random ones with many ties. */
import { readFileSync } from 'node:fs'
import { type FollowUp, randomFrom } from '@patient-risk/statistics'

const STORED = readFileSync(new URL('follow-up.csv', import.meta.url), 'utf8')

export type Row = readonly [day: number, end: number, risk: number]

export function followUpOf(
  rows: readonly Row[],
  clusters?: readonly number[],
  weights?: readonly number[],
): FollowUp {
  return {
    days: Float64Array.from(rows, ([day]) => day),
    ends: Uint8Array.from(rows, ([, end]) => end),
    risks: Float64Array.from(rows, ([, , risk]) => risk),
    clusters: Int32Array.from(clusters ?? rows.keys()),
    ...(weights && { weights: Float64Array.from(weights) }),
  }
}

/**
 * 300 invented patients: days of follow-up, what ended it (0 censored, 1 event, 2 died first), and the risk of the event within a year.
 * Ten days have events and censorings; nobody is censored on day 365 itself. `packages/statistics/test/survival/reference.test.ts` has
 * the figures that other programs give for them.
 */
export const storedRows: readonly Row[] = STORED.trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [day = 0, end = 0, risk = 0] = line.split(',').map(Number)
    return [day, end, risk]
  })

/** Few days and few risks, so that every kind of tie occurs. */
export function inventFollowUp(count: number, seed: number, days = 12): readonly Row[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, () => {
    const risk = (1 + Math.floor(random() * 9)) / 10
    const end = random() < risk / 2 ? 1 : Math.floor(random() * 3)
    return [1 + Math.floor(random() * days), end, risk] as const
  })
}
