/**
 * A single patient, sent again and again until a message stops it. It runs in a thread of its own: in the thread that sends the
 * load it would also measure how long that thread is busy with large answers.
 */
import { type MessagePort, Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { Client } from '../../../../test/support/client.ts'
import { quantile } from './part.ts'
import type { ServiceProcess } from '../../../../test/support/service-process.ts'

const SINGLE = '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]'
const PAUSE_MS = 5

interface Probed {
  readonly p99Ms: number
  readonly mostMs: number
  /** Bodies of others that were answered while a patient waited. */
  readonly meanBodies: number
  readonly failed: number
  readonly probes: number
}

interface ProbeData extends Pick<ServiceProcess, 'port' | 'key'> {
  readonly bodies: Int32Array
}

/** `bodies` counts in shared memory what others were answered. */
export async function probe(
  { port, key }: Pick<ServiceProcess, 'port' | 'key'>,
  during: () => Promise<unknown>,
  bodies: Int32Array = new Int32Array(1),
): Promise<Probed> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { port, key, bodies } })
  const probed = new Promise<Probed>((resolve, reject) => {
    thread.once('message', resolve).once('error', reject)
  })
  await during()
  thread.postMessage('stop')
  return probed
}

if (!isMainThread && parentPort !== null) await run(parentPort, workerData as ProbeData)

async function run(port: MessagePort, { bodies, ...service }: ProbeData): Promise<void> {
  const client = new Client(service, 1)
  const times: number[] = []
  const state = { isOver: false, failed: 0, bodies: 0 }
  port.once('message', () => (state.isOver = true))
  while (!state.isOver) {
    const start = performance.now()
    const before = Atomics.load(bodies, 0)
    // A service that stands still for long ends its connections; then the patient was not answered either.
    const { status } = await client.post(SINGLE).catch(() => ({ status: 0 }))
    if (status !== 200) state.failed++
    times.push(performance.now() - start)
    state.bodies += Atomics.load(bodies, 0) - before
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  client.close()
  const round = (value: number): number => Math.round(value * 10) / 10
  port.postMessage({
    p99Ms: round(quantile(times, 0.99)),
    mostMs: round(Math.max(...times)),
    meanBodies: round(state.bodies / times.length),
    failed: state.failed,
    probes: times.length,
  } satisfies Probed)
}
