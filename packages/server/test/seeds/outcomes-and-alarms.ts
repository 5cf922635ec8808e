/** Outcomes and alarms that callers send in a run, and what a store must have of them in the end. */
import type { Alarm, OutcomeCell } from '@patient-risk/monitor'
import { type AuditEntry, makeEntry, groupEntries } from '../../src/store/audit/audit-row.ts'
import { PART_CELLS } from '../../src/store/outcomes/outcome-queue.ts'
import { sumsOf } from '../../src/store/outcomes/outcome-sums.ts'
import { packOutcomes } from '../../src/store/outcomes/packed-cells.ts'
import { ScoredRisks } from '../../src/store/outcomes/scored-risks.ts'
import type { OutcomeRequest } from '../../src/store/outcomes/sql-outcomes.ts'
import type { Store } from '../../src/store/store.ts'
import type { Attempts } from './attempts.ts'

const DEPLOYMENT = 'ward'
/** Each request has a bin of its own in one digest, from 1 on. All add to the same cells of the others: many statements. */
const DIGESTS = { own: 'D', shared: ['E', 'F', 'G'], wide: 'W' }
/** Every so many requests one has counts in more bins than one transaction adds: they wait in SQLite. */
export const WIDE_EVERY = 6
const WIDE_BINS = PART_CELLS
const MONTH = '2026-02'
const PLACE = { month: MONTH, group: '', flagged: 0 }
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
  const place = { ...PLACE, outcome: kindOf(serial), number: 1 }
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

/** The same outcomes from another caller: only the receipt says that they came before. */
export function outcomesByReceipt(
  serial: number,
  caller: string,
  at: number,
  requestId: string,
): OutcomeRequest {
  const request = outcomeRequest(serial, at, requestId, Infinity)
  const seal = `request ${serial} of ${caller}`
  return {
    ...request,
    request: seal,
    body: seal,
    receipts: [{ digest: DIGESTS.own, month: MONTH, serials: [serial] }],
  }
}

const kindOf = (serial: number): number => serial % 2

/** Says that what was sent of a patient was wrong: one count moves to the other kind, once. */
export function correction(serial: number, caller: string, at: number, requestId: string): OutcomeRequest {
  const cell = { ...PLACE, digest: DIGESTS.own, bin: serial }
  const taken: OutcomeCell = { ...cell, outcome: kindOf(serial), number: -1, units: -10 * serial }
  const cells = packOutcomes([taken, { ...cell, outcome: 1 - kindOf(serial), number: 1, units: 10 * serial }])
  const facts = { at, requestId, keyId: null, call: 'outcomes', deployment: DEPLOYMENT }
  const entry: AuditEntry = makeEntry({ ...facts, sums: sumsOf(DEPLOYMENT, cells) })
  const seal = `correction ${serial} of ${caller}`
  return {
    deployment: DEPLOYMENT,
    request: seal,
    body: seal,
    earlier: [],
    cells,
    corrected: [taken],
    now: at,
    keptUntil: KEPT_UNTIL,
    row: groupEntries([entry]),
  }
}

/** What the row of a call says of the risk that it has given, and the count of it: each row has a bin of its own. */
export function scoredBy(requestId: string): Pick<AuditEntry, 'countedRisks'> & { readonly facts: object } {
  const countedRisks = new ScoredRisks({
    deployment: DEPLOYMENT,
    digest: DIGESTS.own,
    month: MONTH,
    group: '',
  })
  const bin = Number(requestId.slice(1))
  countedRisks.addCounts([bin, 1, 10 * bin])
  const place = { deployment: DEPLOYMENT, deploymentDigest: DIGESTS.own }
  // In the order of a row of the service.
  return { countedRisks, facts: { riskCounts: 1, today: 20_260_215, ...place } }
}

/** A risk is counted once where its row was acknowledged, and not at all where it was refused. */
export async function* scoredFaults(
  store: Store,
  rows: ReadonlyMap<string, { readonly isAcknowledged: boolean; readonly isRefused: boolean }>,
  scored: ReadonlySet<string>,
): AsyncGenerator<string> {
  const cells = await store.readScoredRisks(DEPLOYMENT, DIGESTS.own, ALL_MONTHS, ['bin'])
  const counted = new Map(cells.map(({ bin = 0, number }) => [`r${bin}`, number]))
  for (const requestId of scored) {
    const times = counted.get(requestId) ?? 0
    const { isAcknowledged = false, isRefused = false } = rows.get(requestId) ?? {}
    if (times > 1) yield `the risk of ${requestId} is counted ${times} times`
    if (isAcknowledged && times === 0) yield `the risk of ${requestId} was acknowledged and is not counted`
    if (isRefused && times > 0) yield `the risk of ${requestId} was refused and is counted`
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
  for (const { bin = 0, outcome, number } of await store.readOutcomes(DEPLOYMENT, DIGESTS.own, ALL_MONTHS, [
    'bin',
  ])) {
    counted.set(bin, (counted.get(bin) ?? 0) + number)
    const isCorrected = outcome !== kindOf(bin)
    if (number < 0) yield `outcomes ${bin}: a count fell below 0`
    if (isCorrected && number > 0 && attempts.isRefused(`correction ${bin}`))
      yield `correction ${bin}: refused and counted`
    if (!isCorrected && number > 0 && attempts.isAcknowledged(`correction ${bin}`))
      yield `correction ${bin}: acknowledged and not counted`
  }
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
