/** Fuzz: mutated bodies over HTTP get an answer of the contract, and the service neither ends nor grows. */
import { gzipSync } from 'node:zlib'
import { SCORE } from '../../../../../test/support/serve.ts'
import { Client } from '../../../../../test/support/client.ts'
import { mutate } from '../mutate.ts'
import { type Part, type Trial, type Verdict, quantile, randomFrom } from '../part.ts'
import { startService } from '../../../../../test/support/service-process.ts'

const BODIES = 1_000_000
const CLIENTS = 32
/** Share of the bodies that warm the service up before its memory is measured. */
const WARM_UP = 0.3
const LAST = 0.9
const MOST_GROWTH = 0.1
/** A shorter run ends before the memory has settled. */
const LEAST_FOR_MEMORY = 0.1
const EXPECTED: ReadonlySet<number> = new Set([200, 400, 413, 415])

const SEEDS = [
  '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]',
  '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7,"mna_total":23.5,"barthel_chairTransfers":10,"barthel_feeding":5,"barthel_total":15,"barthel_date":"01-02-2024"},{"idx":2,"age":75.0,"sex":"X"}]',
  '[{"idx":-9007199254740991,"age":7.5e1,"sex":null,"\\u0061ge":3,"Age":4,"__proto__":{"age":5},"x":[1,{"y":"z"}]},7,null,"text",[]]',
  '[]',
].map((text) => Buffer.from(text, 'utf8'))

export const part: Part = {
  name: 'fuzz',
  promise:
    '1,000,000 mutated bodies over HTTP: 0 answers of 5xx, 0 exits, memory growth under 10 % after warm-up',
  defect: 'one body in two hundred is answered with 500',
  shortScale: 0.004,
  run,
}

async function run({ seed, scale, planted, say }: Trial): Promise<Verdict> {
  const service = await startService({
    logLevel: 'error',
    ...(planted ? { plants: ['broken-answers'] } : {}),
  })
  const target = Math.ceil(BODIES * scale)
  const faults: string[] = []
  const statuses: Record<string, number> = {}
  const memory: { readonly sent: number; readonly mb: number }[] = []
  let sent = 0
  const timer = setInterval(() => {
    if (service.child.exitCode === null) memory.push({ sent, mb: service.residentMb() })
  }, 500)
  try {
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, number) => {
        const random = randomFrom(seed + number)
        const client = new Client(service, 1)
        while (sent < target && faults.length < 20) {
          sent++
          if (sent % 100_000 === 0) say(`${sent} bodies`)
          const { body, path, headers } = makeRequest(random)
          const reply = await client.post(body, { path, headers }).catch((error: unknown) => error as Error)
          const status = reply instanceof Error ? reply.message : reply.status
          statuses[status] = (statuses[status] ?? 0) + 1
          if (typeof status === 'string' || !EXPECTED.has(status))
            faults.push(`${status} for ${path} and the body ${JSON.stringify(body.toString('base64'))}`)
        }
        client.close()
      }),
    )
    if (service.child.exitCode !== null) faults.push(`the service ended with ${service.child.exitCode}`)
  } finally {
    clearInterval(timer)
    await service.stop()
  }
  const middle = (from: number, to: number): number =>
    quantile(
      memory.filter((each) => each.sent >= target * from && each.sent <= target * to).map(({ mb }) => mb),
      0.5,
    )
  const [warm, last] = [middle(WARM_UP, WARM_UP + 0.1), middle(LAST, 1)]
  const growth = last / warm - 1
  if (scale >= LEAST_FOR_MEMORY && !(growth < MOST_GROWTH))
    faults.push(`memory grew by ${(growth * 100).toFixed(1)} %`)
  return {
    faults,
    figures: {
      bodies: sent,
      statuses: JSON.stringify(statuses),
      warmMb: warm.toFixed(0),
      lastMb: last.toFixed(0),
      growthPercent: (growth * 100).toFixed(1),
    },
  }
}

function makeRequest(random: () => number): { body: Buffer; path: string; headers: Record<string, string> } {
  const from = SEEDS[Math.floor(random() * SEEDS.length)] ?? Buffer.alloc(0)
  const path = SCORE + (['', '', '', '/validate', '/explain'][Math.floor(random() * 5)] ?? '')
  const kind = random()
  if (kind < 0.9) return { body: mutate(from, random), path, headers: {} }
  const headers = { 'content-encoding': 'gzip' }
  // Half are spoiled before they are packed, half after.
  if (kind < 0.95) return { body: gzipSync(mutate(from, random), { level: 1 }), path, headers }
  return { body: mutate(gzipSync(from, { level: 1 }), random), path, headers }
}
