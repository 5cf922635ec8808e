/** The counts of drift: what a collector takes of records is counted, and the index comes with enough of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { type Deployment, makeDeployments } from '@patient-risk/catalog'
import { DriftWatch } from '../src/drift/drift-watch.ts'
import { recordAround } from '../src/drift/record-around.ts'
import { RecordCollector } from '../src/watch/record-collector.ts'
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
const TODAY = 20_260_101

/** What is taken of a body of these records. */
function placesOf(records: readonly object[]): readonly number[] {
  const { definitions } = catalog
  const collector = new RecordCollector({ definitions, model: deployment.model.definition })
  deployment.scorer.score(Buffer.from(JSON.stringify(records)), TODAY, undefined, { watch: collector })
  return collector.taken()?.places ?? []
}

const same = (count: number): readonly object[] =>
  Array.from({ length: count }, (_each, idx) => record(idx, 30))

test('the drift index appears once enough records are counted; shares appear before', () => {
  const watch = new DriftWatch(catalog, [deployment], board)
  watch.count('readmission', placesOf(same(199)))
  const [[, few] = ['', undefined]] = watch.drifts()
  assert.equal(few?.records, 199)
  assert.equal(few.inputs[0]?.missing, 0)
  assert.ok(Number.isNaN(few.risk) && few.inputs.every(({ index }) => Number.isNaN(index)))
  watch.count('readmission', placesOf(same(1)))
  const [[, enough] = ['', undefined]] = watch.drifts()
  assert.ok((enough?.inputs.find(({ name }) => name === 'age')?.index ?? 0) > 0.25)
})

test('records without a risk, and values that are no records, count as records without these inputs', () => {
  const watch = new DriftWatch(catalog, [deployment], board)
  watch.count('readmission', placesOf([{ idx: 1 }, [], record(2, 30)]))
  const [[, drift] = ['', undefined]] = watch.drifts()
  assert.equal(drift?.records, 3)
  assert.equal(drift.scored, 1)
  assert.ok(drift.inputs.every(({ missing }) => Math.abs(missing - 2 / 3) < 0.01))
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
