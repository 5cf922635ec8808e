/**
 * `npm run bench:counts [ROUNDS]`: what counting risks at scoring costs, in processor time of the service: one with outcomes beside one
 * without, in processes of their own, turn by turn. The ratio of each pair of turns, its median and its quartiles.
 */
import { Agent, request } from 'node:http'
import { loadPlan, makePayload } from './payloads.ts'
import type { Server } from './server-process.ts'
import { startService } from './start-servers.ts'

const ROUNDS = Number(process.argv[2] ?? 12)
const WARM_ROUNDS = 2
const AT_ONCE = 16
/** With the requests of a turn, which are about half a second of processor time. */
const BODIES = [
  ['1 record of 10 fields', '10 fields', 1, 1_500],
  ['1,000 records of 50 fields', '50 fields', 1_000, 24],
] as const

const plan = loadPlan()
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })

function post({ port, path, key }: Server, body: Buffer): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    request({ port, path, method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
      response.on('end', () => resolve()).resume()
    })
      .on('error', reject)
      .end(body)
  })
}

/** Processor time of so many requests, in milliseconds. */
async function turn(server: Server, body: Buffer, requests: number): Promise<number> {
  const before = server.cpuMs()
  let left = requests
  const sender = async (): Promise<void> => {
    while (left-- > 0) await post(server, body)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sender))
  return server.cpuMs() - before
}

const outcomes = { horizonDays: 30, eta: 1 }
const without = await startService('without', 'bytes')
const counting = await startService('counting', 'bytes', 1, {}, { outcomes })
for (const [name, fields, records, requests] of BODIES) {
  const body = makePayload(plan, fields, records, false)
  const ratios: number[] = []
  for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
    // Neither of them always comes first.
    const order = round % 2 === 0 ? [without, counting] : [counting, without]
    const used = new Map<Server, number>()
    for (const server of order) used.set(server, await turn(server, body, requests))
    if (round >= 0) ratios.push((used.get(counting) ?? 0) / (used.get(without) ?? 1))
  }
  ratios.sort((one, other) => one - other)
  const at = (share: number): string => {
    const ratio = ratios[Math.floor(share * (ratios.length - 1))] ?? Number.NaN
    return `${(100 * (ratio - 1)).toFixed(1)} %`
  }
  process.stdout.write(`${name}: counting adds ${at(0.5)} (${at(0.25)} to ${at(0.75)}), ${ROUNDS} pairs\n`)
}
agent.destroy()
await Promise.all([without.stop(), counting.stop()])
