/** The sample of the drift figures: spread over a body, no record preferred, and nothing of it but counts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { type Deployment, makeDeployments } from '@patient-risk/catalog'
import { DriftWatch } from '../src/drift/drift-watch.ts'
import { recordAround } from '../src/drift/record-around.ts'
import type { Host } from '../src/host.ts'
import { randomFrom } from '@patient-risk/statistics'
import { readmissionRecord as record } from '../../../test/support/records.ts'
import { testCatalog } from '../../../test/support/serve.ts'
import { memoryBoard, testHost } from './test-host.ts'

const catalog = testCatalog()
const { deployments } = makeDeployments(catalog, [
  { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
])
const deployment = deployments[0] as Deployment
const board = memoryBoard()
const host = testHost()

/** Its clock goes on by a second whenever it is looked at: every body is far from the last. */
const unhurried = (seed: number): Host => {
  let now = 0
  return testHost({ random: randomFrom(seed), steadyNow: () => (now += 1_000) })
}
const bodyOf = (records: readonly object[]): Buffer => Buffer.from(JSON.stringify(records))
const indexes = (sample: readonly string[]): number[] =>
  sample.map((text) => (JSON.parse(text) as { idx: number }).idx)

const full = (idx: number): object => ({
  ...record(idx, 40),
  charlson_total: 3,
  haemoglobin: 12.5,
  ward: 'x'.repeat(80),
})
const ORDERS: readonly (readonly [string, (place: number) => number])[] = [
  ['a sorted list', (place) => place],
  ['a list that changes from record to record', (place) => (place * 37) % 100],
]
for (const [name, order] of ORDERS) {
  test(`in ${name} every record is as likely to be drawn, whatever its length`, () => {
    // Half of the records carry much less than the others, and stand together or between them.
    const list = Array.from({ length: 100 }, (_each, place) => order(place)).map((idx) =>
      idx < 50 ? record(idx, 40) : full(idx),
    )
    for (const indent of [undefined, 2]) {
      const body = Buffer.from(JSON.stringify(list, null, indent))
      const watch = new DriftWatch(catalog, [deployment], board, unhurried(3))
      const counts = new Array<number>(100).fill(0)
      for (let time = 0; time < 8_000; time++) {
        for (const idx of indexes(watch.sampleOf('readmission', body) ?? []))
          counts[idx] = (counts[idx] ?? 0) + 1
      }
      const all = counts.reduce((sum, count) => sum + count, 0)
      assert.ok(all > 10_000, `${all} draws`)
      const long = counts.slice(50).reduce((sum, count) => sum + count, 0)
      assert.ok(
        Math.abs(long / all - 0.5) < 3 / Math.sqrt(all),
        `${long / all} of the draws are long records`,
      )
      const spread = counts.map((count) => Math.abs(count - all / 100) / Math.sqrt(all / 100))
      assert.ok(Math.max(...spread) < 5, `a record lies ${Math.max(...spread)} deviations off`)
    }
  })
}

test('about every fifth single patient is sampled, long or short, and a few records of a large body', () => {
  const watch = new DriftWatch(catalog, [deployment], board, unhurried(5))
  for (const one of [record(1, 30), full(1)]) {
    let looked = 0
    for (let time = 0; time < 20_000; time++)
      looked += watch.sampleOf('readmission', bodyOf([one]))?.length ?? 0
    const expected = (20_000 * 64) / 320
    assert.ok(Math.abs(looked - expected) < 5 * Math.sqrt(expected), `${looked} of ${expected}`)
  }
  const large = bodyOf(Array.from({ length: 10_000 }, (_each, idx) => record(idx, 60)))
  const sizes = Array.from({ length: 50 }, () => watch.sampleOf('readmission', large)?.length ?? 0)
  assert.ok(Math.max(...sizes) <= 8 && Math.min(...sizes) >= 0)
  assert.equal(watch.sampleOf('other', large), undefined)
})

test('the drift index appears once enough records are counted; shares appear before', () => {
  const watch = new DriftWatch(catalog, [deployment], board, unhurried(1))
  const text = JSON.stringify(record(1, 30))
  watch.count('readmission', new Array<string>(199).fill(text), 20260101)
  const [[, few] = ['', undefined]] = watch.drifts()
  assert.equal(few?.records, 199)
  assert.equal(few.inputs[0]?.missing, 0)
  assert.ok(Number.isNaN(few.risk) && few.inputs.every(({ index }) => Number.isNaN(index)))
  watch.count('readmission', [text], 20260101)
  const [[, enough] = ['', undefined]] = watch.drifts()
  assert.ok((enough?.inputs.find(({ name }) => name === 'age')?.index ?? 0) > 0.25)
})

test('values that are not records are skipped', () => {
  const watch = new DriftWatch(catalog, [deployment], board, unhurried(1))
  watch.count('readmission', ['{"idx":1', 'x', '{"a":"},{"}'], 20260101)
  assert.equal(watch.drifts()[0]?.[1].records, 1)
})

test('recordAround takes a whole object or nothing, at any place of any array', () => {
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom('},{', '"', '\\', '}, {"idx":9}'),
    fc.integer(),
    fc.constant(null),
  )
  const objects = fc.array(fc.dictionary(fc.string({ maxLength: 4 }), value, { maxKeys: 4 }), {
    minLength: 1,
    maxLength: 6,
  })
  fc.assert(
    fc.property(objects, fc.nat(), fc.constantFrom(undefined, 1), (list, seed, indent) => {
      const body = Buffer.from(JSON.stringify(list, null, indent))
      const place = seed % body.length
      const text = recordAround(body, place, 1_000, host)
      const isPlain = !/[{}]/.test(JSON.stringify(list.map((each) => Object.entries(each).flat())))
      if (!isPlain) return
      // A place between two records belongs to none.
      if (text === undefined) assert.match(String.fromCharCode(body[place] ?? 0), /[\s,[\]]/)
      else assert.ok(list.some((each) => JSON.stringify(each) === JSON.stringify(JSON.parse(text))))
    }),
  )
  assert.equal(recordAround(Buffer.from('[]'), 0, 99, host), undefined)
  assert.equal(recordAround(Buffer.from('[{"idx":1'), 3, 99, host), undefined)
})

test('a body is not sampled within 5 ms of the last sampled one', () => {
  let now = 0
  const watch = new DriftWatch(catalog, [deployment], board, testHost({ steadyNow: () => now }))
  const body = bodyOf(Array.from({ length: 100 }, (_each, idx) => record(idx, 60)))
  const looks: boolean[] = []
  for (now of [0, 1, 4.9, 5, 9, 11]) looks.push(watch.sampleOf('readmission', body) !== undefined)
  assert.deepEqual(looks, [true, false, false, true, false, true])
})
