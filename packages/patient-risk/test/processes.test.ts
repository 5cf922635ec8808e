/** Several processes on one port: one first key, one limit, one set of figures, and an orderly end. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DEFAULT_FAILED_KEYS_PER_MINUTE, Connections, TrustedProxies } from '@patient-risk/server'
import { DEFAULT_SERVER_SETTINGS } from '@patient-risk/catalog/config'
import { SCORE } from '../../../test/support/serve.ts'
import { type Processes, serveProcesses } from './serve-processes.ts'
import { until } from '../../../test/support/until.ts'

const LIMIT = 50
const CALLERS = 10
let service: Processes

before(async () => {
  service = await serveProcesses(2)
})
after(() => service.remove())

test('two processes make one key', () => {
  assert.equal(service.text().match(/^ {2}prk_/gm)?.length, 1)
})

test('their figures are shown together, whichever is asked', async () => {
  const asked = 20
  await inTurns(asked, async (idx) => {
    const answer = await service.score(idx)
    assert.equal(answer.status, 200)
    await answer.arrayBuffer()
  })
  // An exchange is counted when its answer is out, which may be a moment after it has come.
  await until(async () => (await scored()) >= asked, { what: 'every answer to be counted' })
  for (let i = 0; i < 6; i++) assert.equal(await scored(), asked)
})

test('each has the whole limit of connections', async () => {
  const { total } = new Connections(DEFAULT_SERVER_SETTINGS, new TrustedProxies([]))
  assert.ok((await metrics()).split('\n').includes(`patient_risk_connections_limit ${2 * total}`))
})

test('a limit holds over both', async () => {
  const made = await fetch(`${service.origin}/admin/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'busy', limits: { requestsPerMinute: LIMIT } }),
  })
  const { key } = (await made.json()) as { readonly key: string }
  const { counts, minutes } = await statuses(2 * LIMIT, key)
  const granted = counts.get(200) ?? 0
  assert.equal(granted + (counts.get(429) ?? 0), 2 * LIMIT, JSON.stringify([...counts]))
  assert.ok(granted >= 0.97 * LIMIT && granted <= LIMIT * minutes, `${granted} granted in ${minutes} minutes`)
})

test('failed keys are counted over both', async () => {
  const { counts, minutes } = await statuses(2 * DEFAULT_FAILED_KEYS_PER_MINUTE, 'prk_bad')
  const heard = counts.get(401) ?? 0
  assert.equal(heard + (counts.get(429) ?? 0), 2 * DEFAULT_FAILED_KEYS_PER_MINUTE)
  assert.ok(heard > 0 && heard <= DEFAULT_FAILED_KEYS_PER_MINUTE * minutes, `${heard} in ${minutes} minutes`)
})

test('both stop when asked', async () => {
  assert.deepEqual(await service.stop(), [0, null])
  assert.equal(service.text().match(/"event":"stopped"/g)?.length, 2)
})

/** How often each status answered, and in how many minutes: a slow machine may begin a second one, which grants as much again. */
async function statuses(
  calls: number,
  key: string,
): Promise<{ readonly counts: ReadonlyMap<number, number>; readonly minutes: number }> {
  const began = performance.now()
  const counts = new Map<number, number>()
  await inTurns(calls, async (idx) => {
    const answer = await service.score(idx, key)
    await answer.arrayBuffer()
    counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
  })
  return { counts, minutes: Math.ceil((performance.now() - began) / 60_000) }
}

async function inTurns(calls: number, call: (idx: number) => Promise<void>): Promise<void> {
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      for (let idx = caller; idx < calls; idx += CALLERS) await call(idx)
    }),
  )
}

async function metrics(): Promise<string> {
  const answer = await fetch(`${service.origin}/metrics`, { headers: { connection: 'close' } })
  assert.equal(answer.status, 200)
  return answer.text()
}

/** Requests of the scoring call, as the figures have them. */
async function scored(): Promise<number> {
  const lines = (await metrics())
    .split('\n')
    .filter((line) => line.startsWith('patient_risk_requests_total{'))
  return lines
    .filter((line) => line.includes(`route="${SCORE}"`))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
