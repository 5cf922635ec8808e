/** Measures servers side by side: in turns, in several rounds. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Server } from './server-process.ts'

/** What one round of load on one server gave. */
export interface Round {
  readonly recordsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time of the server, in microseconds a record. */
  readonly cpuUs: number
  /** Requests that were answered with 503. */
  readonly refused: number
}

/** The rounds of each server, by its name. */
export type Measured = ReadonlyMap<string, readonly Round[]>

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
export const WARM_ROUNDS = 2
/** At the start of each round the client is new. For small requests its own work matters, so that time is not counted. */
export const CLIENT_WARM_SECONDS = 0.4
export const SMALL_BATCH = 100
const warm = new WeakSet<Server>()

const CLIENT = fileURLToPath(new URL('client.ts', import.meta.url))

/** Each server gets the same load in turn, so that what happens on the machine affects all of them alike. */
export async function measure(servers: readonly Server[], load: Load): Promise<Measured> {
  const rounds = new Map(servers.map(({ name }): [string, Round[]] => [name, []]))
  for (const server of servers) await warmUp(server, load)
  for (let round = -WARM_ROUNDS; round < load.rounds; round++) {
    // None of them always follows the same other one.
    for (const server of round % 2 === 0 ? servers : [...servers].reverse()) {
      const measured = await measureRound(server, load)
      if (round >= 0) rounds.get(server.name)?.push(measured)
    }
  }
  return rounds
}

/** Before the first payload of a server. A short run, as of a test of the benchmark itself, is not worth a long warm-up. */
export async function warmUp(server: Server, load: Load): Promise<void> {
  if (warm.has(server)) return
  warm.add(server)
  await runClient(server, { ...load, seconds: WARM_SECONDS * Math.min(1, load.seconds) })
}

export async function measureRound(server: Server, load: Load): Promise<Round> {
  const cpuBefore = server.cpuMs()
  const counted = await runClient(server, load, load.records <= SMALL_BATCH ? CLIENT_WARM_SECONDS : 0)
  return {
    recordsPerSecond: (counted.requests * load.records) / counted.seconds,
    p50Ms: counted.p50Ms,
    p99Ms: counted.p99Ms,
    cpuUs: ((server.cpuMs() - cpuBefore) * 1000) / (counted.answers * load.records),
    refused: counted.refused,
  }
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
