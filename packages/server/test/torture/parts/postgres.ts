/** PostgreSQL stopped, killed or slow: nobody waits long, nothing is scored without a row, and no restart is needed. */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../../src/store/open.ts'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import {
  type PostgresServer,
  startPostgres,
  whyNoPostgres,
} from '../../../../../test/support/postgres-server.ts'
import { happensWithin } from '../../../../../test/support/until.ts'
import { type Part, type Trial, type Verdict, randomFrom } from '../part.ts'
import { slowProxyTo, type SlowProxy } from '../slow-proxy.ts'
import { type Scored, miscounted, recordedIds, scoreOnce, startOn, underLoad } from '../store-process.ts'

const ROUNDS = 10
const CALLERS = 8
/** The store's own limit is a second; nobody may wait for more than one beyond it. */
const MOST_WAIT_MS = 2_000
const OUTAGE_MS = 2_500
const SLOW_MS = 600
const REFUSED_MS = 60_000
const BACK_MS = 120_000

export const part: Part = {
  name: 'postgres',
  promise:
    'PostgreSQL stopped, killed, slow: no request waits more than 1 s beyond the limit, policy obeyed, recovery without restart',
  defect: 'statements have no time limit',
  shortScale: 0.1,
  isTimed: true,
  missing: whyNoPostgres,
  run,
}

async function run({ seed, scale, planted, say }: Trial): Promise<Verdict> {
  const random = randomFrom(seed)
  const server = await startPostgres()
  const url = new URL(await server.newDatabase())
  const line = await slowProxyTo(Number(url.port))
  const direct = String(url)
  url.port = String(line.port)
  const dataDir = mkdtempSync(join(tmpdir(), 'patient-risk-postgres-torture-'))
  const plant = planted ? { plant: 'no-query-timeout' } : {}
  const service = await startOn({
    dataDir,
    isFirst: true,
    databaseUrl: String(url),
    requestsPerMinute: 1_000_000,
    ...plant,
  })
  const key = service.key ?? ''
  const all: Scored[] = []
  const load = underLoad(
    CALLERS,
    () => ({ origin: service.origin, key }),
    (scored) => all.push(scored),
  )
  const faults: string[] = []
  const back: Record<string, number> = {}
  try {
    for (let round = 0; round < Math.ceil(ROUNDS * scale); round++) {
      for (const [name, outage] of Object.entries(OUTAGES)) {
        await sleep(300 + random() * 200)
        const from = all.length
        const restore = await outage(server, line)
        await sleep(OUTAGE_MS)
        const refused = (): number => all.slice(from).filter(({ status }) => status === 503).length
        // Planted, a request waits for ever, and nothing is refused.
        await happensWithin(planted ? 0 : REFUSED_MS, () => refused() > 0)
        const during = refused()
        await restore()
        const began = performance.now()
        const isBack = await happensWithin(
          BACK_MS,
          async () => (await scoreOnce(service.origin, key)).status === 200,
        )
        back[name] = Math.max(back[name] ?? 0, Math.round(performance.now() - began))
        if (!isBack) faults.push(`${name}: not back in round ${round}`)
        if (during === 0) faults.push(`${name}: nothing was refused in round ${round}`)
        say(`${name}: ${during} refused`)
      }
    }
    await load.end()
    const slowest = Math.max(...all.map(({ ms }) => ms))
    // The short form runs beside other tests, where times mean nothing; waiting without an end shows as nothing refused.
    if (scale === 1 && slowest > MOST_WAIT_MS) faults.push(`a request waited ${Math.round(slowest)} ms`)
    faults.push(...(await judge(dataDir, direct, all)))
    return {
      faults,
      figures: { requests: all.length, slowestMs: Math.round(slowest), backMs: JSON.stringify(back) },
    }
  } finally {
    await load.end()
    await service.kill()
    line.close()
    await server.remove()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

type Outage = (server: PostgresServer, line: SlowProxy) => Promise<() => Promise<void>>

const OUTAGES: Readonly<Record<string, Outage>> = {
  stopped: (server) => {
    const family = familyOf(server.pid())
    for (const pid of family) process.kill(pid, 'SIGSTOP')
    return Promise.resolve(() => {
      for (const pid of family) process.kill(pid, 'SIGCONT')
      return Promise.resolve()
    })
  },
  killed: async (server) => {
    for (const pid of familyOf(server.pid())) process.kill(pid, 'SIGKILL')
    await server.stop().catch(() => undefined)
    return () => server.start()
  },
  slow: (_server, line) => {
    line.delayMs = SLOW_MS
    return Promise.resolve(() => {
      line.delayMs = 0
      return Promise.resolve()
    })
  },
}

/** The server's process and all that it has started. */
function familyOf(pid: number): readonly number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(pid)
      } catch {
        return false
      }
    })
  return [pid, ...children.map(Number)]
}

async function judge(dataDir: string, url: string, all: readonly Scored[]): Promise<readonly string[]> {
  const { store } = await openStore(dataDir, undefined, url)
  const faults: string[] = []
  try {
    const recorded = await recordedIds(store)
    for (const { status, requestId, code } of all) {
      if (status === 200) {
        if (!recorded.has(requestId)) faults.push(`the score of ${requestId} has no row`)
      } else if (status !== 503) faults.push(`status ${status} ${code ?? ''}`)
    }
    return [...faults, ...(await verifyStore(store)).faults, ...(await miscounted(store))]
  } finally {
    await store.close()
  }
}
