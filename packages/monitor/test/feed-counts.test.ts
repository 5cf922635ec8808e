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
  doubtsOfFile,
  planFeed,
} from '@patient-risk/monitor'
import { Assessor, compileModel, makePlan } from 'patient-risk-engine'
import { type PatientRecord, patientsOf } from '../../../test/simulate/feed-patients.ts'
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

function observe(counts: FeedCounts, records: readonly PatientRecord[]): FeedCounts {
  for (const record of records) {
    assessor.assess(record, 0, { today: 20261118, reportUnknown: false, maxKeys: 1_000 })
    counts.observe(assessor.slots)
  }
  counts.endBody()
  return counts
}

const inMmol = (records: readonly PatientRecord[]): readonly PatientRecord[] =>
  records.map((record) => ({
    ...record,
    haemoglobin: Number((Number(record['haemoglobin']) * 0.6206).toFixed(1)),
  }))

test('counts that are taken on a worker, cloned and merged are those of one thread', () => {
  const records = patientsOf(3, 120)
  const parts = [records.slice(0, 50), records.slice(50)].map((part) =>
    structuredClone(observe(new FeedCounts(feedPlan), part).data()),
  )
  const merged = new FeedCounts(feedPlan)
  for (const part of parts) merged.merge(part)
  const whole = new FeedCounts(feedPlan)
  observe(whole, records.slice(0, 50))
  observe(whole, records.slice(50))
  const sorted = (counts: FeedCounts): unknown => {
    const data = counts.data()
    return { ...data, fields: [...data.fields].sort(([one], [other]) => one - other) }
  }
  assert.deepEqual(sorted(merged), sorted(whole))
})

test('a file is one feed: it is doubted as a whole, and a right one is not', () => {
  const records = patientsOf(4, 300)
  assert.deepEqual(doubtsOfFile(observe(new FeedCounts(feedPlan), records)), [])
  assert.deepEqual(doubtsOfFile(observe(new FeedCounts(feedPlan), inMmol(records))), [
    { field: 'haemoglobin', doubt: 'unit', received: 'g/dL', likely: 'mmol/L, or another quantity' },
  ])
})

test('a code of another convention is a doubt with its first record; a permitted or an unknown one is none', () => {
  const codesOf = (field: string, code: string): readonly string[] => {
    const feed = new Feed(feedPlan)
    feed.observeCode(field, code)
    return feed.doubts().map(({ doubt }) => doubt)
  }
  for (const code of ['H', 'V', 'D', 'W', 'K', 'Hombre', 'mujer', '1', '2'])
    assert.deepEqual(codesOf('sex', code), ['codes'], code)
  for (const code of ['F', 'M', 'X', '?', 'unknown', 'H'.repeat(40)])
    assert.deepEqual(codesOf('sex', code), [], code)
  for (const code of ['S', 'N', 'sí', 'JA', '0', '1'])
    assert.deepEqual(codesOf('dementia', code), ['codes'], code)
  assert.deepEqual(codesOf('haemoglobin', 'H'), [])
  assert.deepEqual(codesOf('no such field', 'H'), [])
})

test('once a feed is learned, one record of 32 is seen, whatever the size of its bodies, and never in a rhythm', () => {
  const learned = (): Feed => {
    const feed = new Feed(feedPlan)
    feed.add({ ...new FeedCounts(feedPlan).data(), received: 1_000 })
    return feed
  }
  const young = new Feed(feedPlan)
  young.add({ ...new FeedCounts(feedPlan).data(), received: 999 })
  assert.equal(young.sample(), undefined)
  assert.equal(learned().sample()?.every, 32)
  for (const size of [1, 7, 32, 100]) {
    const feed = learned()
    const places = new Set<number>()
    let seen = 0
    for (let body = 0; body < 20_000; body++) {
      const { every, first } = feed.sample() ?? { every: 1, first: 1 }
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

test('memory that is used again holds nothing of the body before, and what was not given back stays', () => {
  const counts = new FeedCounts(feedPlan)
  const fresh = (records: readonly PatientRecord[]): unknown =>
    structuredClone(observe(new FeedCounts(feedPlan), records).data())
  const kept = observe(counts, patientsOf(7, 40)).data()
  counts.clear()
  const second = observe(counts, patientsOf(8, 3)).data()
  // An earlier body's memory is somebody else's now.
  counts.reuse(kept.fields)
  assert.deepEqual(kept.fields.length > 0 && structuredClone(second), fresh(patientsOf(8, 3)))
  counts.reuse(second.fields)
  for (const seed of [9, 10]) {
    const data = observe(counts, patientsOf(seed, 30)).data()
    assert.deepEqual(structuredClone(data), fresh(patientsOf(seed, 30)))
    counts.reuse(data.fields)
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
    const feed = monitor.feedOf(keyId)
    feed.add(observe(feed.newCounts(), inMmol(patientsOf(5, 200))).data())
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
