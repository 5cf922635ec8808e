/**
 * The unit watch on invented feeds of haemoglobin: after how many records a wrong unit is noticed, and how many feeds with the right unit
 * have an alarm in 20 years of 20 records a day. Records come in blocks of one patient, 1 to 7 of them. Patients differ by a standard
 * deviation of 1.6 g/dL, the values of a patient by 1.1.
 */
import { FeedField, type WatchedField } from '@patient-risk/monitor'
import { randomFrom } from '@patient-risk/statistics'
import type { Table } from './table.ts'

const RATIO = 0.6206
const FIELD: WatchedField = {
  field: 'haemoglobin',
  received: 'g/dL',
  median: 12.06,
  others: [
    ['g/L', 10],
    ['mmol/L', RATIO],
  ],
  unitOnlyOf: undefined,
}
const LONGEST_BLOCK = 7
const BETWEEN = 1.6
const WITHIN = 1.1
const HISTORY = 10_000
const TWENTY_YEARS = 146_000
const MOST = 20_000

function feedOf(mean: number, seed: number): () => number {
  const random = randomFrom(seed)
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  let left = 0
  let patient = mean
  return () => {
    if (left === 0) {
      patient = mean + BETWEEN * normal()
      left = 1 + Math.floor(random() * LONGEST_BLOCK)
    }
    left--
    return Math.max(1, Math.round((patient + WITHIN * normal()) * 10) / 10)
  }
}

/** How many values are taken until an alarm; Infinity where there is none. */
function alarmAfter(test: FeedField, next: () => number, most: number): number {
  for (let seen = 1; seen <= most; seen++) if (test.add(next()) !== undefined) return seen
  return Infinity
}

const repeat = (runs: number, run: (seed: number) => number): number[] =>
  Array.from({ length: runs }, (_each, seed) => run(seed)).sort((a, b) => a - b)
const at = (sorted: readonly number[], share: number): string =>
  String(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))])

export interface UnitRun {
  readonly mean: number
  /** Records from the change of the unit to the alarm, sorted. */
  readonly changed: readonly number[]
  /** Records from the first one of a service to the alarm, where the unit is wrong from the start, sorted. */
  readonly fresh: readonly number[]
}

export function detection(means: readonly number[], runs: number): readonly UnitRun[] {
  return means.map((mean) => ({
    mean,
    changed: repeat(runs, (seed) => {
      const test = new FeedField(FIELD, false)
      const next = feedOf(mean, seed)
      if (alarmAfter(test, next, HISTORY) < Infinity) return 0
      return alarmAfter(test, () => next() * RATIO, MOST)
    }),
    fresh: repeat(runs, (seed) => {
      const next = feedOf(mean, 10_000 + seed)
      return alarmAfter(new FeedField(FIELD, false), () => next() * RATIO, MOST)
    }),
  }))
}

/** How many feeds with the right unit have an alarm. */
export function falseAlarms(mean: number, isConfirmed: boolean, runs: number, values = TWENTY_YEARS): number {
  const found = repeat(runs, (seed) =>
    alarmAfter(new FeedField(FIELD, isConfirmed), feedOf(mean, 20_000 + seed), values),
  )
  return found.filter((each) => each < Infinity).length
}

export function simulate({ reduced }: { readonly reduced: boolean }): Promise<Table[]> {
  const runs = reduced ? 50 : 1_000
  const feeds = reduced ? 10 : 200
  const found = detection([12, 12.2, 13, 14, 14.2, 15], runs)
  const means = [14, 13, 12, 11, 10.5, 9.8, 9.5, 9]
  return Promise.resolve([
    {
      title: `Records until a feed that sends mmol/L in place of g/dL is noticed, ${runs} feeds each`,
      head: [
        'mean, g/dL',
        'changed after 10,000: median',
        '99 %',
        'longest',
        'wrong from the start: median',
        '99 %',
      ],
      rows: found.map(({ mean, changed, fresh }) => [
        mean.toFixed(1),
        at(changed, 0.5),
        at(changed, 0.99),
        at(changed, 1),
        at(fresh, 0.5),
        at(fresh, 0.99),
      ]),
    },
    {
      title: `Feeds with the right unit that have an alarm in 20 years (146,000 values), of ${feeds}`,
      head: ['mean, g/dL', 'both references', 'unit confirmed'],
      rows: means.map((mean) => [
        mean.toFixed(1),
        String(falseAlarms(mean, false, feeds)),
        String(falseAlarms(mean, true, feeds)),
      ]),
    },
  ])
}
