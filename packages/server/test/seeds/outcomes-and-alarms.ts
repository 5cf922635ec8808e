/** Outcomes and alarms that callers send in a run, and what a store must have of them in the end. */
import type { Alarm, OutcomeCell } from '@patient-risk/monitor'
import { type AuditEntry, makeEntry, groupEntries } from '../../src/store/audit/audit-row.ts'
import { PART_CELLS } from '../../src/store/outcomes/outcome-queue.ts'
import { sumsOf } from '../../src/store/outcomes/outcome-sums.ts'
import { packOutcomes } from '../../src/store/outcomes/packed-cells.ts'
import type { OutcomeRequest } from '../../src/store/outcomes/sql-outcomes.ts'
import type { Store } from '../../src/store/store.ts'
import type { Attempts } from './attempts.ts'

const DEPLOYMENT = 'ward'
/** Each request has a bin of its own in one digest, from 1 on. All add to the same cells of the others: many statements. */
const DIGESTS = { own: 'D', shared: ['E', 'F', 'G'], wide: 'W' }
/** Every so many requests one has counts in more bins than one transaction adds: they wait in SQLite. */
export const WIDE_EVERY = 6
const WIDE_BINS = PART_CELLS
const ALL_MONTHS = ['', '9999-12'] as const
/** Beyond every time of a run: a repeat is always recognised. */
const KEPT_UNTIL = Date.parse('2046-01-01T00:00:00Z')
const FIELDS = ['haemoglobin', 'creatinine']

/** A request with a number of its own, the same whenever it is sent. Its row has another id each time. */
export function outcomeRequest(
  serial: number,
  at: number,
  requestId: string,
  wideEvery: number,
): OutcomeRequest {
  const place = { month: '2026-02', group: '', flagged: 0, outcome: serial % 2, number: 1 }
  const cells: readonly OutcomeCell[] = [
    { ...place, digest: DIGESTS.own, bin: serial, units: 10 * serial },
    ...DIGESTS.shared.map((digest) => ({ ...place, digest, bin: 0, units: 1 })),
    ...Array.from({ length: serial % wideEvery === 0 ? WIDE_BINS : 0 }, (_, bin) => ({
      ...place,
      digest: DIGESTS.wide,
      bin,
      units: 1,
    })),
  ]
  const packed = packOutcomes(cells)
  const sums = sumsOf(DEPLOYMENT, packed)
  const entry: AuditEntry = makeEntry({
    at,
    requestId,
    keyId: null,
    call: 'outcomes',
    deployment: DEPLOYMENT,
    sums,
  })
  return {
    deployment: DEPLOYMENT,
    request: `request ${serial}`,
    body: `body ${serial}`,
    earlier: [],
    cells: packed,
    now: at,
    keptUntil: KEPT_UNTIL,
    row: groupEntries([entry]),
  }
}

/** The time tells an alarm from others of the same field. */
export function alarmOf(serial: number): Alarm {
  return {
    kind: 'unit',
    deployment: DEPLOYMENT,
    keyId: '',
    field: FIELDS[serial % FIELDS.length] as string,
    basis: 'g/dL',
    likely: 'mmol/L',
    reference: 'absolute',
    state: serial % 3 === 0 ? 'acknowledged' : 'raised',
    at: serial,
  }
}

/** A request counts once where somebody was told so, and not at all where everybody who sent it was refused. */
export async function* outcomeFaults(
  store: Store,
  attempts: Attempts,
  wideEvery: number,
): AsyncGenerator<string> {
  const counted = new Map<number, number>()
  for (const { bin = 0, number } of await store.readOutcomes(DEPLOYMENT, DIGESTS.own, ALL_MONTHS, ['bin']))
    counted.set(bin, (counted.get(bin) ?? 0) + number)
  let all = 0
  let wide = 0
  for (const name of attempts.names('outcomes')) {
    const serial = Number(name.split(' ')[1])
    const times = counted.get(serial) ?? 0
    all += times
    if (serial % wideEvery === 0) wide += times
    if (times > 1) yield `${name}: counted ${times} times`
    if (times === 0 && attempts.isAcknowledged(name)) yield `${name}: acknowledged and not counted`
    if (times > 0 && attempts.isRefused(name)) yield `${name}: refused and counted`
  }
  for (const digest of DIGESTS.shared) {
    const cells = await store.readOutcomes(DEPLOYMENT, digest, ALL_MONTHS, [])
    const shared = cells.reduce((sum, { number }) => sum + number, 0)
    if (shared !== all)
      yield `the cell that all requests share has ${shared}, and ${all} requests were counted`
  }
  const bins = await store.readOutcomes(DEPLOYMENT, DIGESTS.wide, ALL_MONTHS, ['bin'])
  const inBins = bins.reduce((sum, { number }) => sum + number, 0)
  if (inBins !== wide * WIDE_BINS)
    yield `the many bins have ${inBins}, and ${wide} wide requests were counted`
}

/** A field has the alarm that was written last, of those that were not refused. */
export async function* alarmFaults(store: Store, attempts: Attempts): AsyncGenerator<string> {
  const stored = new Map((await store.readAlarms()).map(({ field, at }) => [field, at]))
  for (const name of attempts.names('alarm')) {
    const serial = Number(name.split(' ')[1])
    const { field } = alarmOf(serial)
    const found = stored.get(field)
    if (found === serial && attempts.isRefused(name)) yield `${name}: refused and stored`
    if (!attempts.isAcknowledged(name)) continue
    if (found === undefined) yield `${name}: acknowledged, and ${field} has none`
    else if (isOver(attempts, `alarm ${found}`, name))
      yield `${name}: acknowledged, and ${field} has the one before it`
  }
}

/** Whether one was acknowledged before another one began. */
function isOver(attempts: Attempts, one: string, other: string): boolean {
  const before = attempts.of(one).filter(({ end }) => end === 'acknowledged')
  const [after] = attempts.of(other)
  return after !== undefined && before.some(({ endedAt }) => endedAt < after.beganAt)
}
