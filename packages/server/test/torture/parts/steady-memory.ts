/** Memory under mixed load: single patients, bodies of 1,000 records and faulty bodies, for ten minutes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanRecords } from '../../../../../test/support/records.ts'
import { Client } from '../../../../../test/support/client.ts'
import { type Part, type Trial, type Verdict, quantile, randomFrom } from '../part.ts'
import { startService } from '../../../../../test/support/service-process.ts'

const LOAD_MS = 600_000
const CALLERS = 8
const SAMPLES = 100
/** How much more the last tenth may need than the second tenth, which begins after a minute. */
const MOST_GROWTH = 1.1
/** The short form counts requests, so that it finds the same on a fast and on a slow machine; the heap is still finding its size then. */
const SHORT_REQUESTS = 1_500
const SHORT_MOST_MB = 250

const SINGLE = '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]'
const BATCH = JSON.stringify(cleanRecords(1_000))
const FAULTY = [
  BATCH.replaceAll('"age"', '"Age"'),
  `[${Array.from({ length: 1_000 }, (_each, idx) => `{"idx":${idx},"age":"${idx} years"}`).join(',')}]`,
  BATCH.slice(0, -2),
]

export const part: Part = {
  name: 'steady-memory',
  promise: 'under ten minutes of mixed load, memory stays within 10 % of what it is after the first minute',
  defect: 'something of every request is kept',
  shortScale: 0,
  isTimed: true,
  run,
}

async function run({ seed, scale, planted }: Trial): Promise<Verdict> {
  const service = await startService({
    logLevel: 'error',
    ...(planted ? { plants: ['leaked-requests'] } : {}),
  })
  const client = new Client(service, CALLERS)
  const random = randomFrom(seed)
  const state = { isOver: false, requests: 0 }
  const lost = new Map<string, number>()
  const caller = async (): Promise<void> => {
    while (!state.isOver) {
      const kind = random()
      const faulty = FAULTY[Math.floor(random() * FAULTY.length)] ?? ''
      const { status, body } = await client.post(kind < 0.8 ? SINGLE : kind < 0.9 ? BATCH : faulty)
      state.requests++
      if (status < 500) continue
      const { code } = JSON.parse(body.toString()) as { readonly code: string }
      lost.set(code, (lost.get(code) ?? 0) + 1)
    }
  }
  const samples: number[] = []
  try {
    const load = Promise.all(Array.from({ length: CALLERS }, caller))
    const start = performance.now()
    const share = (): number =>
      scale === 1 ? (performance.now() - start) / LOAD_MS : state.requests / SHORT_REQUESTS
    for (let sample = 1; sample <= SAMPLES; sample++) {
      while (share() < sample / SAMPLES) await sleep(20)
      samples.push(service.residentMb())
    }
    state.isOver = true
    await load
  } finally {
    client.close()
    await service.stop()
  }
  const early = quantile(samples.slice(10, 20), 0.5)
  const late = quantile(samples.slice(-10), 0.5)
  const most = scale === 1 ? early * MOST_GROWTH : early + SHORT_MOST_MB
  const faults = late > most ? [`${Math.round(late)} MB at the end, ${Math.round(early)} MB early on`] : []
  for (const [code, count] of lost) faults.push(`${count} of ${state.requests} requests got ${code}`)
  const figures = { requests: state.requests, earlyMb: Math.round(early), lateMb: Math.round(late) }
  return { faults, figures: { ...figures, mostMb: Math.round(Math.max(...samples)) } }
}
