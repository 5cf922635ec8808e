/**
 * `npm run bench:counts [ROUNDS]`: what counting risks at scoring costs, in processor time of the service: one with outcomes beside one
 * without, in processes of their own, in many short turns, so that what else the machine does affects both alike. The ratio of the sums,
 * with its 95 % interval by the jackknife over pairs of turns.
 */
import { Agent, request } from 'node:http'
import { loadPlan, makePayload } from './payloads.ts'
import type { Server } from './server-process.ts'
import { startService } from './start-servers.ts'

const ROUNDS = Number(process.argv[2] ?? 100)
const WARM_ROUNDS = 20
const AT_ONCE = 16
const Z = 1.96
/** With the requests of a turn. */
const BODIES = [
  ['1 record of 10 fields', '10 fields', 1, 300],
  ['1,000 records of 50 fields', '50 fields', 1_000, 8],
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

/** What the second adds to the first, of the sums, with its standard error. */
function added(pairs: readonly (readonly [number, number])[]): readonly [mean: number, error: number] {
  const [first, second] = [0, 1].map((at) => pairs.reduce((sum, pair) => sum + (pair[at] ?? 0), 0)) as [
    number,
    number,
  ]
  const mean = second / first - 1
  const squares = pairs.reduce(
    (sum, [one, other]) => sum + ((second - other) / (first - one) - 1 - mean) ** 2,
    0,
  )
  return [mean, Math.sqrt((squares * (pairs.length - 1)) / pairs.length)]
}

const outcomes = { horizonDays: 30, eta: 1 }
const without = await startService('without', 'bytes')
const counting = await startService('counting', 'bytes', 1, {}, { outcomes })
for (const [name, fields, records, requests] of BODIES) {
  const body = makePayload(plan, fields, records, false)
  const pairs: (readonly [without: number, counting: number])[] = []
  for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
    // Neither of them always comes first.
    const order = round % 2 === 0 ? [without, counting] : [counting, without]
    const used = new Map<Server, number>()
    for (const server of order) used.set(server, await turn(server, body, requests))
    if (round >= 0) pairs.push([used.get(without) ?? 0, used.get(counting) ?? 0])
  }
  const [mean, error] = added(pairs)
  const texts = [mean, mean - Z * error, mean + Z * error].map((share) => `${(100 * share).toFixed(1)} %`)
  const each = pairs.reduce((sum, [bare]) => sum + bare, 0) / (ROUNDS * requests)
  process.stdout.write(
    `${name}: ${(1_000 * each).toFixed(0)} µs a request; counting adds ${texts[0]} (${texts[1]} to ${texts[2]}), ${ROUNDS} pairs\n`,
  )
}
agent.destroy()
await Promise.all([without.stop(), counting.stop()])
