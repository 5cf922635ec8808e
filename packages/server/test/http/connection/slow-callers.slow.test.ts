/** Callers that send or read too slowly are cut off; others are answered meanwhile. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type Socket, connect } from 'node:net'
import { test } from 'node:test'
import { Connections } from '../../../src/http/connection/connections.ts'
import { TrustedProxies } from '../../../src/http/connection/trusted-proxies.ts'
import { DEFAULT_FILE, DEFAULT_SERVER_SETTINGS, type ServerSettings } from '@patient-risk/catalog/config'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'

const LONG_MS = 600_000
/** Nothing is cut off by its time: each test shortens what it is about, so that a machine that stalls breaks nothing else. */
const PATIENT: ServerSettings = {
  ...DEFAULT_SERVER_SETTINGS,
  times: {
    headersMs: LONG_MS,
    requestMs: LONG_MS,
    streamMs: LONG_MS,
    stallMs: LONG_MS,
    idleMs: LONG_MS,
    noticeMs: 0,
    stopMs: 2_000,
  },
  pace: { windowMs: LONG_MS, bytesPerSecond: 1_000 },
}
const patient = (
  times: Partial<ServerSettings['times']>,
  pace: Partial<ServerSettings['pace']> = {},
): ServerSettings => ({
  ...PATIENT,
  times: { ...PATIENT.times, ...times },
  pace: { ...PATIENT.pace, ...pace },
})

async function withService(settings: ServerSettings, act: (served: Served) => Promise<void>): Promise<void> {
  const deployments = DEFAULT_FILE.deployments.map((each) => ({
    ...each,
    limits: { records: 200_000, bytes: 1 << 26 },
  }))
  const served = await serve({ deployments, isOverSocket: true, service: { settings } })
  try {
    await act(served)
  } finally {
    await served.close()
  }
}

interface Caller {
  readonly socket: Socket
  /** What was received until the connection ended. */
  readonly ended: Promise<string>
}

function call(served: Pick<Served, 'origin'>, bytes: string, localAddress = '127.0.0.1'): Promise<Caller> {
  const { port } = new URL(served.origin)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress })
    let received = ''
    const ended = new Promise<string>((resolveEnd) => {
      socket.on('close', () => resolveEnd(received))
    })
    socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
    socket.on('error', () => undefined)
    socket.once('connect', () => {
      socket.write(bytes)
      resolve({ socket, ended })
    })
    socket.once('error', reject)
  })
}

/** Sends a byte every tenth of a second until the connection ends. */
async function drip({ socket, ended }: Caller): Promise<string> {
  const timer = setInterval(() => socket.write('a'), 100)
  return ended.finally(() => clearInterval(timer))
}

const post = (served: Served, length: number): string =>
  `POST ${SCORE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${served.key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

test('headers that arrive too slowly get 408 and the connection is closed', () =>
  withService(patient({ headersMs: 500 }), async (served) => {
    assert.match(
      await drip(await call(served, 'GET / HTTP/1.1\r\nHost: localhost\r\nX: ')),
      /^HTTP\/1\.1 408 /,
    )
  }))

test('a connection on which nothing comes gets 408 and is closed', { timeout: 120_000 }, () =>
  withService(patient({ headersMs: 500, stallMs: 1_500 }), async (served) => {
    const received = await (await call(served, '')).ended
    assert.match(received, /^HTTP\/1\.1 408 /)
    assert.match(received, /connection: close/i)
  }),
)

/** Long enough that only the pace can cut a body off. */
const PACED = patient({}, { windowMs: 500 })

test('a body that arrives too slowly gets 408 and the connection is closed', { timeout: 120_000 }, () =>
  withService(PACED, async (served) => {
    const received = await drip(await call(served, post(served, 100_000)))
    assert.match(received, /^HTTP\/1\.1 408 /)
    assert.match(received, /BODY_TOO_SLOW/)
    assert.match(received, /connection: close/i)
  }),
)

test('a body that comes steadily is cut off at the time of a request, and not before', () =>
  withService(patient({ requestMs: 6_000 }, { windowMs: 2_000 }), async (served) => {
    const caller = await call(served, post(served, 1_000_000))
    const timer = setInterval(() => caller.socket.write(' '.repeat(1_000)), 50)
    const received = await caller.ended.finally(() => clearInterval(timer))
    assert.match(received, /^HTTP\/1\.1 408 /)
    assert.ok(caller.socket.bytesWritten > 10_000)
  }))

test('the rest of a refused body has a time limit too', { timeout: 120_000 }, () =>
  withService(PACED, async (served) => {
    const received = await drip(
      await call(served, `POST ${SCORE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n`),
    )
    assert.match(received, /^HTTP\/1\.1 401 /)
  }),
)

test('a caller who does not read a large answer is cut off', () =>
  withService(patient({ requestMs: 10_000, stallMs: 5_000 }), async (served) => {
    const body = `[${Array.from({ length: 25_000 }, (_, idx) => `{"idx":${idx}}`).join(',')}]`
    const { port } = new URL(served.origin)
    const arrived = once(served.app.server, 'connection') as Promise<[Socket]>
    const socket = connect({ host: '127.0.0.1', port: Number(port) })
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(post(served, Buffer.byteLength(body)) + body)
    // At the service's end: the caller, who does not read, would never notice.
    const [held] = await arrived
    if (!held.closed) await once(held, 'close')
    assert.ok(held.bytesWritten > 0, 'its answer had begun')
    socket.destroy()
  }))

test('new connections of an address end its slow ones, and nobody else’s', () =>
  withService({ ...PATIENT, connections: { total: 100, perAddress: 5 } }, async (served) => {
    const other = await call(served, 'GET / HTTP/1.1\r\n', '127.0.0.2')
    const slow = await Promise.all(Array.from({ length: 5 }, () => call(served, 'GET / HTTP/1.1\r\n')))
    const fresh = await Promise.all(
      Array.from({ length: 5 }, () =>
        call(served, 'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
      ),
    )
    for (const { ended } of fresh) assert.match(await ended, /^HTTP\/1\.1 200 /)
    await Promise.race(slow.map(({ ended }) => ended))
    assert.equal(other.socket.closed, false)
    for (const { socket } of [other, ...slow]) socket.destroy()
  }))

test('connections of an address beyond its number are refused while all others wait for the service', async () => {
  const connections = new Connections({ connections: { total: 100, perAddress: 2 } }, new TrustedProxies([]))
  let arrived = 0
  const server = createServer(() => arrived++)
  connections.attach(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const served = { origin: `http://127.0.0.1:${port}` }
  const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const waiting = [await call(served, request), await call(served, request)]
  while (arrived < 2) await new Promise((resolve) => setImmediate(resolve))
  const third = await call(served, request)
  assert.equal(await third.ended, '')
  assert.deepEqual([connections.count, connections.refused, connections.evicted], [2, 1, 0])
  for (const { socket } of waiting) socket.destroy()
  server.close()
})

test('at the limit of connections the slowest one makes room for a new caller', () =>
  withService({ ...PATIENT, connections: { total: 4, perAddress: 100 } }, async (served) => {
    const slow = await Promise.all(
      Array.from({ length: 4 }, () => call(served, 'GET / HTTP/1.1\r\n', '127.0.0.3')),
    )
    assert.equal((await served.get('/health/live')).status, 200)
    await Promise.race(slow.map(({ ended }) => ended))
    assert.equal(slow.filter(({ socket }) => socket.closed).length, 1)
    for (const { socket } of slow) socket.destroy()
  }))
