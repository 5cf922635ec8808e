/** Slow sockets: thousands of callers that hardly send or read keep nobody else from being answered. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from '../../../../../test/support/client.ts'
import { type Part, type Trial, type Verdict, quantile } from '../part.ts'
import { type ServiceProcess, startService } from '../../../../../test/support/service-process.ts'

const SLOW_CONNECTIONS = fileURLToPath(new URL('../slow-connections.ts', import.meta.url))
const EACH = 1_000
const GONE_AFTER_MS = 15_000
const SHORT_GONE_AFTER_MS = 60_000
const PROBE_EVERY_MS = 20
const MOST_P99_MS = 100
const BODY = '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]'
/** As if there were no limits: everything may take an hour. */
const UNGUARDED = {
  times: { headersMs: 3_600_000, requestMs: 3_600_000, stallMs: 3_600_000, idleMs: 3_600_000 },
  pace: { windowMs: 3_600_000 },
  connections: { total: 1_000_000, perAddress: 1_000_000 },
}
/** All callers come from one address here, so it may open as many as a proxy would. */
const MANY = { connections: { perAddress: 100_000 } }
/** For the short form: the same guards, less time; good callers have enough even where the machine stalls. */
const HASTY = {
  times: { headersMs: 1_000, stallMs: 5_000, idleMs: 1_000 },
  pace: { windowMs: 500 },
}

export const part: Part = {
  name: 'slow-sockets',
  promise:
    '1,000 slow headers, bodies and readers, also with ulimit -n 1024: all good probes answered, p99 ≤ 100 ms, slow sockets gone in 15 s',
  defect: 'no time limit and no limit of connections',
  shortScale: 0.05,
  isTimed: true,
  run,
}

async function run(trial: Trial): Promise<Verdict> {
  const faults: string[] = []
  const figures: Record<string, number | string> = {}
  const files = trial.scale === 1 ? 1024 : 256
  const guards = trial.planted ? UNGUARDED : trial.scale === 1 ? {} : HASTY
  for (const [name, options] of [
    ['open', { server: { ...MANY, ...guards } }],
    [`ulimit ${files}`, { server: guards, openFiles: files }],
  ] as const) {
    const service = await startService({ logLevel: 'error', ...options })
    try {
      const seen = await underSlowConnections(service, trial)
      figures[name] = JSON.stringify(seen)
      if (seen.failed > 0) faults.push(`${name}: ${seen.failed} of ${seen.probes} probes were not answered`)
      if (seen.left > 0) faults.push(`${name}: ${seen.left} slow sockets are left`)
      if (trial.scale === 1 && seen.p99Ms > MOST_P99_MS)
        faults.push(`${name}: p99 of the probes ${seen.p99Ms} ms`)
    } finally {
      await service.stop()
    }
  }
  return { faults, figures }
}

async function underSlowConnections(
  service: ServiceProcess,
  { scale, planted }: Trial,
): Promise<{ probes: number; failed: number; p50Ms: number; p99Ms: number; opened: number; left: number }> {
  const kept = new Client(service, 1)
  await kept.post(BODY)
  const times: number[] = []
  let failed = 0
  const slow = { isOver: false }
  const probing = (async () => {
    while (!slow.isOver) {
      const start = performance.now()
      const isFresh = times.length % 2 === 0
      const client = isFresh ? new Client(service, 1) : kept
      const status = await client.post(BODY).then(
        ({ status: got }) => got,
        () => 0,
      )
      if (status !== 200) failed++
      times.push(performance.now() - start)
      if (isFresh) client.close()
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS))
    }
  })()

  const left = await openSlowConnections(
    service,
    Math.ceil(EACH * scale),
    // The promise is about 15 s; the short form runs beside other tests, where times mean little.
    scale === 1 ? GONE_AFTER_MS : planted ? GONE_AFTER_MS / 2 : SHORT_GONE_AFTER_MS,
  )
  slow.isOver = true
  await probing
  kept.close()
  const round = (value: number): number => Math.round(value * 10) / 10
  return {
    probes: times.length,
    failed,
    p50Ms: round(quantile(times, 0.5)),
    p99Ms: round(quantile(times, 0.99)),
    opened: 3 * Math.ceil(EACH * scale),
    left,
  }
}

/** Opens the connections from a separate process, so that their work does not slow the service. Returns how many are left. */
async function openSlowConnections(service: ServiceProcess, each: number, waitMs: number): Promise<number> {
  const child = fork(SLOW_CONNECTIONS, [String(service.port), service.key, String(each), String(waitMs)])
  const [left] = (await once(child, 'message')) as [number]
  await once(child, 'exit')
  return left
}
