/** Callers who hang up: the log and the figures count their request once, and its memory is released. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { asLines, cleanRecords } from '../../../../../test/support/records.ts'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'

function openStream({ origin, key }: Served): ClientRequest {
  const request = httpRequest(`${origin}${SCORE}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${key}` },
    agent: false,
  })
  return request.on('error', () => undefined)
}

async function bytesHeld(served: Served): Promise<number> {
  const line = /^patient_risk_body_bytes_in_flight (\d+)$/m
  return Number(line.exec((await served.get('/metrics')).text)?.[1])
}

type Line = Readonly<Record<string, unknown>>

/** The lines of the log about scoring calls, once there are so many. */
async function requestsLogged(count: number, served: Served): Promise<readonly Line[]> {
  const lines = (): readonly Line[] =>
    served.logLines().filter(({ event, method }) => event === 'request' && method === 'POST')
  await until(() => lines().length >= count)
  return lines()
}

test('when the caller of a stream hangs up, the log and the figures count once what was answered', async () => {
  const own = await serve()
  try {
    const request = openStream(own)
    request.write(asLines([...cleanRecords(3), { idx: 3 }]))
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.on('error', () => undefined)
    await once(response, 'data')
    request.destroy()
    await requestsLogged(1, own)
    await own.post('[]')
    const lines = await requestsLogged(2, own)
    assert.deepEqual(
      lines.map(({ status, records, scored, ended }) => [status, records, scored, ended]),
      [
        [200, 4, 3, 'hung up'],
        [200, 0, 0, undefined],
      ],
    )
    const { text } = await own.get('/metrics')
    const at = 'deployment="readmission"'
    assert.match(text, new RegExp(`^patient_risk_records_total\\{${at},outcome="scored"\\} 3$`, 'm'))
    assert.match(text, new RegExp(`^patient_risk_records_total\\{${at},outcome="refused"\\} 1$`, 'm'))
    assert.match(
      text,
      new RegExp(
        `^patient_risk_requests_total\\{${at},route="${SCORE}",method="POST",status="200",code=""\\} 2$`,
        'm',
      ),
    )
  } finally {
    await own.close()
  }
})

test('a caller who hangs up before the end of the body is logged once, as refused', async () => {
  const own = await serve()
  try {
    const caller = connect(Number(new URL(own.origin).port), '127.0.0.1')
    caller.write(
      `POST ${SCORE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${own.key}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n[`,
    )
    await until(async () => (await bytesHeld(own)) === 1)
    caller.destroy()
    await requestsLogged(1, own)
    await own.post('[]')
    const lines = await requestsLogged(2, own)
    assert.deepEqual(
      lines.map(({ status, code, ended }) => [status, code, ended]),
      [
        [400, 'REQUEST_INVALID', 'hung up'],
        [200, undefined, undefined],
      ],
    )
  } finally {
    await own.close()
  }
})

test('a line that does not end is counted among the bytes that are held, and let go with its stream', async () => {
  const own = await serve()
  try {
    const request = openStream(own)
    request.write(`{"idx":1,"x":"${'x'.repeat(300_000)}`)
    await until(async () => (await bytesHeld(own)) >= 300_000)
    request.destroy()
    await until(async () => (await bytesHeld(own)) === 0)
  } finally {
    await own.close()
  }
})
