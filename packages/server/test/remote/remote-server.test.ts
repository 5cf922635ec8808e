/** Calls to listed servers: private addresses are refused unless the server is internal, whatever way they are written. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { RemoteServer } from '../../src/remote/remote-server.ts'

let port = 0
let calls = 0
const server = createServer((_request, response) => {
  calls++
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
    assert.equal(new RemoteServer({ url: 'https://h.example/r4' }).holds(new URL(url)), isHeld)
  })
}
