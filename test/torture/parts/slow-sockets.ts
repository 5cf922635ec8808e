/** Slow sockets: thousands of callers that hardly send or read keep nobody else from being answered. */
import { type Socket, connect } from 'node:net'
import { SCORE } from '../../serve.ts'
import { Client } from '../client.ts'
import { type Part, type Trial, type Verdict, quantile } from '../part.ts'
import { type ServiceProcess, startService } from '../service-process.ts'

const EACH = 1_000
const OPENED_A_SECOND = 500
const GONE_AFTER_MS = 15_000
const PROBE_EVERY_MS = 20
const MOST_P99_MS = 100
const BODY = '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]'
/** As if no guard were there: everything may take an hour. */
const UNGUARDED = {
  times: { headersMs: 3_600_000, requestMs: 3_600_000, stallMs: 3_600_000, idleMs: 3_600_000 },
  pace: { windowMs: 3_600_000 },
  connections: { total: 1_000_000, perAddress: 1_000_000 },
}
/** All callers come from one address here, so it may open as many as a proxy would. */
const MANY = { connections: { perAddress: 100_000 } }
/** For the short form: the same guards, a tenth of the time. */
const HASTY = {
  times: { headersMs: 1_000, stallMs: 1_000, idleMs: 1_000 },
  pace: { windowMs: 500 },
}

export const part: Part = {
  name: 'slow-sockets',
  promise:
    '1,000 slow headers, bodies and readers, also with ulimit -n 1024: all good probes answered, p99 ≤ 100 ms, slow sockets gone in 15 s',
  defect: 'no time limit and no limit of connections',
  shortScale: 0.05,
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
      const seen = await besiege(service, trial)
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

async function besiege(
  service: ServiceProcess,
  { scale }: Trial,
): Promise<{ probes: number; failed: number; p50Ms: number; p99Ms: number; opened: number; left: number }> {
  const kept = new Client(service, 1)
  await kept.post(BODY)
  const times: number[] = []
  let failed = 0
  const siege = { isOver: false }
  const probing = (async () => {
    while (!siege.isOver) {
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

  const slow = new Set<Socket>()
  const count = Math.ceil(EACH * scale)
  const drip = setInterval(() => {
    for (const socket of slow) if (socket.writable) socket.write('a')
  }, 1_000)
  for (let i = 0; i < count; i++) {
    for (const open of OPENERS) open(service, slow)
    if (i % 10 === 9)
      await new Promise((resolve) => setTimeout(resolve, (10 * OPENERS.length * 1_000) / OPENED_A_SECOND))
  }
  await new Promise((resolve) => setTimeout(resolve, scale === 1 ? GONE_AFTER_MS : GONE_AFTER_MS / 5))
  const left = slow.size
  siege.isOver = true
  clearInterval(drip)
  for (const socket of slow) socket.destroy()
  await probing
  kept.close()
  const round = (value: number): number => Math.round(value * 10) / 10
  return {
    probes: times.length,
    failed,
    p50Ms: round(quantile(times, 0.5)),
    p99Ms: round(quantile(times, 0.99)),
    opened: count * OPENERS.length,
    left,
  }
}

type Open = (service: ServiceProcess, slow: Set<Socket>) => void

const OPENERS: readonly Open[] = [
  (service, slow) => void opened(service, slow, `GET / HTTP/1.1\r\nHost: localhost\r\nX: `),
  (service, slow) =>
    void opened(
      service,
      slow,
      `POST ${SCORE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n[`,
    ),
  (service, slow) => {
    // Asks for a long document several times and reads none of it.
    opened(service, slow, 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(4)).pause()
  },
]

function opened(service: ServiceProcess, slow: Set<Socket>, bytes: string): Socket {
  const socket = connect({ host: '127.0.0.1', port: service.port })
  slow.add(socket)
  socket.on('error', () => undefined)
  socket.on('close', () => slow.delete(socket))
  socket.on('data', () => undefined)
  socket.write(bytes)
  return socket
}
