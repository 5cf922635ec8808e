/** Requests that can be read in two ways, or not at all, on a socket of their own: each is refused with a problem body. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DEFAULT_SERVER_SETTINGS } from '@patient-risk/catalog/config'
import { rawExchange } from '../../../../../test/support/exchange.ts'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'

const OWN = 'https://risk.example.org'

let served: Served
before(async () => {
  served = await serve({ service: { settings: { ...DEFAULT_SERVER_SETTINGS, origins: [OWN] } } })
})
after(() => served.close())

const get = (target: string, ...headers: string[]): string =>
  `GET ${target} HTTP/1.1\r\n${['Host: localhost', ...headers].join('\r\n')}\r\n\r\n`
const LIVE = '/health/live'

const CASES: readonly (readonly [string, string, number])[] = [
  ['a plain request', get(LIVE), 200],
  ['HTTP/1.0 without Host', `GET ${LIVE} HTTP/1.0\r\n\r\n`, 200],
  ['empty lines before the request', `\r\n\r\n${get(LIVE)}`, 200],
  ['a request line without version', `GET ${LIVE}\r\n\r\n`, 400],
  ['a request line without version and with bare LF', `GET ${LIVE}\n\n`, 400],
  ['a bare LF after the request line', `GET ${LIVE} HTTP/1.1\nHost: localhost\r\n\r\n`, 400],
  ['a bare LF after a header', `GET ${LIVE} HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n`, 400],
  ['a bare LF at the end', `GET ${LIVE} HTTP/1.1\r\nHost: localhost\r\n\n`, 400],
  ['a bare CR in a header', get(LIVE, 'X: a\rb'), 400],
  ['a NUL in a header', get(LIVE, 'X: a\0b'), 400],
  ['a folded header', get(LIVE, 'X: a', '  b'), 400],
  ['a space before the colon', get(LIVE, 'X : a'), 400],
  ['HTTP/2.0 in the request line', `GET ${LIVE} HTTP/2.0\r\nHost: localhost\r\n\r\n`, 400],
  ['HTTP/1.2 in the request line', `GET ${LIVE} HTTP/1.2\r\nHost: localhost\r\n\r\n`, 400],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['no Host', `GET ${LIVE} HTTP/1.1\r\n\r\n`, 400],
  ['an empty Host', `GET ${LIVE} HTTP/1.1\r\nHost:\r\n\r\n`, 400],
  ['two Host headers', get(LIVE, 'Host: other'), 400],
  ['two Host headers that agree', get(LIVE, 'Host: localhost'), 400],
  ['a Host with a path', `GET ${LIVE} HTTP/1.1\r\nHost: localhost/x\r\n\r\n`, 400],
  ['a Host with a user', `GET ${LIVE} HTTP/1.1\r\nHost: a@localhost\r\n\r\n`, 400],
  ['two Authorization headers', get(LIVE, 'Authorization: Bearer a', 'Authorization: Bearer b'), 400],
  ['two Content-Type headers', get(LIVE, 'Content-Type: application/json', 'content-type: text/plain'), 400],
  [
    'two Transfer-Encoding headers',
    get(LIVE, 'Transfer-Encoding: chunked', 'transfer-encoding: chunked'),
    400,
  ],
  ['two Idempotency-Key headers', get(LIVE, 'Idempotency-Key: a', 'idempotency-key: b'), 400],
  ['two headers that may be repeated', get(LIVE, 'Accept-Language: es', 'accept-language: en'), 200],
  ['the absolute form of another host', get('http://elsewhere.example/health/live'), 400],
  ['the absolute form of another port', get('http://localhost:1/health/live'), 400],
  ['the absolute form of a configured origin', get(`${OWN}/health/live`), 200],
  ['the absolute form with a user', get('https://a:b@risk.example.org/health/live'), 400],
  ['another scheme', get('ftp://risk.example.org/health/live'), 400],
  ['the asterisk form', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ['the authority form', 'CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ['a path that is no URL', get('/%zz'), 400],
  ['bytes beyond ASCII in the target', get('/\u00e9'), 400],
  ['an expectation that cannot be met', get(LIVE, 'Expect: the-impossible'), 400],
  ['a length and a transfer coding', get(LIVE, 'Content-Length: 1', 'Transfer-Encoding: chunked'), 400],
  ['another transfer coding', get(LIVE, 'Transfer-Encoding: gzip, chunked'), 400],
  [
    'a transfer coding in HTTP/1.0',
    `GET ${LIVE} HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  ['two lengths that agree', get(LIVE, 'Content-Length: 0', 'Content-Length: 0'), 400],
  ['a length with a sign', get(LIVE, 'Content-Length: +1'), 400],
  ['headers beyond 16 KiB', get(LIVE, `X: ${'a'.repeat(17_000)}`), 400],
  [
    'a second key after two thousand headers',
    get(LIVE, 'Authorization: a', ...Array.from({ length: 2_100 }, () => 'a:'), 'Authorization: b'),
    400,
  ],
  ['no HTTP at all', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000', 400],
]

for (const [name, bytes, status] of CASES) {
  test(`${name} → ${status}`, async () => {
    const answer = await served.raw(Buffer.from(bytes, 'latin1'))
    assert.equal(answer.status, status, answer.text)
    assert.equal(answer.text.includes('example'), false, 'an answer repeats nothing that was sent')
  })
}

test("a request target in absolute form is accepted for this server's own address", async () => {
  const { port } = new URL(served.origin)
  for (const host of ['localhost', '127.0.0.1']) {
    assert.equal((await served.raw(get(`http://${host}:${port}${LIVE}`))).status, 200)
  }
})

test('a request with Expect: 100-continue is refused before its body is sent', async () => {
  const head = `POST ${SCORE} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n`
  const refused = await served.raw(`${head}\r\n`)
  assert.equal(refused.status, 401)
  assert.equal(refused.headers.connection, 'close')
  const answer = await rawExchange(
    served.origin,
    `${head}Authorization: Bearer ${served.key}\r\nConnection: close\r\n\r\n[]`,
  )
  assert.equal(answer.status, 100)
  assert.match(answer.text, /HTTP\/1\.1 200 OK/)
})

test('after a refusal a small body is read and forgotten, and the connection goes on', async () => {
  const body = 'x'.repeat(1_000)
  const refused = `POST ${SCORE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const answer = await served.raw(`${refused}${get(LIVE, 'Connection: close')}`)
  assert.equal(answer.status, 401)
  assert.notEqual(answer.headers.connection, 'close')
})
