/** Two processes of the service on one PostgreSQL act as one: keys, revocations, limits and the audit chain. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../src/store/open.ts'
import { verifyStore } from '../../src/store/audit/verify-chain.ts'
import { exchange } from '../../../../test/support/exchange.ts'
import { type Running, type Scored, scoreOnce, startOn } from '../torture/store-process.ts'
import { SCORE } from '../../../../test/support/serve.ts'
import { until } from '../../../../test/support/until.ts'
import { needsPostgres, useDatabases, whyNoPostgres } from '../../../../test/support/postgres-server.ts'
import { UNHURRIED } from '../../../../test/support/unhurried.ts'

const LIMIT = 200
const SECRET = 'the same for every process'
const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'patient-risk-scale-')))
let url: string
let services: readonly [Running, Running]
let admin: string

after(async () => {
  if (whyNoPostgres() === undefined) await Promise.all(services.map((service) => service.kill()))
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
const newDatabase = useDatabases()
before(async () => {
  if (whyNoPostgres() !== undefined) return
  url = await newDatabase()
  const [one = '', two = ''] = folders
  const place = { databaseUrl: url, keySecret: SECRET, requestsPerMinute: LIMIT, workers: 0 }
  const first = await startOn({ dataDir: one, isFirst: true, ...place })
  admin = first.key ?? ''
  services = [first, await startOn({ dataDir: two, ...place })]
})

const manage = async (
  origin: string,
  path: string,
  body: object,
): Promise<Readonly<Record<string, string>>> =>
  (
    await exchange(origin, {
      method: 'POST',
      path: `/admin/keys${path}`,
      headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).json() as Readonly<Record<string, string>>

/** A stream that sends nothing. Resolves with what it got when the service has ended it. */
function idleStream(origin: string, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' }
  const stream = request(origin + SCORE, { method: 'POST', headers, agent: false })
  stream.flushHeaders()
  return new Promise((resolve) => {
    stream
      .on('error', () => resolve(''))
      .on('response', (response) => {
        let text = ''
        response.on('data', (chunk) => (text += String(chunk))).on('error', () => undefined)
        response.on('close', () => resolve(text))
      })
  })
}

test(
  'a key made at one works at the other, and a revocation at one reaches the other in 5 s, an open stream too',
  needsPostgres(),
  async () => {
    const [one, two] = services
    const { id = '', key = '' } = await manage(one.origin, '', { name: 'both' })
    assert.equal(await countedOnce(two.origin, key), 200)
    const streams = [one, two].map(({ origin }) => idleStream(origin, key))
    await sleep(500)
    await manage(one.origin, `/${id}/revoke`, {})
    const revokedAt = performance.now()
    assert.equal(await countedOnce(one.origin, key), 401)
    const isRefused = async (): Promise<boolean> => (await countedOnce(two.origin, key)) === 401
    await until(isRefused, { timeoutMs: 6_000, what: 'the revocation at the other' })
    for (const stream of streams) assert.match(await stream, /"code":"KEY_INVALID"/)
    assert.ok(performance.now() - revokedAt < 10_000, 'in time also on a busy machine')
  },
)

test('a limit holds over both, to one in a hundred', needsPostgres(), async () => {
  const { key = '' } = await manage(services[0].origin, '', { name: 'busy' })
  const began = performance.now()
  let granted = 0
  let refused = 0
  await Promise.all(
    Array.from({ length: 8 }, async (_, caller) => {
      const { origin } = services[caller % 2 === 0 ? 0 : 1]
      for (let i = 0; i < LIMIT / 4; i++) {
        const status = await countedOnce(origin, key)
        if (status === 200) granted++
        else if (status === 429) refused++
      }
    }),
  )
  assert.equal(granted + refused, 2 * LIMIT)
  // A slow machine may have begun a second minute, in which as much is granted again.
  const minutes = Math.ceil((performance.now() - began) / 60_000)
  assert.ok(
    granted >= 0.99 * LIMIT && granted <= 1.01 * LIMIT * minutes,
    `${granted} granted in ${minutes} minutes`,
  )
})

/** Scores until the store was in time, as a caller does that gets 503 with Retry-After. */
async function countedOnce(origin: string, key: string): Promise<number> {
  const counted = async (): Promise<Scored | undefined> => {
    const scored = await scoreOnce(origin, key)
    return scored.status === 503 ? undefined : scored
  }
  return (await until(counted, { what: 'an answer other than 503' })).status
}

test('the second process made no key of its own', needsPostgres(), async () => {
  const { store } = await openStore(folders[0] ?? '', SECRET, url, UNHURRIED)
  const first = (await store.listKeys()).filter(({ name }) => name === 'first')
  await store.close()
  assert.equal(first.length, 1)
})

test('both wrote one chain', needsPostgres(), async () => {
  const { store } = await openStore(folders[0] ?? '', SECRET, url, UNHURRIED)
  const { faults, rows } = await verifyStore(store)
  await store.close()
  assert.deepEqual(faults, [])
  assert.ok(rows > LIMIT)
})
