/** Work is refused in time: too many requests, too many bytes, a late event loop. Probes are answered all the same. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { type Held, Load } from '../../../src/http/connection/load.ts'
import { DEFAULT_SERVER_SETTINGS, type ServerSettings } from '@patient-risk/catalog/config'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'

const LONG_MS = 600_000

async function withLoad(
  load: Partial<ServerSettings['load']>,
  act: (served: Served) => Promise<void>,
): Promise<void> {
  const { times, pace, load: usual } = DEFAULT_SERVER_SETTINGS
  const settings = {
    ...DEFAULT_SERVER_SETTINGS,
    // A caller that is held here is cut off by nothing else.
    times: { ...times, requestMs: LONG_MS, stallMs: LONG_MS },
    pace: { ...pace, windowMs: LONG_MS },
    load: { ...usual, ...load },
  }
  const served = await serve({ isOverSocket: true, service: { settings } })
  try {
    await act(served)
  } finally {
    await served.close()
  }
}

test('bodies beyond the bytes that may be held are refused with 503, and let go again', () =>
  withLoad({ bytes: 100_000 }, async (served) => {
    const large = `[${' '.repeat(99_000)}]`
    for (let i = 0; i < 3; i++) assert.equal((await served.post(large)).status, 200)
    const held = connect(Number(new URL(served.origin).port), '127.0.0.1')
    held.on('error', () => undefined)
    held.write(
      `POST ${SCORE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${served.key}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n[${' '.repeat(50_000)}`,
    )
    await until(async () =>
      /^patient_risk_body_bytes_in_flight 50001$/m.test((await served.get('/metrics')).text),
    )
    const refused = await served.post(large)
    assert.equal(refused.status, 503)
    assert.equal((refused.json() as { code: string }).code, 'OVERLOADED')
    assert.ok(Number(refused.headers['retry-after']) > 0)
    assert.equal((await served.get('/health/ready')).status, 200)
    const { text } = await served.get('/metrics')
    assert.match(text, /^patient_risk_shed\{reason="bytes"\} 1$/m)
    held.destroy()
    await until(async () =>
      /^patient_risk_body_bytes_in_flight 0$/m.test((await served.get('/metrics')).text),
    )
    assert.equal((await served.post(large)).status, 200)
  }))

const newRequest = (): Held => ({ heldBytes: 0, isInProgress: false })

test('requests beyond the number that may be under way are refused with 503', () => {
  const load = new Load({ ...DEFAULT_SERVER_SETTINGS.load, requests: 2 })
  const [first, second, third] = [newRequest(), newRequest(), newRequest()]
  load.begin(first)
  load.begin(second)
  load.begin(second)
  assert.throws(() => load.begin(third), { code: 'OVERLOADED' })
  load.release(first)
  load.release(third)
  assert.equal(load.requests, 1)
  load.begin(third)
  assert.equal(load.shed.requests, 1)
  load.stop()
})

test('requests are counted while they are answered, and no longer', () =>
  withLoad({ requests: 1 }, async (served) => {
    for (let i = 0; i < 3; i++) assert.equal((await served.post('[]')).status, 200)
    const answers = await Promise.all(Array.from({ length: 20 }, () => served.post('[]')))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 503])
    assert.equal((await served.post('[]')).status, 200)
  }))

test('while the event loop is delayed new requests are refused, and later accepted again', () =>
  withLoad({ eventLoopDelayMs: 400 }, async (served) => {
    await untilSaid(served, 'scored')
    const block = setInterval(() => {
      const end = performance.now() + 800
      while (performance.now() < end);
    }, 10)
    try {
      await untilSaid(served, 'OVERLOADED')
      assert.equal((await served.get('/health/live')).status, 200)
    } finally {
      clearInterval(block)
    }
    await untilSaid(served, 'scored')
  }))

/** Asks until the service answers so: `scored`, or the code of a refusal. A busy machine may need a while. */
async function untilSaid(served: Served, wanted: string): Promise<void> {
  const answered = async (): Promise<boolean> => {
    const answer = await served.post('[]')
    return wanted === (answer.status === 200 ? 'scored' : (answer.json() as { code: string }).code)
  }
  await until(answered, { timeoutMs: 120_000, what: `the answer ${wanted}` })
}
