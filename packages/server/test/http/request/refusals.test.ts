/** Refusals that a client can act on: never a 5xx for what a caller sends, a cause that can be found, and an answer that arrives. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, mock, test } from 'node:test'
import { DEFAULT_FILE, DEFAULT_SERVER_SETTINGS } from '@patient-risk/catalog/config'
import { exchange } from '../../../../../test/support/exchange.ts'
import { cleanRecord } from '../../../../../test/support/records.ts'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'

const LIMIT = 200_000
let served: Served
let admin: string
before(async () => {
  served = await serve({
    deployments: DEFAULT_FILE.deployments.map((each) => ({ ...each, limits: { bytes: LIMIT, records: 50 } })),
  })
  admin = await served.makeKey({ scopes: ['admin'] })
})
after(() => served.close())

type Json = Readonly<Record<string, unknown>>
const rowCount = async (): Promise<number> => (await served.store.chainEnds()).head.seq

const PATHS = [
  ['POST', `/admin/keys/${'a'.repeat(101)}/revoke`, 404, true],
  ['POST', `/admin/keys/${'a'.repeat(101)}/rotate`, 404, true],
  ['GET', '/admin/nothing', 404, true],
  ['DELETE', '/admin/keys', 405, true],
  ['GET', '/admin/%zz', 400, true],
  ['GET', `${SCORE}/%zz`, 400, true],
  ['GET', '/docs/static/%00', 404, false],
  ['GET', `/docs/static/${'a'.repeat(300)}`, 404, false],
  ['GET', '/%zz', 400, false],
] as const
for (const [method, path, status, isAudited] of PATHS) {
  test(`${method} ${path.slice(0, 40)} gives ${status} and ${isAudited ? 'a row' : 'no row'} in the audit`, async () => {
    const count = await rowCount()
    const headers = { authorization: `Bearer ${admin}` }
    const answer = await exchange(served.origin, { method, path, headers })
    assert.ok(
      answer.status === status || (path.startsWith('/docs') && answer.status < 500),
      String(answer.status),
    )
    assert.equal(await rowCount(), count + (isAudited ? 1 : 0))
  })
}

const MALFORMED = [
  [
    '[{"age":NaN}]',
    /At byte 8 \(line 1, column 9\) a value was expected\. NaN and Infinity are not JSON: send null/,
  ],
  ['[{"age":-Infinity}]', /At byte 8 \(line 1, column 9\) a value was expected\. NaN and Infinity/],
  ["[{'age':1}]", /At byte 2 \(line 1, column 3\) a field name in double quotes or "}" was expected\.$/],
  ['[{"age":1,}]', /At byte 10 \(line 1, column 11\) a field name in double quotes was expected\.$/],
  ['[{"age":1}\n,{"age" 1}]', /At byte 19 \(line 2, column 9\) a colon was expected\.$/],
  [
    '[{"name":"é"}',
    /The body ends at byte 14 \(line 1, column 14\), where a comma or the closing bracket was expected\.$/,
  ],
  ['[] []', /At byte 3 \(line 1, column 4\) the end of the body was expected\.$/],
  [
    '[{"a":"x\ny"}]',
    /At byte 8 \(line 1, column 9\) a valid character or the end of a string was expected\.$/,
  ],
] as const
for (const [body, detail] of MALFORMED) {
  test(`a malformed body says where and what was expected: ${JSON.stringify(body)}`, async () => {
    const answer = await served.post(body)
    const problem = answer.json() as Json
    assert.deepEqual([answer.status, problem['code']], [400, 'BODY_MALFORMED'])
    assert.match(String(problem['detail']), detail)
    assert.doesNotMatch(String(problem['detail']), /é|'age'|"age"/)
  })
}

test('413 states the limit and the size', async () => {
  const large = (await served.post(`[${' '.repeat(LIMIT)}]`)).json() as Json
  assert.equal(
    large['detail'],
    `The body has ${LIMIT + 2} bytes; the limit is ${LIMIT} bytes. Send the records in several requests.`,
  )
  const many = (
    await served.post(Array.from({ length: 51 }, (_each, idx) => cleanRecord(idx)))
  ).json() as Json
  assert.equal(many['detail'], 'The body holds 51 records; the limit is 50. Send them in several requests.')
})

const head = (key: string, framing: string): string =>
  `POST ${SCORE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`

/** Sends all bytes, whatever comes back, then reads the answer. */
async function sendAll(...parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect(Number(new URL(served.origin).port), '127.0.0.1')
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
  const failed = once(socket, 'error').then(([error]) => Promise.reject(error as Error))
  const sent = (async () => {
    for (const part of parts) {
      if (!socket.write(part)) await once(socket, 'drain')
    }
    socket.end()
    await once(socket, 'close')
  })()
  await Promise.race([sent, failed])
  return received
}

const OVER = [
  [
    'one byte over the limit',
    () => [head(served.key, `Content-Length: ${LIMIT + 1}`), Buffer.alloc(LIMIT + 1, ' ')],
    413,
  ],
  [
    'of 4 MB with a wrong key',
    () => [head('prk_x', 'Content-Length: 4000000'), Buffer.alloc(4_000_000, ' ')],
    401,
  ],
  [
    'in chunks, over the limit',
    () => [
      head(served.key, 'Transfer-Encoding: chunked'),
      ...Array.from({ length: 40 }, () => `${(65_536).toString(16)}\r\n${' '.repeat(65_536)}\r\n`),
      '0\r\n\r\n',
    ],
    413,
  ],
] as const
for (const [what, parts, status] of OVER) {
  test(`the sender of a body ${what} gets its ${status}, not a reset`, async () => {
    for (let round = 0; round < 5; round++)
      assert.match(await sendAll(...parts()), new RegExp(`^HTTP/1\\.1 ${status} `))
  })
}

test('a caller that closes its sending side gets its answer', async () => {
  const body = JSON.stringify([cleanRecord(1)])
  assert.match(
    await sendAll(head(served.key, `Content-Length: ${body.length}`) + body),
    /^HTTP\/1\.1 200 [\s\S]*"idx":1,/,
  )
})

test('readiness is false while audit rows cannot be appended', async () => {
  const own = await serve()
  const failing = mock.method(own.store, 'health', () => Promise.resolve('a forged row'))
  const broken = await own.call({ path: '/health/ready' })
  failing.mock.restore()
  assert.deepEqual([broken.status, (await own.call({ path: '/health/ready' })).status], [503, 200])
  await own.close()
})

test('the OpenAPI document shows a caller only what its key may call, where the operator asks for that', async () => {
  const own = await serve({ service: { settings: { ...DEFAULT_SERVER_SETTINGS, documents: 'open' } } })
  const narrow = await serve({ service: { settings: { ...DEFAULT_SERVER_SETTINGS, documents: 'key' } } })
  const pathsFor = async (scopes: readonly string[]): Promise<readonly string[]> => {
    const key = await narrow.makeKey({ scopes })
    const answer = await exchange(narrow.origin, {
      path: '/openapi.json',
      headers: { authorization: `Bearer ${key}` },
    })
    return Object.keys((answer.json() as { paths: object }).paths)
  }
  assert.equal((await exchange(own.origin, { path: '/openapi.json' })).status, 200)
  assert.equal((await exchange(narrow.origin, { path: '/openapi.json' })).status, 401)
  assert.equal((await exchange(narrow.origin, { path: '/docs/' })).status, 404)
  const flag = await pathsFor(['readmission-flag'])
  assert.ok(flag.includes(`/flag${SCORE}`) && !flag.includes(SCORE) && !flag.includes('/admin/keys'))
  assert.ok((await pathsFor(['admin'])).includes('/admin/keys'))
  await Promise.all([own.close(), narrow.close()])
})
