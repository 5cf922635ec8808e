/**
 * How long a single patient waits while four clients send batches of 10,000 without pause.
 * Usage: node bench/lane.ts ORIGIN KEY [SECONDS]. Prints the p50 and p99 of single records, idle and beside the batches.
 */
import { Agent, request } from 'node:http'

const [origin = 'http://127.0.0.1:8080', key = '', seconds = '10'] = process.argv.slice(2)
const PATH = '/risk/api/do/v0'
const CLIENTS = 4
const BATCH = 10_000

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

/** Single records one after the other, for some seconds: the times they took, in milliseconds. */
async function singles(): Promise<number[]> {
  const agent = new Agent({ keepAlive: true })
  const times: number[] = []
  const end = performance.now() + Number(seconds) * 1000
  while (performance.now() < end) {
    const start = performance.now()
    await post(agent, single)
    times.push(performance.now() - start)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  agent.destroy()
  return times.sort((a, b) => a - b)
}

function line(name: string, times: readonly number[]): string {
  const at = (share: number): string => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(2)
  return `${name}: ${times.length} singles, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms\n`
}

await singles()
process.stdout.write(line('idle', await singles()))
let isOver = false
let batches = 0
const load = Array.from({ length: CLIENTS }, async () => {
  const agent = new Agent({ keepAlive: true })
  while (!isOver) if ((await post(agent, batch)) === 200) batches++
  agent.destroy()
})
const beside = await singles()
isOver = true
await Promise.all(load)
process.stdout.write(line('beside four clients with batches of 10,000', beside))
process.stdout.write(
  `${Math.round((batches * BATCH) / Number(seconds)).toLocaleString('en')} records a second in the batches\n`,
)
