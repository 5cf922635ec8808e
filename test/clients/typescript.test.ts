/** The TypeScript client against the real service. */
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { CLIENT_TYPES_FILE, PAGE_TYPES_FILE, clientTypes, pageTypes } from '../../scripts/client-types.ts'
import { batchesOf } from '../../clients/typescript/src/batches.ts'
import {
  DeploymentChangedError,
  type PatientRecord,
  RiskClient,
  RiskServiceError,
} from '../../clients/typescript/src/client.ts'
import { type Served, serve } from '../support/serve.ts'
import { BATCHES } from '../support/two-of-everything.ts'
import { until } from '../support/until.ts'
import { ALARM_MONTH, WITH_WATCHED, setAlarm } from '../support/watched-deployment.ts'

const PATIENT = { age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const patients = (count: number): PatientRecord[] =>
  Array.from({ length: count }, (_, index) => ({ idx: index + 1, ...PATIENT }))

let served: Served
before(async () => {
  served = await serve({ deployments: WITH_WATCHED })
  await setAlarm(served, 'raised')
})
after(() => served.close())

const numbers = (): RiskClient<'number'> =>
  new RiskClient({ url: served.origin, key: served.key, output: 'number' })

test('score, validate and explain give what the calls give', async () => {
  const client = numbers()
  const records = [...patients(1), { idx: 2, sex: 'M' }]
  const [scored, refused] = await client.score(records)
  assert.deepEqual(scored, { idx: 1, risk: 0.2294, error_message: null })
  assert.equal(refused?.risk, null)
  assert.deepEqual(
    (await client.validate(records)).map(({ valid }) => valid),
    [true, false],
  )
  assert.equal((await client.explain(records))[0]?.explanation?.model.split('@')[0], 'readmission30')
  const flags = new RiskClient({ url: `${served.origin}/flag/`, key: served.key, output: 'yes-no' })
  assert.equal((await flags.score(records))[0]?.risk, 'Yes')
})

test('an open alarm of calibration is a field, of streams too, and goes with the answer that has none', async () => {
  const watched = (): RiskClient<'number'> =>
    new RiskClient({ url: `${served.origin}/watched`, key: served.key, output: 'number' })
  const calls: readonly ((client: RiskClient<'number'>) => Promise<unknown>)[] = [
    (client) => client.score(patients(1)),
    (client) => client.explain(patients(1)),
    (client) => client.stream(patients(1)).next(),
  ]
  for (const call of calls) {
    const client = watched()
    assert.equal(client.calibrationAlarm, undefined)
    await call(client)
    assert.equal(client.calibrationAlarm, ALARM_MONTH)
  }
  const client = watched()
  await client.score(patients(1))
  await setAlarm(served, 'acknowledged')
  await client.score(patients(1))
  assert.equal(client.calibrationAlarm, undefined)
})

test('what is in doubt of the records is a field, from the answer on that has found it', async () => {
  const url = `${served.origin}/flag`
  const client = new RiskClient({ url, key: await served.makeKey(), output: 'yes-no' })
  const [patient] = patients(1)
  assert.ok(patient)
  await client.score([{ ...patient, sex: 'M' }])
  assert.equal(client.feedDoubt, undefined)
  await client.score([{ ...patient, sex: 'H' as 'M' }])
  assert.equal(client.feedDoubt, 'sex;doubt=codes')
  await client.stream([{ ...patient, sex: 'M' }]).next()
  assert.equal(client.feedDoubt, 'sex;doubt=codes')
  const other = new RiskClient({ url, key: served.key, output: 'yes-no' })
  await other.score([patient])
  assert.equal(other.feedDoubt, undefined, 'another sender')
})

test('outcomes always carry an idempotency key, so that a retry is not counted twice', async () => {
  const client = new RiskClient({
    url: served.origin,
    key: await served.makeKey({ scopes: ['*', 'outcomes'] }),
    output: 'number',
    // An answer that is lost on the way.
    fetch: async (...request) => {
      const answer = await fetch(...request)
      if (!isLost && answer.url.endsWith('/outcomes')) {
        isLost = true
        throw new TypeError('the connection is lost')
      }
      return answer
    },
  })
  let isLost = false
  await client.score(patients(1))
  const digest = client.deploymentDigest ?? ''
  const outcomes = [{ idx: 1, risk: 0.2294, outcome: true, digest, scored: '2026-02' }]
  assert.deepEqual(await client.sendOutcomes(outcomes), [{ idx: 1, counted: true, error_message: null }])
  assert.equal(isLost, true)
  const counted = await served.store.readOutcomes('readmission', digest.slice(9, -1), ['', '9999-12'], [])
  assert.deepEqual(
    counted.map(({ number }) => number),
    [1],
  )
})

test('receipts come with results of a call and of a stream, and an outcome that carries one is counted once', async () => {
  const key = await served.makeKey({ scopes: ['*', 'outcomes'] })
  const client = new RiskClient({ url: `${served.origin}/watched`, key, output: 'number' })
  const [plain] = await client.score(patients(1))
  assert.equal(plain?.receipt, undefined)
  const [ofCall] = await client.score(patients(1), { receipts: true })
  const receipts = [ofCall?.receipt]
  for await (const { receipt } of client.stream(patients(2), { receipts: true })) receipts.push(receipt)
  const outcomes = receipts.map((receipt = '', idx) => ({ idx, receipt, outcome: 'event' as const }))
  const counted = async (): Promise<readonly boolean[]> =>
    (await client.sendOutcomes(outcomes)).map((each) => each.counted)
  assert.deepEqual(await counted(), [true, true, true])
  assert.deepEqual(await counted(), [false, false, false])
})

test('more records than a request may hold are cut and answered in order', async () => {
  const records = patients(25_003).reverse()
  const results = await numbers().score(records)
  assert.deepEqual(
    results.map(({ idx }) => idx),
    records.map(({ idx }) => idx),
  )
  assert.ok(results.every(({ risk }) => risk === 0.2294))
})

test('an idx that is repeated far apart is refused in both places', async () => {
  const records = patients(12_000)
  const results = await numbers().score([...records, { idx: 1, ...PATIENT }])
  const refused = results.filter(({ risk }) => risk === null)
  assert.deepEqual(
    refused.map(({ idx }) => idx),
    [1, 1],
  )
  assert.equal(refused[0]?.error_message?.[0]?.ExtendError, 'ValueError for value Idx in idx 1 (duplicate)')
})

test('bodies stay within the limit of bytes, and every record is in one of them', () => {
  const records = patients(500)
  const batches = batchesOf(records, { records: 100, bytes: 2_000 })
  assert.ok(
    batches.every(({ body, positions }) => Buffer.byteLength(body) <= 2_000 && positions.length <= 100),
  )
  assert.deepEqual(
    batches.flatMap(({ positions }) => positions),
    records.map((_, place) => place),
  )
})

for (const [bytes, bodies] of [
  [-1, 2],
  [0, 1],
  [1, 1],
] as const) {
  test(`two records and a limit of ${bytes} bytes more than they have: ${bodies} bodies`, () => {
    const records = patients(2)
    const limit = Buffer.byteLength(JSON.stringify(records)) + bytes
    // The count has one byte too many, for a comma that the first record does not need.
    assert.equal(batchesOf(records, { records: 100, bytes: limit + 1 }).length, bodies)
  })
}

for (const [records, bodies] of [
  [4, 2],
  [5, 1],
  [6, 1],
] as const) {
  test(`five records and a limit of ${records}: ${bodies} bodies`, () => {
    assert.equal(batchesOf(patients(5), { records, bytes: 100_000 }).length, bodies)
  })
}

for (const [records, bodies] of [
  [2, undefined],
  [3, 1],
  [4, 1],
] as const) {
  test(`three records with one idx and a limit of ${records}: ${bodies ?? 'a RangeError, no'} body`, () => {
    const twins = patients(3).map((record) => ({ ...record, idx: 1 }))
    const divide = () => batchesOf(twins, { records, bytes: 100_000 })
    if (bodies === undefined) assert.throws(divide, RangeError)
    else assert.equal(divide().length, bodies)
  })
}

test('outcomes in two bodies have an idempotency key each, and the same ones when they are sent again', async () => {
  const sent: (string | null)[] = []
  const answering: typeof fetch = (_address, request) => {
    const card = { deployment: { limits: { records: 2, bytes: 10_000 } } }
    if (typeof request?.body !== 'string') return Promise.resolve(Response.json(card))
    sent.push(new Headers(request.headers).get('idempotency-key'))
    const elements = JSON.parse(request.body) as readonly { readonly idx: number }[]
    return Promise.resolve(
      Response.json(elements.map(({ idx }) => ({ idx, counted: true, error_message: null }))),
    )
  }
  const client = new RiskClient({ url: 'http://127.0.0.1', key: 'k', output: 'number', fetch: answering })
  const outcomes = BATCHES.flat().map((idx) => ({
    idx,
    digest: 'a',
    scored: '2026-01',
    risk: 0.1,
    outcome: 'none' as const,
  }))
  for (let turn = 0; turn < 2; turn++) await client.sendOutcomes(outcomes, { requestId: 'monday' })
  assert.deepEqual(sent, ['monday.1', 'monday.2', 'monday.1', 'monday.2'])
})

test('a stream is answered while it is sent', async () => {
  const sent = { isWhole: false }
  let resultsBeforeTheEnd = 0
  async function* source(): AsyncGenerator<PatientRecord> {
    for (let idx = 1; idx <= 3_000; idx++) {
      if (idx % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
      // The last record waits for a result: a client that first sends everything would never end.
      while (idx === 3_000 && resultsBeforeTheEnd === 0) await new Promise((resolve) => setImmediate(resolve))
      yield { idx, ...PATIENT }
    }
    sent.isWhole = true
  }
  let count = 0
  for await (const { idx, risk } of numbers().stream(source())) {
    count++
    assert.deepEqual([idx, risk], [count, 0.2294])
    resultsBeforeTheEnd += sent.isWhole ? 0 : 1
  }
  assert.equal(count, 3_000)
  assert.ok(resultsBeforeTheEnd > 0)
})

/** Records without end, and whether their reader has let go of them. */
function endlessSource(isAsync: boolean): {
  readonly records: Iterable<PatientRecord> | AsyncIterable<PatientRecord>
  readonly isReleased: () => boolean
} {
  let isReleased = false
  function* source(): Generator<PatientRecord> {
    try {
      for (let idx = 1; ; idx++) yield { idx, ...PATIENT }
    } finally {
      isReleased = true
    }
  }
  async function* slowSource(): AsyncGenerator<PatientRecord> {
    for (const record of source()) {
      await new Promise((resolve) => setImmediate(resolve))
      yield record
    }
  }
  return { records: isAsync ? slowSource() : source(), isReleased: () => isReleased }
}

for (const isAsync of [false, true]) {
  const kind = isAsync ? 'an async source' : 'a sync source'
  test(`break in the loop over a stream releases ${kind} and aborts the request`, async () => {
    const { records, isReleased } = endlessSource(isAsync)
    let requestSignal: AbortSignal | null | undefined
    const watched: typeof fetch = (input, init) => {
      requestSignal = init?.signal
      return fetch(input, init)
    }
    const client = new RiskClient({ url: served.origin, key: served.key, output: 'number', fetch: watched })
    for await (const { risk } of client.stream(records)) {
      assert.equal(risk, 0.2294)
      break
    }
    await until(isReleased, { what: 'the release of the source' })
    assert.equal(requestSignal?.aborted, true)
  })
}

test('a refused stream releases its source', async () => {
  const { records, isReleased } = endlessSource(true)
  const client = new RiskClient({ url: served.origin, key: 'prk_wrong', output: 'number' })
  await assert.rejects(async () => {
    for await (const result of client.stream(records)) assert.fail(`an answer: ${String(result.idx)}`)
  }, RiskServiceError)
  await until(isReleased, { what: 'the release of the source' })
})

for (const failsAfter of [0, 1, 500]) {
  test(`an error of the source after ${failsAfter} records reaches the reader of the stream as it is`, async () => {
    const broken = new Error('the database connection was lost')
    // eslint-disable-next-line @typescript-eslint/require-await -- a source that is ready at once
    async function* source(): AsyncGenerator<PatientRecord> {
      for (let idx = 1; idx <= failsAfter; idx++) yield { idx, ...PATIENT }
      throw broken
    }
    await assert.rejects(
      async () => {
        for await (const { risk } of numbers().stream(source())) assert.equal(risk, 0.2294)
      },
      (error: unknown) => error === broken,
    )
  })
}

test('the signal of the caller ends a stream', async () => {
  const { records, isReleased } = endlessSource(true)
  const controller = new AbortController()
  await assert.rejects(async () => {
    for await (const { idx } of numbers().stream(records, { signal: controller.signal })) {
      if (idx === 10) controller.abort(new Error('enough'))
    }
  }, /enough/)
  await until(isReleased, { what: 'the release of the source' })
})

test('where a page is open, a stream goes in requests of 1,000 records, and a repeated idx ends it', async () => {
  const ids: string[] = []
  const watched: typeof fetch = (input, init) => {
    if (init?.method === 'POST') ids.push(new Headers(init.headers).get('x-request-id') ?? '')
    return fetch(input, init)
  }
  const client = new RiskClient({ url: served.origin, key: served.key, output: 'number', fetch: watched })
  const records = [...patients(2_500), { idx: 7, ...PATIENT }]
  let count = 0
  const controller = new AbortController()
  // What tells a browser from a server.
  Object.assign(globalThis, { document: {} })
  try {
    await assert.rejects(async () => {
      for await (const { idx } of client.stream(records, { requestId: 'list' })) assert.equal(idx, ++count)
    }, /^RangeError: idx 7 is repeated[.] Withdraw every result with that idx[.]$/)
    await assert.rejects(async () => {
      for await (const { idx } of client.stream(patients(2), { signal: controller.signal })) {
        assert.equal(idx, 1)
        controller.abort(new Error('enough'))
      }
    }, /enough/)
  } finally {
    Reflect.deleteProperty(globalThis, 'document')
  }
  assert.equal(count, 2_000)
  assert.deepEqual(ids.slice(0, 2), ['list.1', 'list.2'])
  assert.equal(ids.length, 3)
})

test('a signal that outlives its calls keeps no listener of theirs', async () => {
  const { signal } = new AbortController()
  await numbers().score(patients(1), { signal })
  for await (const { risk } of numbers().stream(patients(1), { signal })) assert.equal(risk, 0.2294)
  assert.deepEqual(getEventListeners(signal, 'abort'), [])
})

test('a refusal is an error with the problem of the service', async () => {
  const client = new RiskClient({ url: served.origin, key: 'prk_wrong', output: 'number' })
  await assert.rejects(client.score(patients(1)), (error: unknown) => {
    assert.ok(error instanceof RiskServiceError)
    assert.equal(error.problem.status, 401)
    return true
  })
})

/** The digest as an answer names it, or its base64 text. */
for (const form of [(digest: string) => digest, (digest: string) => digest.slice('sha-256=:'.length, -1)]) {
  test(`ifMatch as ${form('sha-256=:digest:')}: answers under the same terms, or an error that names the present ones`, async () => {
    const client = numbers()
    assert.equal(client.deploymentDigest, undefined)
    await client.score(patients(1))
    const { deploymentDigest = '' } = client
    assert.match(deploymentDigest, /^sha-256=:.{43}=:$/)
    const insisting = (ifMatch: string): RiskClient<'number'> =>
      new RiskClient({ url: served.origin, key: served.key, output: 'number', ifMatch: form(ifMatch) })
    const same = insisting(deploymentDigest)
    assert.equal((await same.score(patients(1)))[0]?.risk, 0.2294)
    for await (const { risk } of same.stream(patients(1))) assert.equal(risk, 0.2294)
    assert.equal(same.deploymentDigest, deploymentDigest)
    const other = insisting(`sha-256=:${'A'.repeat(43)}=:`)
    for (const call of [
      () => other.score(patients(1)),
      () => other.validate(patients(1)),
      async () => {
        for await (const result of other.stream(patients(1))) assert.fail(`an answer: ${String(result.idx)}`)
      },
    ]) {
      await assert.rejects(call, (error: unknown) => {
        assert.ok(error instanceof DeploymentChangedError && error instanceof RiskServiceError)
        assert.deepEqual([error.name, error.problem.code], ['DeploymentChangedError', 'DEPLOYMENT_CHANGED'])
        assert.equal(error.deploymentDigest, deploymentDigest)
        return true
      })
    }
  })
}

test('429 and 503 are retried after Retry-After, with the same request id and the same bytes', async () => {
  const seen: (readonly [string, string])[] = []
  const started = performance.now()
  let failures = 2
  const flaky: typeof fetch = (input, init) => {
    if (init?.method !== 'POST') return fetch(input, init)
    seen.push([new Headers(init.headers).get('x-request-id') ?? '', init.body as string])
    if (failures-- <= 0) return fetch(input, init)
    const status = failures === 1 ? 429 : 503
    return Promise.resolve(new Response('busy', { status, headers: { 'retry-after': '1' } }))
  }
  const client = new RiskClient({ url: served.origin, key: served.key, output: 'number', fetch: flaky })
  assert.equal((await client.score(patients(1), { requestId: 'night-run-7' }))[0]?.risk, 0.2294)
  assert.equal(seen.length, 3)
  assert.deepEqual(new Set(seen.map(([id]) => id)), new Set(['night-run-7']))
  assert.equal(new Set(seen.map(([, body]) => body)).size, 1)
  assert.ok(performance.now() - started >= 2_000, 'Retry-After was not kept')
})

for (const [what, header, waitsMs] of [
  ['an HTTP date', () => new Date(Date.now() + 2_000).toUTCString(), 900],
  ['an HTTP date in the past', () => new Date(0).toUTCString(), 0],
  ['something else', () => 'soon', 0],
] as const) {
  test(`Retry-After with ${what} is waited for`, async () => {
    let failures = 1
    const started = performance.now()
    const flaky: typeof fetch = (input, init) =>
      failures-- > 0
        ? Promise.resolve(new Response('busy', { status: 503, headers: { 'retry-after': header() } }))
        : fetch(input, init)
    const client = new RiskClient({ url: served.origin, key: served.key, output: 'number', fetch: flaky })
    assert.equal((await client.score(patients(1)))[0]?.risk, 0.2294)
    assert.ok(performance.now() - started >= Math.max(waitsMs, 250), 'it came back too soon')
  })
}

test('an aborted call ends at once, also while it waits for a retry', async () => {
  const busy: typeof fetch = () =>
    Promise.resolve(new Response('busy', { status: 503, headers: { 'retry-after': '60' } }))
  const client = new RiskClient({ url: served.origin, key: served.key, output: 'number', fetch: busy })
  const controller = new AbortController()
  const call = client.score(patients(1), { signal: controller.signal })
  setImmediate(() => controller.abort(new Error('enough')))
  await assert.rejects(call, /enough|abort/i)
})

test('the types of the client and of the page are generated from the schemas; if not: npm run client-types', async () => {
  assert.equal(readFileSync(CLIENT_TYPES_FILE, 'utf8'), await clientTypes())
  assert.equal(readFileSync(PAGE_TYPES_FILE, 'utf8'), await pageTypes())
})
