/**
 * How long a single patient waits while four clients send batches of 10,000 without pause.
 * `node bench/beside-batches.ts ORIGIN KEY [SECONDS]` prints one line of JSON: p50 and p99 of single records, idle and beside the batches.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [origin = 'http://127.0.0.1:8080', key = '', seconds = '10'] = process.argv.slice(2)
const PATH = '/risk/api/do/v0'
const CLIENTS = 4
const BATCH = 10_000
const PAUSE_MS = 5

export interface BesideBatches {
  readonly idle: Times
  readonly beside: Times
  readonly recordsPerSecond: number
}

interface Times {
  readonly count: number
  readonly p50Ms: number
  readonly p99Ms: number
}

function record(idx: number): Readonly<Record<string, unknown>> {
  return {
    idx,
    age: 65 + (idx % 30),
    sex: 'F',
    inpatientAdmissions: idx % 5,
    emergencyAdmissions: 1,
    stayDays: 7,
  }
}
const single = JSON.stringify([record(1)])
const batch = JSON.stringify(Array.from({ length: BATCH }, (_, idx) => record(idx)))

function post(agent: Agent, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    request(origin + PATH, { method: 'POST', agent, headers }, (response) => {
      response.on('end', () => resolve(response.statusCode ?? 0)).resume()
    })
      .on('error', reject)
      .end(body)
  })
}

/** Single records one after the other, for some seconds. */
async function singles(): Promise<Times> {
  const agent = new Agent({ keepAlive: true })
  const times: number[] = []
  const end = performance.now() + Number(seconds) * 1000
  while (performance.now() < end) {
    const start = performance.now()
    await post(agent, single)
    times.push(performance.now() - start)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  agent.destroy()
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0
  return { count: times.length, p50Ms: at(0.5), p99Ms: at(0.99) }
}

/** The four clients, in a separate process, so that their work does not delay the single requests. */
function batches(file: string): Promise<number> {
  const client = fileURLToPath(new URL('./client.ts', import.meta.url))
  const args = [client, new URL(origin).port, PATH, key, file, String(CLIENTS), seconds]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (part: Buffer) => (said += part.toString()))
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      if (code !== 0) reject(new Error('the clients with batches did not end well'))
      else resolve((JSON.parse(said) as { requests: number }).requests)
    })
  })
}

await singles()
const idle = await singles()
const folder = mkdtempSync(join(tmpdir(), 'bench-batches-'))
const file = join(folder, 'batch.json')
writeFileSync(file, batch)
const load = batches(file)
const beside = await singles()
const answered = await load
rmSync(folder, { recursive: true })
const figures: BesideBatches = { idle, beside, recordsPerSecond: (answered * BATCH) / Number(seconds) }
process.stdout.write(`${JSON.stringify(figures)}\n`)
