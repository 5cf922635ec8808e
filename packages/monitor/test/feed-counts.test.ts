/** Counts of a feed: taken in parts they are the same, nothing of a record stays, and a doubt is an alarm of its key. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadCatalog } from '@patient-risk/catalog'
import {
  type Alarm,
  AlarmBoard,
  Feed,
  FeedCounts,
  FeedMonitor,
  SeenRecordsBuffer,
  doubtsOfFile,
  planFeed,
} from '@patient-risk/monitor'
import { Assessor, compileModel, makePlan } from 'patient-risk-engine'
import { type PatientRecord, patientsOf } from '../../../test/simulate/feeds/patients.ts'
import { CELL } from '../src/feeds/feed-counts.ts'
import { ForeignCodes } from '../src/feeds/foreign-codes.ts'
import { testHost } from './test-host.ts'

const { catalog } = loadCatalog([new URL('../../../clinical', import.meta.url).pathname])
assert.ok(catalog)
const model = [...catalog.models.values()]
  .map(({ definition }) => definition)
  .findLast(({ id }) => id === 'profund')
assert.ok(model)
const plan = makePlan(catalog.definitions, model)
const feedPlan = planFeed({ plan, units: catalog.units, model })
const assessor = new Assessor(plan, compileModel(model, plan))

function seenOf(records: readonly PatientRecord[]): SeenRecordsBuffer {
  const seen = new SeenRecordsBuffer()
  for (const record of records) {
    assessor.assess(record, 0, { today: 20261118, reportUnknown: false, maxKeys: 1_000 })
    seen.add(assessor.slots)
  }
  return seen
}

function observe(counts: FeedCounts, records: readonly PatientRecord[]): FeedCounts {
  counts.observeBody(seenOf(records))
  return counts
}

const inMmol = (records: readonly PatientRecord[]): readonly PatientRecord[] =>
  records.map((record) => ({
    ...record,
    haemoglobin: Number((Number(record['haemoglobin']) * 0.6206).toFixed(1)),
  }))

test('records that are taken on a worker and cloned, and counts that are merged, are those of one thread', () => {
  const parts = [patientsOf(3, 50), patientsOf(5, 70)]
  const merged = new FeedCounts(feedPlan)
  const cloned = new FeedCounts(feedPlan)
  const whole = new FeedCounts(feedPlan)
  for (const part of parts) {
    merged.merge(structuredClone(observe(new FeedCounts(feedPlan), part).data()))
    cloned.observeBody(structuredClone(seenOf(part)))
    observe(whole, part)
  }
  const sorted = (counts: FeedCounts): unknown => {
    const data = counts.data()
    return { ...data, fields: [...data.fields].sort(([one], [other]) => one - other) }
  }
  assert.deepEqual(sorted(merged), sorted(whole))
  assert.deepEqual(sorted(cloned), sorted(whole))
})

test('the last record of a body is no neighbour of the next body, and nothing of it is left', () => {
  const one = { idx: 1, age: 70, sex: 'F', haemoglobin: 12.3, albumin: 3.4 }
  const counts = new FeedCounts(feedPlan)
  observe(counts, [one])
  observe(counts, [{ ...one, sex: 'M' }])
  assert.equal(counts.records, 2)
  const place = feedPlan.placeOfName.get('haemoglobin') ?? -1
  const sameValues = (): number | undefined => counts.fields.at(place)?.at(CELL.same)
  assert.equal(sameValues(), 0)
  observe(counts, [{ ...one, sex: 'M' }, one])
  assert.equal(sameValues(), 1)
})

test('memory that is used again holds nothing of the body before', () => {
  const seen = seenOf(patientsOf(7, 40))
  seen.clear()
  for (const record of patientsOf(8, 3)) {
    assessor.assess(record, 0, { today: 20261118, reportUnknown: false, maxKeys: 1_000 })
    seen.add(assessor.slots)
  }
  const again = new FeedCounts(feedPlan)
  again.observeBody(seen)
  assert.deepEqual(again.data(), observe(new FeedCounts(feedPlan), patientsOf(8, 3)).data())
})

test('a file is one feed: it is doubted as a whole, and a right one is not', () => {
  const records = patientsOf(4, 300)
  assert.deepEqual(doubtsOfFile(observe(new FeedCounts(feedPlan), records)), [])
  assert.deepEqual(doubtsOfFile(observe(new FeedCounts(feedPlan), inMmol(records))), [
    { field: 'haemoglobin', doubt: 'unit', received: 'g/dL', likely: 'mmol/L, or another quantity' },
  ])
})

test('foreign codes of a sex are known ones; permitted and unknown texts are none', () => {
  const codes = new ForeignCodes(plan)
  const sex = plan.slotByName.get('sex') ?? -1
  for (const code of ['H', 'V', 'D', 'W', 'K', 'Hombre', 'mujer', '1', 2, 'male', 'm'])
    assert.deepEqual(codes.find(sex, code), ['sex', String(code)])
  for (const code of ['F', 'M', 'X', '?', 'García', 'H'.repeat(40)])
    assert.equal(codes.find(sex, code), undefined, code)
  assert.equal(codes.find(plan.slotByName.get('haemoglobin') ?? -1, 'H'), undefined)
})

test('the first 1,000 records are all seen; afterwards one of 4 to 128 by the size of the body, and never in a rhythm', () => {
  const after = (records: number): Feed => {
    const feed = new Feed(feedPlan)
    const { wrongIdx, places, states, values } = new SeenRecordsBuffer()
    feed.observeBody({ records, wrongIdx, places, states, values, ends: new Uint32Array(records) })
    return feed
  }
  for (const [records, left] of [
    [0, 1_000],
    [999, 1],
    [1_000, 0],
    [1_001, 0],
  ] as const)
    assert.equal(after(records).sample(1_000).all, left)
  const learned = after(1_000)
  for (const [bytes, every] of [
    [0, 4],
    [4 * 1_024, 4],
    [5 * 1_024, 5],
    [20 * 1_024, 20],
    [128 * 1_024, 128],
    [129 * 1_024, 128],
    [10_000_000, 128],
  ] as const)
    assert.equal(learned.sample(bytes).every, every)
  for (const size of [1, 7, 32, 100]) {
    const places = new Set<number>()
    let seen = 0
    for (let body = 0; body < 20_000; body++) {
      const { every, first } = learned.sample(32 * 1_024)
      for (let at = first; at <= size; at += every) {
        seen++
        places.add(at)
      }
    }
    const share = (32 * seen) / (20_000 * size)
    assert.ok(share > 0.9 && share < 1.1, `bodies of ${size}: ${share}`)
    assert.equal(places.size, size, `places in bodies of ${size}`)
  }
})

test('a doubt is an alarm of its key, and its test begins again after it is acknowledged', async () => {
  const alarms: Alarm[] = []
  const store = {
    readAlarms: () => Promise.resolve(alarms),
    writeAlarm: (alarm: Alarm) => Promise.resolve(void alarms.push(alarm)),
  }
  let now = 0
  const host = testHost({ steadyNow: () => now })
  const board = new AlarmBoard({ store, clock: { now: () => now }, log: { error: () => undefined }, host })
  const monitor = new FeedMonitor('ward', feedPlan, board)
  const send = (keyId: string): void => {
    monitor.feedOf(keyId).observeBody(seenOf(inMmol(patientsOf(5, 200))))
  }
  const doubt = {
    field: 'haemoglobin',
    doubt: 'unit',
    received: 'g/dL',
    likely: 'mmol/L, or another quantity',
  }
  send('a')
  assert.deepEqual(monitor.doubts('a'), [doubt])
  assert.deepEqual(monitor.doubts('b'), [])
  await board.refresh()
  for (const [at, state] of [
    [1, 'acknowledged'],
    [2, 'confirmed'],
  ] as const) {
    now += 10_000
    const last = alarms.at(-1)
    assert.ok(last)
    alarms.push({ ...last, state, at })
    await board.refresh()
    assert.deepEqual(monitor.doubts('a'), [])
    send('a')
    await board.refresh()
    assert.deepEqual(monitor.doubts('a'), state === 'acknowledged' ? [doubt] : [], state)
  }
})

test('more keys than are remembered: the one that was silent longest begins again', () => {
  const board = new AlarmBoard({
    store: { readAlarms: () => Promise.resolve([]), writeAlarm: () => Promise.resolve() },
    clock: { now: () => 0 },
    log: { error: () => undefined },
    host: testHost(),
  })
  const monitor = new FeedMonitor('ward', feedPlan, board)
  const first = monitor.feedOf('first')
  for (let key = 0; key < 499; key++) monitor.feedOf(`key ${key}`)
  assert.equal(monitor.feedOf('first'), first)
  monitor.feedOf('one more')
  assert.equal(monitor.feedOf('first'), first)
  for (let key = 0; key < 500; key++) monitor.feedOf(`other ${key}`)
  assert.notEqual(monitor.feedOf('first'), first)
})
