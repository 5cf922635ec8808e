/** Expensive bodies of one key do not keep a single patient of another key waiting. */
import { cleanRecords } from '../../records.ts'
import { Client } from '../client.ts'
import { type Part, type Trial, type Verdict, quantile } from '../part.ts'
import { type ServiceProcess, startService } from '../service-process.ts'

const SINGLE = '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]'
const EXPENSIVE = [
  `[${'{},'.repeat(9_999)}{}]`,
  `[${'1,'.repeat(9_999)}1]`,
  JSON.stringify(cleanRecords(1_300)).replaceAll('"age"', '"Age"'),
  JSON.stringify(cleanRecords(1_000)),
]
const CALLERS = 40
const ROUNDS = 50
const MOST_MB = 600
const MOST_P99_MS = 50
/** The short form runs on any machine, so its bound is relative: a patient may wait as long as so many expensive bodies take alone. */
const SHORT_MOST_BODIES = 6

export const part: Part = {
  name: 'expensive-bodies',
  promise:
    'beside any mix of expensive bodies, p99 of a single patient ≤ 50 ms and 5 × idle, memory ≤ 600 MB, also with two processes',
  defect: 'every body is answered in the thread that received it',
  shortScale: 0.02,
  run,
}

async function run(trial: Trial): Promise<Verdict> {
  if (trial.scale < 1) return runWith(trial, 1)
  const [one, two] = [await runWith(trial, 1), await runWith(trial, 2)]
  return {
    faults: [...one.faults, ...two.faults.map((fault) => `two processes: ${fault}`)],
    figures: { ...one.figures, twoProcesses: JSON.stringify(two.figures) },
  }
}

async function runWith(trial: Trial, processes: number): Promise<Verdict> {
  const service = await startService({
    logLevel: 'error',
    processes,
    ...(trial.planted ? { plants: ['one-thread'] } : {}),
  })
  try {
    const idle = await probe(service, () => new Promise((resolve) => setTimeout(resolve, 2_000)))
    const aloneMs = await timeAlone(service)
    const busy = await probe(service, () => attack(service, Math.ceil(ROUNDS * trial.scale)))
    const residentMb = Math.round(service.residentMb())
    const isFull = trial.scale === 1
    const most = isFull ? Math.min(MOST_P99_MS, 5 * idle.p99Ms) : SHORT_MOST_BODIES * aloneMs
    const slowest = isFull ? busy.p99Ms : busy.mostMs
    const faults = slowest > most ? [`a single patient waited ${slowest} ms; the bound is ${most} ms`] : []
    if (busy.failed > 0) faults.push(`${busy.failed} single patients were not answered`)
    if (residentMb > MOST_MB) faults.push(`${residentMb} MB are resident`)
    return {
      faults,
      figures: { idle: JSON.stringify(idle), busy: JSON.stringify(busy), aloneMs, residentMb },
    }
  } finally {
    await service.stop()
  }
}

/** What an expensive body takes when nothing else runs: the median of five. */
async function timeAlone(service: ServiceProcess): Promise<number> {
  const client = new Client(service, 1)
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    const start = performance.now()
    await client.post(EXPENSIVE[0] ?? '')
    times.push(performance.now() - start)
  }
  client.close()
  return Math.round(quantile(times, 0.5))
}

async function attack(service: ServiceProcess, rounds: number): Promise<void> {
  const client = new Client(service, CALLERS)
  const caller = async (): Promise<void> => {
    // Those that find the workers busy are refused, which is as good.
    for (let round = 0; round < rounds; round++)
      for (const body of EXPENSIVE) await client.post(body).catch(() => undefined)
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  client.close()
}

async function probe(
  service: ServiceProcess,
  during: () => Promise<unknown>,
): Promise<{ p99Ms: number; mostMs: number; failed: number; probes: number }> {
  const client = new Client(service, 1)
  const times: number[] = []
  const state = { isOver: false, failed: 0 }
  const probing = (async () => {
    while (!state.isOver) {
      const start = performance.now()
      // A service that stands still for long ends its connections; then the patient was not answered either.
      const { status } = await client.post(SINGLE).catch(() => ({ status: 0 }))
      if (status !== 200) state.failed++
      times.push(performance.now() - start)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  await during()
  state.isOver = true
  await probing
  client.close()
  const round = (value: number): number => Math.round(value * 10) / 10
  return {
    p99Ms: round(quantile(times, 0.99)),
    mostMs: round(Math.max(...times)),
    failed: state.failed,
    probes: times.length,
  }
}
