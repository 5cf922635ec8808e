/** Measures servers side by side: in turns, several rounds, medians. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Server } from './server-process.ts'

export interface Measured {
  readonly recordsPerSecond: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time of the server, in microseconds a record. */
  readonly cpuUs: number
  /** Requests that were answered with 503. */
  readonly refused: number
}

export interface Load {
  readonly bodyFile: string
  readonly records: number
  readonly connections: number
  readonly rounds: number
  readonly seconds: number
}

interface Counted {
  readonly requests: number
  /** With those that are not timed. */
  readonly answers: number
  readonly refused: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/**
 * A server that has run for an hour is measured, not one that has just started: its code must be compiled, in each of its
 * processes, and that goes on for some fifty thousand requests.
 */
export const WARM_SECONDS = 12
const WARM_ROUNDS = 3
/** At the start of each round the client is new. For small requests its own work matters, so that time is not counted. */
export const CLIENT_WARM_SECONDS = 0.4
export const SMALL_BATCH = 100
const warm = new WeakSet<Server>()

const CLIENT = fileURLToPath(new URL('client.ts', import.meta.url))

/** Each server gets the same load in turn, so that other work on the machine affects all of them alike. */
export async function measure(servers: readonly Server[], load: Load): Promise<readonly Measured[]> {
  const rounds = servers.map((): Measured[] => [])
  for (const server of servers) {
    if (!warm.has(server)) await runClient(server, { ...load, seconds: WARM_SECONDS })
    warm.add(server)
  }
  for (let round = -WARM_ROUNDS; round < load.rounds; round++) {
    for (const [index, server] of servers.entries()) {
      const before = server.cpuMs()
      const counted = await runClient(server, load, load.records <= SMALL_BATCH ? CLIENT_WARM_SECONDS : 0)
      const records = counted.requests * load.records
      if (round < 0) continue
      rounds[index]?.push({
        recordsPerSecond: records / counted.seconds,
        requestsPerSecond: counted.requests / counted.seconds,
        p50Ms: counted.p50Ms,
        p99Ms: counted.p99Ms,
        refused: counted.refused,
        cpuUs: ((server.cpuMs() - before) * 1000) / (counted.answers * load.records),
      })
    }
  }
  return rounds.map((list) => ({
    recordsPerSecond: median(list.map((each) => each.recordsPerSecond)),
    requestsPerSecond: median(list.map((each) => each.requestsPerSecond)),
    p50Ms: median(list.map((each) => each.p50Ms)),
    p99Ms: median(list.map((each) => each.p99Ms)),
    cpuUs: median(list.map((each) => each.cpuUs)),
    refused: list.reduce((sum, each) => sum + each.refused, 0),
  }))
}

export function runClient(
  server: Server,
  load: Pick<Load, 'bodyFile' | 'connections' | 'seconds'>,
  warmSeconds = 0,
): Promise<Counted> {
  const { port, path, key } = server
  const { bodyFile, connections, seconds } = load
  const args = [port, path, key, bodyFile, connections, seconds, warmSeconds].map(String)
  const child = spawn(process.execPath, [CLIENT, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (part: Buffer) => (said += part.toString()))
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(said) as Counted)
      else reject(new Error(`${server.name} did not answer the benchmark`))
    })
  })
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[middle] as number
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}
