/** Expensive bodies of one key do not keep a single patient of another key waiting. */
import { cleanRecords } from '../../../../../test/support/records.ts'
import { Client } from '../../../../../test/support/client.ts'
import type { Part, Trial, Verdict } from '../part.ts'
import { probe } from '../probe.ts'
import { type ServiceProcess, startService } from '../../../../../test/support/service-process.ts'

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
/** The short form runs on any machine, so it counts instead of timing: expensive bodies answered while a patient waits, on average. */
const SHORT_MOST_BODIES = 4

export const part: Part = {
  name: 'expensive-bodies',
  promise:
    'beside any mix of expensive bodies, p99 of a single patient ≤ 50 ms and 5 × idle, memory ≤ 600 MB, also with two processes',
  defect: 'every body is answered in the thread that received it',
  shortScale: 0.02,
  isTimed: true,
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
    ...(trial.planted ? { plants: ['no-workers'] } : {}),
  })
  try {
    const idle = await probe(service, () => new Promise((resolve) => setTimeout(resolve, 2_000)))
    const answered = new Int32Array(new SharedArrayBuffer(4))
    const busy = await probe(
      service,
      () => attack(service, Math.ceil(ROUNDS * trial.scale), answered),
      answered,
    )
    const residentMb = Math.round(service.residentMb())
    const mostMs = Math.min(MOST_P99_MS, 5 * idle.p99Ms)
    const faults: string[] = []
    if (trial.scale === 1 && busy.p99Ms > mostMs)
      faults.push(`a single patient waited ${busy.p99Ms} ms; the bound is ${mostMs} ms`)
    if (trial.scale < 1 && busy.meanBodies > SHORT_MOST_BODIES)
      faults.push(
        `single patients waited while ${busy.meanBodies} expensive bodies were answered, on average`,
      )
    if (busy.failed > 0) faults.push(`${busy.failed} single patients were not answered`)
    if (residentMb > MOST_MB) faults.push(`${residentMb} MB are resident`)
    return {
      faults,
      figures: { idle: JSON.stringify(idle), busy: JSON.stringify(busy), residentMb },
    }
  } finally {
    await service.stop()
  }
}

async function attack(service: ServiceProcess, rounds: number, answered: Int32Array): Promise<void> {
  const client = new Client(service, CALLERS)
  const caller = async (): Promise<void> => {
    // Those that find the workers busy are refused, which is as good.
    for (let round = 0; round < rounds; round++)
      for (const body of EXPENSIVE) {
        const { status } = await client.post(body).catch(() => ({ status: 0 }))
        if (status === 200) Atomics.add(answered, 0, 1)
      }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  client.close()
}
