/** What a key may use in a minute, and how the caller learns of it. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'

const RECORD = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const deployment = (name: string, limits: object): never =>
  ({ name, basePath: `/${name}`, model: 'readmission30', output: 'number', limits }) as never

let served: Served
before(async () => {
  served = await serve({
    deployments: [
      deployment('few', { requestsPerMinute: 3, recordsPerMinute: 10 }),
      deployment('free', { requestsPerMinute: null, recordsPerMinute: null }),
    ],
  })
})
after(() => served.close())

type Problem = Readonly<Record<string, unknown>>
const send = async (
  name: string,
  key: string,
  records = 1,
): Promise<{
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly code: unknown
}> => {
  const answer = await served.post(
    Array.from({ length: records }, (_, idx) => ({ ...RECORD, idx })),
    { path: `/${name}${SCORE}`, headers: { authorization: `Bearer ${key}` } },
  )
  const code = answer.status === 200 ? undefined : (answer.json() as Problem)['code']
  return { status: answer.status, headers: answer.headers, code }
}

test('requests beyond the limit are refused, with the time to wait', async () => {
  const key = await served.makeKey()
  const first = await send('few', key)
  assert.equal(first.headers['ratelimit-policy'], '"requests";q=3;w=60, "records";q=10;w=60')
  assert.equal(first.headers['ratelimit'], '"requests";r=2;t=60, "records";r=9;t=60')
  assert.deepEqual([(await send('few', key)).status, (await send('few', key)).status], [200, 200])
  const refused = await send('few', key)
  assert.deepEqual([refused.status, refused.code], [429, 'RATE_LIMITED'])
  assert.match(String(refused.headers['ratelimit']), /^"requests";r=0;t=\d+$/)
  assert.ok(Number(refused.headers['retry-after']) > 0 && Number(refused.headers['retry-after']) <= 60)
  assert.equal((await send('few', await served.makeKey())).status, 200, 'another key has its own count')
})

test('records beyond the limit are refused as a whole, and smaller requests still fit', async () => {
  const key = await served.makeKey()
  assert.equal((await send('few', key, 6)).status, 200)
  const refused = await send('few', key, 6)
  assert.deepEqual([refused.status, refused.code], [429, 'RATE_LIMITED'])
  assert.equal((await send('few', key, 4)).status, 200)
})

test('a stream that uses up its records ends with a word on when to go on, and names no header that it cannot have', async () => {
  const key = await served.makeKey()
  const lines = Array.from({ length: 6 }, (_, idx) => `${JSON.stringify({ ...RECORD, idx })}\n`).join('')
  assert.match(await streamed(key, lines), /"idx":5,"risk":0\.\d+,"error_message":null\}\n$/)
  const said = JSON.parse((await streamed(key, lines)).trimEnd()) as Problem
  assert.equal(said['code'], 'RATE_LIMITED')
  assert.match(String(said['detail']), /the stream ends here.* again in \d+ s\.$/)
})

/** What a stream is answered, also where the answer is cut off. */
function streamed(key: string, lines: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' }
  return new Promise((resolve) => {
    const asked = request(`${served.origin}/few${SCORE}`, { method: 'POST', headers }, (answer) => {
      let said = ''
      answer.on('data', (part: Buffer) => (said += part.toString()))
      // A cut is an error here; what came before it counts.
      answer.on('error', () => undefined).on('close', () => resolve(said))
    })
    asked.end(lines)
  })
}

test('records with problems count as further records, but are never refused for that alone', async () => {
  const key = await served.makeKey({ limits: { recordsPerMinute: 30 } })
  const ask = async (body: unknown): Promise<number> =>
    (await served.post(body, { path: `/free${SCORE}`, headers: { authorization: `Bearer ${key}` } })).status
  // Five missing fields: 1 record and 20 for its problems.
  assert.equal(await ask([{ idx: 1 }]), 200)
  assert.equal(await ask([{ idx: 1 }]), 200, 'nine are left, which is enough for one record')
  const refused = await served.post([RECORD], {
    path: `/free${SCORE}`,
    headers: { authorization: `Bearer ${key}` },
  })
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers['retry-after']) > 0)
})

test('a key without records left is refused before its body is read', async () => {
  const key = await served.makeKey({ limits: { recordsPerMinute: 1 } })
  assert.equal((await send('free', key)).status, 200)
  const answer = await served.raw(
    `POST /free${SCORE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n`,
  )
  assert.equal(answer.status, 429)
})

test('more records than a minute ever has are refused for good', async () => {
  const refused = await send('few', await served.makeKey(), 11)
  assert.deepEqual([refused.status, refused.code], [413, 'TOO_MANY_RECORDS'])
})

test('no limit means no limit, and no headers about it', async () => {
  const answer = await send('free', await served.makeKey(), 50)
  assert.deepEqual([answer.status, answer.headers['ratelimit']], [200, undefined])
})

test("a key's own limit comes before the deployment's, over all deployments", async () => {
  const key = await served.makeKey({ limits: { requestsPerMinute: 2 } })
  assert.deepEqual([(await send('free', key)).status, (await send('few', key)).status], [200, 200])
  assert.equal((await send('free', key)).status, 429)
  const unlimited = await served.makeKey({ limits: { requestsPerMinute: null, recordsPerMinute: null } })
  for (let i = 0; i < 5; i++) assert.equal((await send('few', unlimited, 10)).status, 200)
})

test('discovery lists every limit', async () => {
  const { deployment: described } = (await served.get(`/few${SCORE}/model`)).json() as {
    readonly deployment: { readonly limits: object }
  }
  const expected = ['bytes', 'records', 'depth', 'keysPerRecord', 'requestsPerMinute', 'recordsPerMinute']
  const times = ['headersMs', 'requestMs', 'connectionsPerAddress', 'failedKeysPerMinute']
  for (const name of [...expected, ...times]) assert.ok(name in described.limits, name)
})
