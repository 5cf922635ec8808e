/** How long a single patient waits beside clients that send one kind of request without pause. */
import { spawn } from 'node:child_process'
import { Agent } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { Bench } from '../bench.ts'
import { KINDS, type Load, SINGLE, send } from '../neighbours.ts'
import type { Section } from '../results.ts'
import type { Server } from '../server-process.ts'
import { median, printRange, printRatio, spreadOf } from '../spread.ts'
import { startService } from '../start-servers.ts'

const SCRIPT = fileURLToPath(new URL('../neighbours.ts', import.meta.url))
const SECONDS = 4
const PAUSE_MS = 5

interface Times {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly longestMs: number
  /** Single records that got another answer than 200. */
  readonly refused: number
}

interface Run {
  readonly idle: Times
  readonly beside: Times
  readonly load: Load
}

export async function besideBatchesPart({ rounds, seconds }: Bench): Promise<readonly Section[]> {
  const length = SECONDS * Math.min(1, seconds)
  const rows: (readonly string[])[] = []
  for (const kind of Object.keys(KINDS)) {
    // A service of its own: what one kind leaves in the store is not read by the next.
    const server = await startService(
      'service',
      'bytes',
      1,
      {},
      {
        hasJobs: true,
        outcomes: { horizonDays: 30, eta: 1 },
      },
    )
    try {
      const runs: Run[] = []
      // The first seconds compile the code.
      await singles(server, length)
      for (let round = 0; round < rounds; round++) runs.push(await run(server, kind, length))
      rows.push(rowOf(kind, runs, length))
    } finally {
      await server.stop()
    }
  }
  return [
    {
      title: 'A single patient beside four clients without pause',
      notes: [
        `Medians of ${rounds} runs of ${SECONDS} s. The four clients and the single patient use one key. "Longest" and "refused" are of all runs.`,
      ],
      tables: [
        {
          columns: [
            'beside',
            'requests/s of the four',
            'idle p99 ms',
            'p50 ms',
            'p99 ms',
            'p99 against idle',
            'range',
            'longest ms',
            'single patients refused',
          ],
          rows,
        },
      ],
    },
  ]
}

function rowOf(kind: string, runs: readonly Run[], seconds: number): readonly string[] {
  const against = spreadOf(runs.map(({ idle, beside }) => beside.p99Ms / idle.p99Ms))
  const middle = (figure: (run: Run) => number): number => median(runs.map(figure))
  const refusals = new Set(runs.flatMap(({ load }) => Object.keys(load.refused)))
  const name = refusals.size === 0 ? kind : `${kind} (some answered ${[...refusals].join(', ')})`
  return [
    name,
    (middle(({ load }) => load.answered) / seconds).toFixed(1),
    middle(({ idle }) => idle.p99Ms).toFixed(2),
    middle(({ beside }) => beside.p50Ms).toFixed(2),
    middle(({ beside }) => beside.p99Ms).toFixed(2),
    printRatio(against.median),
    printRange(against),
    Math.max(...runs.map(({ beside }) => beside.longestMs)).toFixed(0),
    String(runs.reduce((sum, { beside }) => sum + beside.refused, 0)),
  ]
}

async function run(server: Server, kind: string, seconds: number): Promise<Run> {
  const idle = await singles(server, seconds)
  const load = loadWith(server, kind, seconds)
  const beside = await singles(server, seconds)
  return { idle, beside, load: await load }
}

/** Single records one after the other, for some seconds. */
async function singles({ port, key }: Server, seconds: number): Promise<Times> {
  const agent = new Agent({ keepAlive: true })
  const times: number[] = []
  let refused = 0
  const end = performance.now() + seconds * 1_000
  while (performance.now() < end) {
    const start = performance.now()
    const status = await send(`http://127.0.0.1:${port}`, key, agent, SINGLE)
    if (status !== 200) refused++
    times.push(performance.now() - start)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  agent.destroy()
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0
  return { p50Ms: at(0.5), p99Ms: at(0.99), longestMs: at(1), refused }
}

/** The four clients, in a process of their own, so that their work does not delay the single requests. */
function loadWith({ port, key }: Server, kind: string, seconds: number): Promise<Load> {
  const child = spawn(process.execPath, [SCRIPT, `http://127.0.0.1:${port}`, key, kind, String(seconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (part: Buffer) => (said += part.toString()))
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(said) as Load)
      else reject(new Error(`the clients with ${kind} did not end with code 0`))
    })
  })
}
