/** Months whose outcomes are all known. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Alarm, OutcomeWatch, lastComplete, monthOfDay, oldestAccepted } from '@patient-risk/monitor'

/** Today · the horizon in days · the last complete month. Rows in pairs: the last day before a change, and the first after it. */
const COMPLETE = [
  [20261115, 0, '2026-10'],
  [20261130, 0, '2026-10'],
  [20261201, 0, '2026-11'],
  [20260101, 0, '2025-12'],
  [20260131, 0, '2025-12'],
  [20261030, 30, '2026-08'],
  [20261031, 30, '2026-09'],
  [20260302, 30, '2025-12'],
  [20260303, 30, '2026-01'],
  [20240301, 30, '2023-12'],
  [20240302, 30, '2024-01'],
  [20260101, 365, '2024-12'],
  [20251231, 365, '2024-11'],
  [20260101, 3_650, '2015-12'],
] as const

for (const [today, horizonDays, month] of COMPLETE) {
  test(`on ${today}, with a horizon of ${horizonDays} days, ${month} is the last complete month`, () => {
    assert.equal(lastComplete(today, horizonDays), month)
  })
}

/** Today · the days of reporting after a horizon of 30 days · the last month that is complete. */
const REPORTED = [
  [20260303, undefined, '2026-01'],
  [20260303, 0, '2026-01'],
  [20260303, 1, '2025-12'],
  [20260304, 1, '2026-01'],
  [20260501, 60, '2025-12'],
  [20260502, 60, '2026-01'],
] as const

for (const [today, reportingDays, last] of REPORTED) {
  test(`on ${today}, with ${reportingDays ?? 'no'} days of reporting, ${last} is complete, and an alarm is acknowledged up to it`, async () => {
    const alarm: Alarm = {
      kind: 'calibration',
      deployment: 'ward',
      keyId: '',
      field: '',
      basis: 'd',
      likely: '2025-11',
      reference: '',
      state: 'raised',
      at: 7,
    }
    const written: Alarm[] = []
    const store = {
      readAlarms: () => Promise.resolve([alarm]),
      writeAlarm: (each: Alarm) => Promise.resolve(void written.push(each)),
      readOutcomes: () => Promise.resolve([]),
      readScoredRisks: () => Promise.resolve([]),
      readScored: () =>
        Promise.resolve(['2025-12', '2026-01', '2026-02'].map((month) => ({ month, scored: 9 }))),
    }
    const clock = { today: () => today, now: () => 8 }
    const parts = { store, clock, board: { refresh: () => Promise.resolve() } }
    const watch = new OutcomeWatch(parts as unknown as ConstructorParameters<typeof OutcomeWatch>[0])
    const outcomes = reportingDays === undefined ? { horizonDays: 30 } : { horizonDays: 30, reportingDays }
    const deployment = { name: 'ward', outcomes } as unknown as Parameters<OutcomeWatch['acknowledge']>[0]
    const months = await watch.monthsOf(deployment, 'd')
    assert.equal(months.findLast(({ complete }) => complete)?.month, last)
    assert.equal(await watch.acknowledge(deployment, ''), true)
    assert.deepEqual(
      written.map(({ reference, state }) => [reference, state]),
      [[last, 'acknowledged']],
    )
  })
}

/** Today · the horizon in days · the oldest month whose outcomes are accepted: 24 months after its end, and the horizon. */
const ACCEPTED = [
  [20261130, 0, '2024-11'],
  [20261201, 0, '2024-12'],
  [20260331, 0, '2024-03'],
  [20260401, 0, '2024-04'],
  [20260330, 30, '2024-02'],
  [20260331, 30, '2024-03'],
  [20260131, 30, '2024-01'],
  [20251231, 365, '2022-12'],
  [20260101, 365, '2023-01'],
] as const

for (const [today, horizonDays, month] of ACCEPTED) {
  test(`on ${today}, with a horizon of ${horizonDays} days, outcomes of ${month} and later are accepted`, () => {
    assert.equal(oldestAccepted(today, horizonDays), month)
  })
}

test('the last complete month is that of the calendar, on every day of four years', () => {
  for (let at = Date.UTC(2023, 0, 1); at < Date.UTC(2027, 0, 1); at += 86_400_000) {
    const today = Number(new Date(at).toISOString().slice(0, 10).replaceAll('-', ''))
    for (const horizonDays of [0, 1, 28, 30, 31, 90, 365]) {
      const date = new Date(at - horizonDays * 86_400_000)
      date.setUTCDate(0)
      assert.equal(
        lastComplete(today, horizonDays),
        date.toISOString().slice(0, 7),
        `${today} ${horizonDays}`,
      )
    }
  }
})

test('a day lies in its month', () => {
  assert.equal(monthOfDay(20260101), '2026-01')
  assert.equal(monthOfDay(20261231), '2026-12')
})
