/**
 * Compares this checkout with another one of the service: `npm run bench:compare -- FOLDER [--rounds 30] [--records 1,000]`. Both run side
 * by side, warm, each with one process, keys, audit and log on, and get load in alternating seconds: the speed of a shared machine changes
 * from one second to the next. The load comes from wrk, which takes little of the processor. Seconds in which the host took
 * more than 6 % of the time away do not count for the speed. They count for the processor time of a request, which is that of all rounds.
 */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { bodyFile } from './bodies.ts'
import { type Shape, loadPlan } from './payloads.ts'
import { median, thousands } from './spread.ts'

interface Server {
  readonly name: string
  readonly url: string
  readonly key: string
  /** All threads, since the start. */
  processorMs(): number
  stop(): boolean
}

interface Workload {
  readonly records: number
  readonly shape: Shape
  readonly callers: number
  readonly warmSeconds: number
}
const WORKLOADS: readonly Workload[] = [
  { records: 1, shape: '10 fields', callers: 8, warmSeconds: 15 },
  { records: 1, shape: '10 fields', callers: 64, warmSeconds: 10 },
  { records: 100, shape: '50 fields', callers: 8, warmSeconds: 5 },
  { records: 1_000, shape: '10 fields', callers: 8, warmSeconds: 5 },
  { records: 1_000, shape: '50 fields', callers: 8, warmSeconds: 5 },
  { records: 10_000, shape: '50 fields', callers: 8, warmSeconds: 5 },
]
const MOST_STEAL_MS = 60
const TICK_MS = 10
const START_MS = 30_000

/** wrk prints this line when it is done. */
const SCRIPT = `
wrk.method = "POST"
local file = io.open(os.getenv("BODY_FILE"), "rb")
wrk.body = file:read("*a")
file:close()
wrk.headers["Authorization"] = "Bearer " .. os.getenv("API_KEY")
wrk.headers["Content-Type"] = "application/json"
function done(summary)
  local errors = summary.errors
  local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  local counted = summary.requests - failed
  print("counted " .. counted .. " " .. counted / (summary.duration / 1e6))
end`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '30' },
    /** Only bodies of so many records. */
    records: { type: 'string', multiple: true, default: [] },
  },
})
const [other] = positionals
if (other === undefined || spawnSync('wrk', ['--version']).error !== undefined) {
  console.log(
    other === undefined
      ? 'Name the folder of the other checkout, with its packages installed: npm run bench:compare -- ../before'
      : 'Skipped: this comparison needs wrk (the package "wrk" of Debian).',
  )
  process.exit(other === undefined ? 64 : 0)
}

const folder = mkdtempSync(join(tmpdir(), 'bench-compare-'))
const script = join(folder, 'wrk.lua')
writeFileSync(script, SCRIPT)
const plan = loadPlan()
const servers = [
  await start('before', resolve(other)),
  await start('after', fileURLToPath(new URL('..', import.meta.url))),
]
console.log(
  '| workload | before, requests/s | after, requests/s | change | before, processor µs | after, processor µs | change |',
)
console.log('| --- | --- | --- | --- | --- | --- | --- |')
const wanted = WORKLOADS.filter(
  ({ records }) => values.records.length === 0 || values.records.includes(String(records)),
)
for (const { records, shape, callers, warmSeconds } of wanted) {
  const body = bodyFile({ plan, folder }, shape, records, false)
  for (const server of servers) await load(server, body, callers, warmSeconds)
  const found = servers.map((server) => ({ server, speeds: [] as number[], requests: 0, processorMs: 0 }))
  for (let round = 0; round < Number(values.rounds); round++) {
    // Neither of them always comes second.
    for (const one of round % 2 === 0 ? found : [...found].reverse()) {
      const stealBefore = stealMs()
      const processorBefore = one.server.processorMs()
      const { requests, perSecond } = await load(one.server, body, callers, 1)
      one.requests += requests
      one.processorMs += one.server.processorMs() - processorBefore
      if (stealMs() - stealBefore <= MOST_STEAL_MS) one.speeds.push(perSecond)
    }
  }
  const speeds = found.map((one) => (one.speeds.length === 0 ? NaN : median(one.speeds)))
  const costs = found.map((one) => (one.processorMs * 1_000) / one.requests)
  const cells = [speeds, costs].flatMap((pair) => {
    const [before, after] = pair as [number, number]
    return [...pair.map(shown), changeOf(before, after)]
  })
  console.log(`| ${[`${thousands(records)} × ${shape}, ${callers} callers`, ...cells].join(' | ')} |`)
}
for (const server of servers) server.stop()
rmSync(folder, { recursive: true, force: true })

/** A dash where the host took time away in every round. */
function shown(figure: number): string {
  return Number.isNaN(figure) ? '–' : thousands(figure)
}

function changeOf(before: number, after: number): string {
  const change = (after / before - 1) * 100
  return Number.isNaN(change) ? '–' : `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(0)} %`
}

/** The service of a checkout. Its log goes to a file: a program that reads it would take part of the processor. */
async function start(name: string, cwd: string): Promise<Server> {
  const config = join(folder, 'config.json')
  const limits = { requestsPerMinute: null, recordsPerMinute: null }
  const deployment = { name: 'bench', basePath: '/', model: 'readmission30', output: 'number', limits }
  writeFileSync(config, JSON.stringify({ deployments: [deployment] }))
  const log = join(folder, `${name}.log`)
  const env = { ...process.env, DATA_DIR: join(folder, name), CONFIG: config, PORT: '0', LOG_LEVEL: 'info' }
  const args = ['bin/patient-risk.js', 'serve', '--processes', '1']
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', openSync(log, 'a'), 'ignore'] })
  for (const end = performance.now() + START_MS; performance.now() < end;) {
    await sleep(50)
    const [, url, key] = /(http:\/\/\S+\/v0)[^]*Bearer (\S+)'/.exec(readFileSync(log, 'utf8')) ?? []
    if (url !== undefined && key !== undefined) {
      return { name, url, key, processorMs: () => processorMs(Number(child.pid)), stop: () => child.kill() }
    }
  }
  throw new Error(`${name} did not start`)
}

/** Requests that were refused do not count. */
async function load(
  server: Server,
  body: string,
  callers: number,
  seconds: number,
): Promise<{ readonly requests: number; readonly perSecond: number }> {
  const args = [
    '--threads',
    '1',
    '--connections',
    String(callers),
    '--duration',
    `${seconds}s`,
    '--script',
    script,
    server.url,
  ]
  const env = { ...process.env, BODY_FILE: body, API_KEY: server.key }
  const { stdout } = await promisify(execFile)('wrk', args, { env })
  const [, requests, perSecond] = /counted (\S+) (\S+)/.exec(stdout) ?? []
  return { requests: Number(requests), perSecond: Number(perSecond) }
}

function processorMs(pid: number): number {
  // The name of the program stands in brackets, and may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** What the host of a virtual machine took away, since its start. */
function stealMs(): number {
  return Number(readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/)[8]) * TICK_MS
}
