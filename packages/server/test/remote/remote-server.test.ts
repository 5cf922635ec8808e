/** Calls to listed servers: private addresses are refused unless the server is internal, whatever way they are written. */
import assert from 'node:assert/strict'
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { RemoteServer, upTo } from '../../src/remote/remote-server.ts'

let port = 0
let calls = 0
/** Answers a call itself, and says so. */
let misbehave: (response: ServerResponse) => boolean = () => false
const server = createServer((_request, response) => {
  calls++
  if (misbehave(response)) return
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
})
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ;({ port } = server.address() as AddressInfo)
})
after(() => {
  server.closeAllConnections()
  server.close()
})

const call = async (host: string, internal: boolean): Promise<string> => {
  const remote = new RemoteServer({ url: `http://${host}:${port}/fhir`, internal })
  const signal = AbortSignal.timeout(5_000)
  return (await remote.call(remote.base, { signal, take: () => undefined })).toString()
}

const LITERALS =
  '127.0.0.1 127.1 2130706433 0x7f000001 0.0.0.0 10.0.0.1 10.255.255.255 100.64.0.1 169.254.169.254 172.16.0.1 172.31.0.1 192.0.0.1 ' +
  '192.168.1.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 [::1] [::] [::ffff:127.0.0.1] [::ffff:a00:1] [fe80::1] [fd00::1] ' +
  '[ff02::1] [2002:7f00:1::] [64:ff9b::a00:1]'
for (const host of LITERALS.split(' ')) {
  test(`${host} is refused before a connection`, async () => {
    await assert.rejects(async () => call(host, false), /private address/)
  })
}

test('a name with a private address is refused', async () => {
  const before = calls
  await assert.rejects(async () => call('localhost', false), /cannot be reached/)
  assert.equal(calls, before)
})

test('an internal server is called by its address or its name', async () => {
  assert.equal(await call('127.0.0.1', true), '{}')
  assert.equal(await call('localhost', true), '{}')
})

const PLACES: readonly (readonly [string, boolean])[] = [
  ['https://h.example/r4/Patient/1', true],
  ['https://h.example/r4?page=2', true],
  ['https://h.example/r4/?page=2', true],
  ['https://h.example/r4x/Patient', false],
  ['https://h.example/r4/../admin', false],
  ['https://h.example:444/r4/Patient', false],
  ['http://h.example/r4/Patient', false],
  ['https://a:b@h.example/r4/Patient', false],
  ['https://h.example.org/r4/Patient', false],
]
for (const [url, isHeld] of PLACES) {
  test(`${url} ${isHeld ? 'lies' : 'does not lie'} on https://h.example/r4`, () => {
    assert.equal(
      new RemoteServer({ url: 'https://h.example/r4' }).addressOf(new URL(url)) !== undefined,
      isHeld,
    )
  })
}

/** What a server with the aliases http://h.example/r4 and https://public.example/api/fhir writes, and what is called for it. */
const NAMES: readonly (readonly [string, string | undefined])[] = [
  ['https://h.example/r4/Encounter?page=2', 'https://h.example/r4/Encounter?page=2'],
  ['http://h.example/r4/Encounter?page=2', 'https://h.example/r4/Encounter?page=2'],
  ['https://public.example/api/fhir/Encounter?_page=2', 'https://h.example/r4/Encounter?_page=2'],
  ['https://public.example/api/fhir?_getpages=x', 'https://h.example/r4?_getpages=x'],
  ['https://public.example/api/fhir/?_getpages=x', 'https://h.example/r4/?_getpages=x'],
  ['https://public.example/api/other?_getpages=x', undefined],
  ['https://a:b@public.example/api/fhir/Encounter', undefined],
  ['https://evil.example/api/fhir/Encounter', undefined],
]
for (const [given, called] of NAMES) {
  test(`${given} is ${called === undefined ? 'not called' : 'called on the server itself'}`, () => {
    const aliases = ['http://h.example/r4', 'https://public.example/api/fhir/']
    const remote = new RemoteServer({ url: 'https://h.example/r4', aliases })
    assert.equal(remote.addressOf(new URL(given))?.href, called)
  })
}

const busy = (status: number, headers: Readonly<Record<string, string>>, times: number): void => {
  let left = times
  misbehave = (response) => {
    if (left-- <= 0) return false
    response.writeHead(status, headers).end()
    return true
  }
}

const asked = (withinMs = 10_000): Promise<Buffer> => {
  const remote = new RemoteServer({ url: `http://127.0.0.1:${port}/fhir`, internal: true })
  const signal = AbortSignal.timeout(withinMs)
  return remote.call(remote.base, { signal, endsAt: Date.now() + withinMs, take: upTo(10_000) })
}

/** How many bytes of ten arrive, in two parts · whether they are taken. */
const SIZES = [
  [9, true],
  [10, true],
  [11, false],
] as const
for (const [bytes, isTaken] of SIZES) {
  test(`${bytes} bytes where ten are permitted are ${isTaken ? 'taken' : 'too many'}`, () => {
    const take = upTo(10)
    take(4)
    if (isTaken) take(bytes - 4)
    else assert.throws(() => take(bytes - 4), /sent more than the service takes/)
  })
}

const httpDate = (inMs: number): string => new Date(Date.now() + inMs).toUTCString()
/** The status, its headers, and whether the call is repeated. */
const WAITS: readonly (readonly [string, number, () => Record<string, string>, boolean])[] = [
  ['429 with seconds', 429, () => ({ 'retry-after': '1' }), true],
  ['503 with no seconds', 503, () => ({ 'retry-after': '0' }), true],
  ['429 with a date', 429, () => ({ 'retry-after': httpDate(2_000) }), true],
  [
    '503 with a date of a clock that is an hour ahead',
    503,
    () => ({ date: httpDate(3_600_000), 'retry-after': httpDate(3_601_000) }),
    true,
  ],
  ['429 without the header', 429, () => ({}), false],
  ['503 with words', 503, () => ({ 'retry-after': 'soon' }), false],
  ['500 with the header', 500, () => ({ 'retry-after': '1' }), false],
]
for (const [name, status, headers, isRepeated] of WAITS) {
  test(`${name} is ${isRepeated ? 'waited for' : 'a failure at once'}`, async () => {
    busy(status, headers(), 2)
    const before = calls
    if (isRepeated) assert.equal((await asked()).toString(), '{}')
    else await assert.rejects(asked(), { message: `The FHIR server answered with status ${status}.` })
    assert.equal(calls - before, isRepeated ? 3 : 1)
    misbehave = () => false
  })
}

test('a wait that is longer than the call may take is not begun', async () => {
  busy(429, { 'retry-after': '11' }, 1)
  const before = calls
  await assert.rejects(asked(), /status 429, and asks to wait longer than this call may take/)
  assert.equal(calls - before, 1)
  misbehave = () => false
})

/** Bytes and headers of an answer, and what is read or why it is not. */
const FORMS: readonly (readonly [string, Buffer, Record<string, string>, string | RegExp])[] = [
  ['gzip that was not asked for', gzipSync('{"a":1}'), { 'content-encoding': 'gzip' }, '{"a":1}'],
  ['a byte order mark', Buffer.from('\uFEFF{"a":1}'), {}, '{"a":1}'],
  ['both', gzipSync('\uFEFF{"a":1}'), { 'content-encoding': 'x-gzip' }, '{"a":1}'],
  [
    'a few bytes that unpack to many',
    gzipSync(Buffer.alloc(1_000_000, 32)),
    { 'content-encoding': 'gzip' },
    /sent more than the service takes/,
  ],
  ['what is not gzip', Buffer.from('{"a":1}'), { 'content-encoding': 'gzip' }, /is not gzip/],
  ['half of a gzip', gzipSync('{"a":1}').subarray(0, 20), { 'content-encoding': 'gzip' }, /is not gzip/],
  ['another coding', Buffer.from('{}'), { 'content-encoding': 'br' }, /something other than plain JSON/],
]
for (const [name, bytes, headers, expected] of FORMS) {
  test(`an answer with ${name} is ${typeof expected === 'string' ? 'read' : 'refused'}`, async () => {
    misbehave = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(bytes)
      return true
    }
    if (typeof expected === 'string') assert.equal((await asked()).toString(), expected)
    else await assert.rejects(asked(), expected)
    misbehave = () => false
  })
}
