/** Kill: whatever the service has acknowledged survives kill -9 at any moment. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../../src/store/open.ts'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { exchange } from '../../../../../test/support/exchange.ts'
import { happensWithin } from '../../../../../test/support/until.ts'
import { type Part, type Trial, type Verdict, quantile, randomFrom } from '../part.ts'
import { type Running, miscounted, recordedIds, startOn, underLoad } from '../store-process.ts'

const KILLS = 200
const CALLERS = 6
const MOST_START_MS = 2_000
const VERIFY_EVERY = 20
const LEAST_ANSWERS = 5
const PATIENCE_MS = 30_000

export const part: Part = {
  name: 'kill',
  promise:
    '200 × kill -9 under load: 0 acknowledged keys, revocations or audit rows lost, chain and counters exact, serving again in 2 s',
  defect: 'answers leave before their row is durable',
  shortScale: 0.02,
  isTimed: true,
  run,
}

interface Acknowledged {
  readonly requests: string[]
  readonly made: string[]
  readonly revoked: string[]
}

async function run({ seed, scale, planted, say }: Trial): Promise<Verdict> {
  const random = randomFrom(seed)
  const dataDir = mkdtempSync(join(tmpdir(), 'patient-risk-kill-'))
  const place = { dataDir, ...(planted ? { plant: 'early-acknowledgement' } : {}) }
  const faults: string[] = []
  const starts: number[] = []
  const count = { kills: 0, rows: 0, keys: 0, revocations: 0 }
  let service = await startOn({ ...place, isFirst: true })
  const key = service.key ?? ''
  const { store } = await openStore(dataDir, undefined)
  try {
    for (let kill = 1; kill <= Math.ceil(KILLS * scale); kill++) {
      const acknowledged: Acknowledged = { requests: [], made: [], revoked: [] }
      const load = underLoad(
        CALLERS,
        () => ({ origin: service.origin, key }),
        ({ status, requestId }) => {
          if (status === 200) acknowledged.requests.push(requestId)
        },
      )
      const managing = manage(service, key, acknowledged)
      // There must be something to lose; on a busy machine that takes a while.
      await happensWithin(PATIENCE_MS, () => acknowledged.requests.length >= LEAST_ANSWERS)
      await sleep(random() * 400)
      await service.kill()
      await managing
      await load.end()
      service = await startOn(place)
      starts.push(service.startMs)
      faults.push(...(await missing(store, acknowledged)).map((what) => `${what} lost by kill ${kill}`))
      if (kill % VERIFY_EVERY === 0 || planted) {
        faults.push(...(await verifyStore(store)).faults.map((fault) => `after kill ${kill}: ${fault}`))
        say(`${kill} kills`)
      }
      count.kills++
      count.rows += acknowledged.requests.length
      count.keys += acknowledged.made.length
      count.revocations += acknowledged.revoked.length
    }
    faults.push(...(await verifyStore(store)).faults, ...(await miscounted(store)))
    const slowest = Math.max(...starts)
    // The short form runs beside other tests, where times mean nothing.
    if (scale === 1 && slowest > MOST_START_MS) faults.push(`serving again took ${Math.round(slowest)} ms`)
    const figures = { startMedianMs: Math.round(quantile(starts, 0.5)), startSlowestMs: Math.round(slowest) }
    return { faults, figures: { ...count, ...figures } }
  } finally {
    await service.kill()
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Makes keys and revokes every other one, until the service is gone. */
async function manage({ origin }: Running, key: string, acknowledged: Acknowledged): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (;;) {
    try {
      const call = { method: 'POST', headers }
      const made = await exchange(origin, { ...call, path: '/admin/keys', body: '{"name":"torture"}' })
      if (made.status !== 201) continue
      const { id } = made.json() as { readonly id: string }
      acknowledged.made.push(id)
      const revoked = await exchange(origin, { ...call, path: `/admin/keys/${id}/revoke`, body: '{}' })
      if (revoked.status === 200) acknowledged.revoked.push(id)
    } catch {
      return
    }
  }
}

async function missing(
  store: Awaited<ReturnType<typeof openStore>>['store'],
  { requests, made, revoked }: Acknowledged,
): Promise<readonly string[]> {
  const lost: string[] = []
  const recorded = await recordedIds(store)
  for (const requestId of requests) if (!recorded.has(requestId)) lost.push(`the row of ${requestId}`)
  const keys = new Map((await store.listKeys()).map((each) => [each.id, each]))
  for (const id of made) if (!keys.has(id)) lost.push(`the key ${id}`)
  for (const id of revoked) if (keys.get(id)?.revokedAt === null) lost.push(`the revocation of ${id}`)
  return lost
}
