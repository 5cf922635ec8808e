/**
 * `npm run bench:watch [SECONDS]`: what watching costs. A body that is watched beside one that is not, in process; and how
 * long a single patient waits with a shadow model and without one, turn by turn, from services in processes of their own.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeDeployments, loadCatalog } from '@patient-risk/catalog'
import { AlarmBoard, DriftWatch, watchFeeds } from '@patient-risk/monitor'
import { PROCESS_HOST } from '@patient-risk/server'
import { createLog } from '@patient-risk/server/log'
import { loadPlan, makePayload } from './payloads.ts'

const SECONDS = Number(process.argv[2] ?? 20)
const ROUNDS = 2_000
const TURNS = 5
const TODAY = 20260101
const PATH = '/risk/api/do/v0'
const PATIENT = { idx: 1, age: 80, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const SINGLE = JSON.stringify([
  { ...PATIENT, acuteAdmission: true, laceCharlson_total: 3, edVisits6Months: 1 },
])

const { catalog } = loadCatalog([fileURLToPath(new URL('../clinical', import.meta.url))])
if (catalog === undefined) throw new Error('the clinical data do not load')

/** Processor time in microseconds. */
function cpu(run: () => void, rounds: number): number {
  for (let round = 0; round < rounds / 4; round++) run()
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / rounds
}

const plan = loadPlan()
const { deployments } = makeDeployments(catalog, [
  { name: 'mortality', basePath: '/', model: 'readmission30', output: 'number' },
])
const board = new AlarmBoard({
  store: { readAlarms: () => Promise.resolve([]), writeAlarm: () => Promise.resolve() },
  clock: { now: () => 0 },
  log: createLog('silent'),
  host: PROCESS_HOST,
})
const watch = watchFeeds(catalog, deployments, board, new DriftWatch(catalog, deployments, board)).get(
  'mortality',
)
const scorer = deployments[0]?.scorer
if (watch === undefined || scorer === undefined) throw new Error('the deployment cannot be made')
const { collector } = watch
/** A sender's first records are all watched. */
const LEARNED = 1_000
let senders = 0
for (const fields of ['10 fields', '50 fields'] as const) {
  for (const records of [1, 100, 1_000]) {
    const body = makePayload(plan, fields, records, false)
    const watched = (key: string): void => {
      const sample = watch.sampleOf(key, body.length)
      scorer.score(body, TODAY, undefined, { watch: collector, sample })
      const observed = collector.taken()
      if (observed !== undefined) watch.count(key, observed)
    }
    const known = `known${senders++}`
    for (let seen = 0; seen < 2 * LEARNED + 40 * records; seen += records) watched(known)
    let left = 0
    const young = (): void => {
      if (left-- <= 0) {
        left = Math.floor((LEARNED - 1) / records)
        senders++
      }
      watched(`young${senders}`)
    }
    const runs = [(): void => void scorer.score(body, TODAY), () => watched(known), young]
    // In turns, so that all meet the same state of the machine.
    const rounds = Math.ceil(ROUNDS / Math.sqrt(records) / (records >= LEARNED ? 2 : 1))
    const costs = Array.from({ length: TURNS }, () => runs.map((run) => cpu(run, rounds)))
    const [bare = 0, later = 0, first = 0] = runs.map((_run, at) =>
      medianOf(costs.map((turn) => turn[at] ?? 0)),
    )
    const started = records < LEARNED ? `, of its first ${LEARNED} records ${first.toFixed(1)}` : ''
    process.stdout.write(
      `${records} records of ${fields}: ${bare.toFixed(1)} µs, of a known sender ${later.toFixed(1)}${started}\n`,
    )
  }
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
}

interface Server {
  readonly post: () => Promise<void>
  readonly close: () => void
}

/** A service in a process of its own. */
async function serve(shadow: object): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-watch-'))
  const config = join(folder, 'config.json')
  const entry = { name: 'ward', basePath: '/', model: 'readmission30', output: 'number', ...shadow }
  writeFileSync(config, JSON.stringify({ deployments: [entry] }))
  const main = fileURLToPath(new URL('../packages/patient-risk/src/cli/main.ts', import.meta.url))
  const env = { ...process.env, CONFIG: config, DATA_DIR: join(folder, 'data'), PORT: '0' }
  const child = spawn(process.execPath, [main, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  const [origin, key] = await new Promise<readonly [string, string]>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const found = /curl (\S+?)\/risk\S+ -H 'Authorization: Bearer (\w+)'/.exec(text)
      if (found !== null) resolve([found[1] ?? '', found[2] ?? ''])
    })
  })
  const agent = new Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return {
    post: () =>
      new Promise((resolve, reject) => {
        request(origin + PATH, { method: 'POST', agent, headers }, (response) => {
          response.on('end', () => resolve()).resume()
        })
          .on('error', reject)
          .end(SINGLE)
      }),
    close: () => {
      agent.destroy()
      child.kill()
      child.once('exit', () => rmSync(folder, { recursive: true }))
    },
  }
}

const servers = [await serve({}), await serve({ shadow: { model: 'lace' } })]
const times: number[][] = [[], []]
const end = performance.now() + SECONDS * 1_000
for (let turn = 0; performance.now() < end; turn++) {
  for (const [index, { post }] of servers.entries()) {
    const start = performance.now()
    await post()
    // The first answers compile the code.
    if (turn > 500) times[index]?.push(performance.now() - start)
  }
}
for (const { close } of servers) close()
for (const [index, name] of ['without a shadow', 'with a shadow'].entries()) {
  const sorted = (times[index] ?? []).sort((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2)
  process.stdout.write(`${name}: ${sorted.length} answers, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms\n`)
}
