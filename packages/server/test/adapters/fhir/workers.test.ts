/** Bodies that are answered in workers: the same bytes as in this thread, and a clean refusal when a worker dies. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { serveAdapters } from '../../../../../test/support/serve-adapters.ts'
import { type Resource, STAY, bundle, encounter, observation, patient, ucum } from './source.ts'

const PATIENTS = 300
type Served = Awaited<ReturnType<typeof serveAdapters>>
let inline: Served
let served: Served
const workers: Worker[] = []

function noteWorker(worker: Worker): void {
  workers.push(worker)
}

before(async () => {
  inline = await serveAdapters()
  process.on('worker', noteWorker)
  served = await serveAdapters({}, { workers: 1 })
})
after(async () => {
  process.off('worker', noteWorker)
  await served.close()
  await inline.close()
})

/** Many patients, each with its own stay, history and values; every tenth has a value that is refused. */
const LARGE = bundle(
  ...Array.from({ length: PATIENTS }, (_, at): readonly Resource[] => {
    const subject = { reference: `Patient/p${at}` }
    return [
      patient({ id: `p${at}`, birthDate: `${1930 + (at % 40)}-06-15` }),
      { ...STAY, id: `stay${at}`, subject },
      encounter(`old${at}`, at % 2 === 0 ? 'IMP' : 'EMER', '2025-09-10', '2025-09-15', { subject }),
      observation(`hb${at}`, '718-7', ucum(at % 10 === 0 ? 900 : 11, 'g/dL'), { subject }),
    ]
  }).flat(),
)

for (const path of ['/fhir/$score', '/hospital/fhir/$score?history=complete', '/flag/fhir/$score']) {
  test(`a large Bundle gets the same bytes from a worker: ${path}`, async () => {
    const [here, there] = await Promise.all([
      inline.send({ path, json: LARGE }),
      served.send({ path, json: LARGE }),
    ])
    assert.deepEqual([here.status, there.status], [200, 200])
    assert.equal(there.text, here.text)
    assert.ok((there.json() as { entry: readonly unknown[] }).entry.length >= PATIENTS)
  })
}

test('lines, refusals and cards are the same from a worker', async () => {
  const lines = `${JSON.stringify(bundle(patient(), STAY))}\n{"a":\n${JSON.stringify(LARGE)}\n`
  const calls: readonly Parameters<Served['send']>[0][] = [
    { body: lines, headers: { 'content-type': 'application/fhir+ndjson' } },
    { body: '{' },
    { json: bundle(patient(), { ...STAY, class: [] }) },
    { path: '/cds-services/readmission', json: {}, headers: { 'content-type': 'application/json' } },
  ]
  for (const call of calls) {
    const [here, there] = await Promise.all([inline.send(call), served.send(call)])
    const own = there.text.replaceAll(String(there.headers['x-request-id']), 'ID')
    assert.equal(own, here.text.replaceAll(String(here.headers['x-request-id']), 'ID'))
    assert.equal(there.status, here.status)
  }
})

test('a worker that dies refuses its own request only, and is replaced', async () => {
  // The store has a thread too, which starts later.
  const [worker] = workers
  assert.ok(worker !== undefined)
  // It dies with the next job that it is given.
  worker.postMessage = () => void worker.terminate()
  const [first, second] = await Promise.all([served.send({ json: LARGE }), served.send({ json: LARGE })])
  const [refused, answered] = first.status === 503 ? [first, second] : [second, first]
  assert.deepEqual([refused.status, answered.status], [503, 200])
  assert.equal(refused.headers['content-type'], 'application/fhir+json; charset=utf-8')
  assert.partialDeepStrictEqual(refused.json(), {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'error', code: 'transient', diagnostics: 'WORKER_LOST' }],
  })
  assert.equal(answered.text, (await inline.send({ json: LARGE })).text, 'the waiting request is not lost')
  const rows = (await served.store.readAudit({ most: 1000 })).map(
    ({ content }) => JSON.parse(content) as Resource,
  )
  const lost = rows.filter(({ status, call }) => call === 'fhir $score' && status === 503)
  assert.equal(lost.length, 1, 'the refusal has its row')
})

test('an answer that takes long is not cut off', async (t) => {
  // The first job loads FHIRPath, which takes longer than a connection may stand still here.
  const hurried = await serveAdapters({}, { workers: 1, times: { stallMs: 100 } })
  t.after(() => hurried.close())
  assert.equal((await hurried.send({ json: LARGE })).status, 200)
})
