/** What a deployment and the service permit of a request: below, at and above each limit. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { after, before, mock } from 'node:test'
import { gzipSync } from 'node:zlib'
import { DEFAULT_SERVER_SETTINGS, type DeploymentSettings } from '@patient-risk/catalog/config'
import { Connections } from '../../../src/http/connection/connections.ts'
import { Load } from '../../../src/http/connection/load.ts'
import { Pace } from '../../../src/http/connection/pace.ts'
import { TrustedProxies } from '../../../src/http/connection/trusted-proxies.ts'
import type { Answer } from '../../../../../test/support/exchange.ts'
import { around, atLimit } from '../../../../../test/support/limits.ts'
import { cleanRecord, cleanRecords } from '../../../../../test/support/records.ts'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'

const BYTES = 4_000
const RECORDS = 5
const DEPTH = 4
const KEYS = 20
const LINE_BYTES = 600

let served: Served
before(async () => {
  const limits = {
    bytes: BYTES,
    records: RECORDS,
    depth: DEPTH,
    keysPerRecord: KEYS,
    lineBytes: LINE_BYTES,
    requestsPerMinute: null,
    recordsPerMinute: null,
  }
  const deployment: DeploymentSettings = {
    name: 'edges',
    basePath: '/',
    model: 'readmission30',
    output: 'number',
    limits,
  }
  served = await serve({ deployments: [deployment] })
})
after(() => served.close())

function expectStatus(answer: Answer, isPermitted: boolean, status: number, code: string): void {
  const expected = isPermitted ? [200, undefined] : [status, code]
  const said = answer.status === 200 ? undefined : (answer.json() as { readonly code: string }).code
  assert.deepEqual([answer.status, said], expected)
}

/** A body of one record that has this many bytes. */
const bodyOf = (bytes: number): string => JSON.stringify([cleanRecord(1)]).padEnd(bytes)

for (const [what, encode, headers] of [
  ['as it is', (text: string): Uint8Array => Buffer.from(text), {}],
  ['compressed', gzipSync, { 'content-encoding': 'gzip' }],
] as const) {
  atLimit('bytes of a body, decompressed', around(BYTES), async (bytes, isPermitted) => {
    const body = encode(bodyOf(bytes))
    assert.equal(body.length === bytes, what === 'as it is')
    expectStatus(await served.post(body, { headers }), isPermitted, 413, 'BODY_TOO_LARGE')
  })
}

atLimit('records of a body', around(RECORDS), async (records, isPermitted) => {
  expectStatus(await served.post(cleanRecords(records)), isPermitted, 413, 'TOO_MANY_RECORDS')
})

atLimit('nesting', around(DEPTH), async (depth, isPermitted) => {
  const inner = '['.repeat(depth - 2) + ']'.repeat(depth - 2)
  expectStatus(await served.post(`[{"idx":1,"x":${inner}}]`), isPermitted, 400, 'BODY_TOO_DEEP')
})

atLimit('nesting', around(DEPTH), async (depth, isPermitted) => {
  const headers = { authorization: `Bearer ${await served.makeKey({ scopes: ['outcomes', 'edges'] })}` }
  const inner = '['.repeat(depth - 2) + ']'.repeat(depth - 2)
  const body = `[{"idx":1,"x":${inner}}]`
  const answer = await served.post(body, { path: `${SCORE}/outcomes`, headers })
  expectStatus(answer, isPermitted, 400, 'BODY_TOO_DEEP')
})

/** What is said of each record, as JSON. */
async function problemsOf(body: unknown): Promise<readonly string[]> {
  const answer = await served.post(body)
  assert.equal(answer.status, 200)
  const results = answer.json() as readonly { readonly error_message: unknown }[]
  return results.map((each) => JSON.stringify(each.error_message))
}

atLimit('keys of a record', around(KEYS), async (keys, isPermitted) => {
  const record = cleanRecord(1)
  const own = Object.keys(record).length
  const more = Object.fromEntries(Array.from({ length: keys - own }, (_, at) => [`ward${at}`, at]))
  const [first, second] = await problemsOf([cleanRecord(2), { ...record, ...more }])
  assert.equal(first, 'null', 'another record is not affected')
  assert.equal(second?.includes('too many fields'), !isPermitted)
})

atLimit('keys of a record', around(KEYS), async (keys, isPermitted) => {
  const headers = { authorization: `Bearer ${await served.makeKey({ scopes: ['outcomes', 'edges'] })}` }
  const more = Object.fromEntries(Array.from({ length: keys - 1 }, (_, at) => [`ward${at}`, at]))
  const answer = await served.post([{ idx: 1, ...more }], { path: `${SCORE}/outcomes`, headers })
  assert.equal(answer.status, 200)
  assert.equal(answer.text.includes('too many fields'), !isPermitted, answer.text)
})

atLimit('bytes of a line', around(LINE_BYTES), async (bytes, isPermitted) => {
  const long = JSON.stringify(cleanRecord(1)).padEnd(bytes)
  const answer = await served.post(`${long}\n${JSON.stringify(cleanRecord(2))}\n`, {
    headers: { 'content-type': 'application/x-ndjson' },
  })
  assert.equal(answer.status, 200)
  const [first, second] = answer.text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly risk: number | null }).risk)
  assert.equal(typeof first === 'number', isPermitted)
  assert.equal(typeof second, 'number', 'that line alone')
})

const A_MINUTE = 4

atLimit('requests a minute of a key', around(A_MINUTE), async (requests, isPermitted) => {
  const key = await served.makeKey({ limits: { requestsPerMinute: A_MINUTE } })
  const headers = { authorization: `Bearer ${key}` }
  for (let sent = 1; sent < requests; sent++) await served.post([], { headers })
  expectStatus(await served.post([], { headers }), isPermitted, 429, 'RATE_LIMITED')
})

atLimit('records a minute of a key', around(A_MINUTE), async (records, isPermitted) => {
  const key = await served.makeKey({ limits: { recordsPerMinute: A_MINUTE } })
  const headers = { authorization: `Bearer ${key}` }
  expectStatus(await served.post(cleanRecords(1), { headers }), true, 429, '')
  const rest = await served.post(cleanRecords(records - 1), { headers })
  expectStatus(rest, isPermitted, 429, 'RATE_LIMITED')
})

atLimit('bodies for FHIR and CDS Hooks in memory', around(100), (bytes, isPermitted) => {
  const load = new Load({ ...DEFAULT_SERVER_SETTINGS.load, adapterBytes: 100 })
  const first = { heldBytes: 0, isInProgress: false, isForAdapter: true }
  const second = { heldBytes: 0, isInProgress: false, isForAdapter: true }
  load.hold(first, 60)
  // A body of records has no part in it.
  load.hold({ heldBytes: 0, isInProgress: false }, 1_000)
  if (isPermitted) load.hold(second, bytes - 60)
  else assert.throws(() => load.hold(second, bytes - 60), { code: 'OVERLOADED' })
  assert.equal(load.shed.bytes, isPermitted ? 0 : 1)
  load.stop()
})

atLimit('answers that wait for slow readers', around(100), (bytes, isPermitted) => {
  let now = 0
  const { times, pace: bodies, load } = DEFAULT_SERVER_SETTINGS
  const pace = new Pace({ times, pace: bodies, load: { ...load, answerBytes: 100 } }, () => now)
  let isEnded = false
  const answer = (end: () => void): ServerResponse =>
    Object.assign(new EventEmitter(), { socket: { destroy: end } }) as unknown as ServerResponse
  pace.watchAnswer(
    answer(() => (isEnded = true)),
    60,
  )
  now += 1_000
  pace.watchAnswer(
    answer(() => assert.fail('it has only just begun')),
    bytes - 60,
  )
  assert.equal(isEnded, !isPermitted)
  pace.stop()
})

/** Whether a body that has not arrived by then is cut off: its time is over as soon as the limit is reached. */
function isCutOff(isStream: boolean, elapsedMs: number): boolean {
  mock.timers.enable({ apis: ['setInterval'] })
  let now = 0
  const { times, load } = DEFAULT_SERVER_SETTINGS
  const settings = { times, load, pace: { windowMs: 2 * elapsedMs, bytesPerSecond: 1 } }
  const pace = new Pace(settings, () => now)
  const message = Object.assign(new EventEmitter(), { complete: false, socket: { bytesRead: 0 } })
  let code = ''
  message.on('error', (error: { readonly code: string }) => (code = error.code))
  pace.watchBody(message as unknown as IncomingMessage, isStream)
  now = elapsedMs
  mock.timers.tick(500)
  pace.stop()
  mock.timers.reset()
  assert.ok(code === '' || code === 'BODY_TOO_SLOW')
  return code !== ''
}

const { requestMs, streamMs } = DEFAULT_SERVER_SETTINGS.times

atLimit('time for a request', around(requestMs - 1), (elapsedMs, isPermitted) => {
  assert.equal(isCutOff(false, elapsedMs), !isPermitted)
})

atLimit('time for a stream', around(streamMs - 1), (elapsedMs, isPermitted) => {
  assert.equal(isCutOff(true, elapsedMs), !isPermitted)
})

/** Connections of this many sockets of one address, and how many of them are still open. */
function openOf(count: number, proxies: readonly string[] = []): number {
  const { connections } = DEFAULT_SERVER_SETTINGS
  const server = new EventEmitter()
  const bounded = new Connections(
    { connections: { ...connections, perAddress: 3 } },
    new TrustedProxies(proxies),
  )
  bounded.attach(server as unknown as Server)
  const sockets = Array.from({ length: count }, () => ({ isOpen: true }))
  for (const socket of sockets) {
    const destroy = (): void => void (socket.isOpen = false)
    const own = { remoteAddress: '192.0.2.1', bytesRead: 0, destroy }
    server.emit('connection', Object.assign(new EventEmitter(), own))
  }
  // That of another address has room.
  const other = { remoteAddress: '192.0.2.2', bytesRead: 0, destroy: () => assert.fail('another address') }
  server.emit('connection', Object.assign(new EventEmitter(), other))
  return sockets.filter(({ isOpen }) => isOpen).length
}

atLimit('connections of an address', around(3), (count, isPermitted) => {
  assert.equal(openOf(count), isPermitted ? count : 3)
  assert.equal(openOf(count, ['192.0.2.0/31']), count, 'a trusted proxy has as many as it opens')
})
