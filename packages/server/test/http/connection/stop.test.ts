/** How the service stops: not ready first, then nothing new, and everything that was begun is answered. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ScoringDispatcher } from '../../../src/http/scoring/scoring-dispatcher.ts'
import type { BodyAnswer } from '../../../src/http/scoring/scoring-jobs.ts'
import { Lifecycle } from '../../../src/http/connection/lifecycle.ts'
import { DEFAULT_SERVER_SETTINGS } from '@patient-risk/catalog/config'
import { openStore } from '../../../src/store/open.ts'
import { exchange } from '../../../../../test/support/exchange.ts'
import { asLines, cleanRecord, cleanRecords } from '../../../../../test/support/records.ts'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'
import { UNHURRIED } from '../../../../../test/support/unhurried.ts'

const LONG_MS = 600_000
/** Only what the stop itself does may end a connection here, however slow the machine is. */
const TIMES = {
  headersMs: LONG_MS,
  requestMs: LONG_MS,
  streamMs: LONG_MS,
  stallMs: LONG_MS,
  idleMs: LONG_MS,
  noticeMs: 0,
  stopMs: 60_000,
}
const SETTINGS = {
  ...DEFAULT_SERVER_SETTINGS,
  times: TIMES,
  pace: { ...DEFAULT_SERVER_SETTINGS.pace, windowMs: LONG_MS },
}
/** Waits for the value of a metric. */
const untilMetric = (served: Served, line: RegExp): Promise<unknown> =>
  until(async () => line.test((await served.get('/metrics')).text), { what: String(line) })

test('a stopping service is not ready, answers during the notice, then refuses, and ends what it has begun', async () => {
  const served = await serve({ isOverSocket: true, service: { settings: SETTINGS } })
  const body = '[]'
  const head = `POST ${SCORE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${served.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  const { port } = new URL(served.origin)
  const received: string[] = []
  // One has begun its request before the stop, one begins during the drain on a connection that it holds.
  const begun = [connect(Number(port), '127.0.0.1'), connect(Number(port), '127.0.0.1')]
  const ended = begun.map((socket, index) => {
    received[index] = ''
    socket.on('error', () => undefined)
    socket.on(
      'data',
      (chunk: Buffer) => (received[index] = (received[index] ?? '') + chunk.toString('latin1')),
    )
    return new Promise((resolve) => socket.on('close', resolve))
  })
  begun[0]?.write(head + body.slice(0, 1))
  begun[1]?.write(head.slice(0, 40))
  // The first has its body begun, and both are open beside the connection that asks.
  await untilMetric(served, /^patient_risk_body_bytes_in_flight 1$/m)
  await untilMetric(served, /^patient_risk_connections 3$/m)

  const notice = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()] as const
  let given = 0
  const stopped = served.app.lifecycle.stop(served.app, () => (given++ === 0 ? notice[0] : notice[1]).promise)
  const ready = await exchange(served.origin, { path: '/health/ready' })
  assert.equal(ready.status, 503)
  assert.equal((await exchange(served.origin, { path: '/health/live' })).status, 200)
  const last = await served.post('[]')
  assert.equal(last.status, 200)

  notice[0].resolve(undefined)
  await until(() => served.app.lifecycle.state === 'draining', { what: 'draining' })
  await assert.rejects(exchange(served.origin, { path: '/health/live' }), { code: 'ECONNREFUSED' })
  begun[0]?.write(body.slice(1))
  begun[1]?.write(head.slice(40) + body)
  await until(() => received.every((text) => text !== ''), { what: 'both answers' })
  notice[1].resolve(undefined)
  await Promise.all(ended)
  assert.match(received[0] ?? '', /^HTTP\/1\.1 200 /)
  assert.match(received[1] ?? '', /^HTTP\/1\.1 503 /)
  assert.match(received[1] ?? '', /"code":"DRAINING"/)
  assert.match(received[1] ?? '', /retry-after: \d/)
  assert.equal(await stopped, true)
  await served.close()
})

test('a stop does not wait for a caller who never ends', async () => {
  const times = { ...TIMES, stopMs: 400 }
  const served = await serve({ isOverSocket: true, service: { settings: { ...SETTINGS, times } } })
  const socket = connect(Number(new URL(served.origin).port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(
    `POST ${SCORE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${served.key}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n[`,
  )
  // The service has begun to take its body.
  await untilMetric(served, /^patient_risk_body_bytes_in_flight 1$/m)
  const closed = new Promise((resolve) => socket.on('close', resolve))
  assert.equal(await served.app.lifecycle.stop(served.app), false)
  await closed
  await served.close()
})

type Row = Readonly<Record<string, unknown>>

/** What stands in the audit of a service whose store was closed right after its stop, as `serve` does it. */
async function rowsAfter({ store, dataDir }: Served): Promise<readonly Row[]> {
  await store.close()
  const { store: reader } = await openStore(dataDir, undefined, undefined, UNHURRIED)
  const rows = await reader.readAudit({ most: 100 })
  await reader.close()
  rmSync(dataDir, { recursive: true, force: true })
  return rows.map(({ content }) => JSON.parse(content) as Row)
}

test('a stream that a stop cuts off says why, and its row is written before the store is closed', async () => {
  const times = { ...TIMES, stopMs: 300 }
  const served = await serve({ isOverSocket: true, service: { settings: { ...SETTINGS, times } } })
  const request = httpRequest(`${served.origin}${SCORE}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${served.key}` },
    agent: false,
  })
  request.on('error', () => undefined)
  request.write(asLines(cleanRecords(3)))
  const [response] = (await once(request, 'response')) as [AsyncIterable<Buffer>]
  let text = ''
  const reading = (async () => {
    for await (const chunk of response) text += String(chunk)
  })()
  const cut = assert.rejects(reading, 'the answer has no proper end')
  while (text.split('\n').length < 4) await setImmediate()
  assert.equal(await served.app.lifecycle.stop(served.app), false)
  const rows = await rowsAfter(served)
  await cut
  assert.match(text, /"code":"DRAINING"[^\n]*\n$/)
  assert.deepEqual(
    rows.map(({ ended, records, code }) => [ended, records, code]),
    [
      ['begun', undefined, undefined],
      ['cut off', 3, 'DRAINING'],
    ],
  )
})

test('a stop waits for the row of a caller who has hung up', async () => {
  const gate = Promise.withResolvers<undefined>()
  const begun = Promise.withResolvers<undefined>()
  class Gated extends ScoringDispatcher {
    override async answer(...asked: Parameters<ScoringDispatcher['answer']>): Promise<BodyAnswer> {
      begun.resolve(undefined)
      await gate.promise
      return super.answer(...asked)
    }
  }
  const dispatcher = new Gated()
  const served = await serve({ isOverSocket: true, service: { dispatcher, settings: SETTINGS } })
  const body = JSON.stringify([cleanRecord(1)])
  const caller = connect(Number(new URL(served.origin).port), '127.0.0.1')
  caller.write(
    `POST ${SCORE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${served.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await begun.promise
  let isStopped = false
  const stopped = served.app.lifecycle.stop(served.app).then((isFinished) => {
    isStopped = true
    return isFinished
  })
  const closed = once(served.app.server, 'close')
  // A caller that only closes its sending side would still get its answer.
  caller.resetAndDestroy()
  await closed
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  assert.equal(isStopped, false)
  gate.resolve(undefined)
  assert.equal(await stopped, true)
  const rows = await rowsAfter(served)
  assert.deepEqual(
    rows.map(({ status, records }) => [status, records]),
    [[200, 1]],
  )
})

test('a service begins by serving', () => {
  assert.equal(new Lifecycle(TIMES).state, 'serving')
})
