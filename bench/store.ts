/**
 * What keys, limits and audit cost: `node bench/store.ts`. Processor time of the bookkeeping, durable rows a second, and the
 * processor time of a row from its caller to the counters of use. The store is
 * opened, and rows are committed in groups, as `serve` does it; with `DATABASE_URL` in PostgreSQL.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeEntry, KeyCache, makeKey, Limiter, openStore } from '@patient-risk/server/store'
import { makeSeal } from '@patient-risk/runtime'

const TIMES = 100_000
const SECONDS = 3

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-bench-'))
const { store, secrets } = await openStore(folder, undefined, process.env['DATABASE_URL'], {
  isServing: true,
})
const { key, id } = await makeKey(store, secrets, { name: 'bench', scopes: ['*'], expiresAt: null }, 0)
const keyCache = new KeyCache(store, secrets, () => 0)
await keyCache.verify(key, 0)
const limiter = new Limiter(store)
const seal = makeSeal(secrets.inUse)
const digest = 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg='
const source = {
  deployment: 'readmission',
  settings: { output: 'number', keysPerRecord: 1024 },
  model: 'readmission30@1.0.0',
  modelDigest: digest,
  service: '0.2.0',
}
const entry = (): ReturnType<typeof makeEntry> =>
  makeEntry({
    at: Date.now(),
    requestId: '4f0f6c1e-93c7-4b1f-8b8a-4d9d4a1f6c1e',
    keyId: id,
    call: 'score',
    status: 200,
    records: 1,
    scored: 1,
    problems: {},
    bodyDigest: seal(digest),
    answerDigest: seal(digest),
    durationMs: 1.5,
    ...source,
  })

await measure('key from memory', () => keyCache.verify(key, 0))
await measure('limit of requests', () => limiter.take('bench', 1_000_000_000, 1))
await measure('row of the audit, with two sealed digests', entry)

for (const callers of [1, 8, 64, 500]) {
  let rows = 0
  const before = process.cpuUsage()
  const end = performance.now() + SECONDS * 1_000
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < end) {
        await store.appendAudit([entry()])
        rows++
      }
    }),
  )
  // The service counts every ten seconds what was used.
  while (await store.countRows());
  const { user, system } = process.cpuUsage(before)
  const speed = `${Math.round(rows / SECONDS)} durable rows/s`
  process.stdout.write(
    `${callers} callers at once: ${speed}, ${((user + system) / rows).toFixed(1)} µs a row\n`,
  )
}
await store.close()
rmSync(folder, { recursive: true, force: true })

async function measure(name: string, work: () => unknown): Promise<void> {
  for (let i = 0; i < TIMES / 10; i++) await work()
  const before = process.cpuUsage()
  for (let i = 0; i < TIMES; i++) await work()
  const { user, system } = process.cpuUsage(before)
  process.stdout.write(`${name}: ${((user + system) / TIMES).toFixed(1)} µs\n`)
}
