/** Runs seeds in a thread of their own, because the simulation replaces the clock and the timers of its thread. */
import { parentPort } from 'node:worker_threads'
import { replaceClients } from './postgres/client.ts'
import { endConnections, runPostgresSeed } from './postgres/run-seed.ts'
import { replaceThreadsAndFiles } from './replace.ts'
import { type SeedResult, runSeed } from './run-seed.ts'
import { replaceClockAndTimers } from './world.ts'

replaceClockAndTimers()
replaceThreadsAndFiles()
replaceClients()

/** `end` ends the thread. */
export type Order =
  | {
      readonly from: number
      readonly count: number
      readonly plant?: string | undefined
      /** The PostgreSQL of this thread; SQLite where absent. */
      readonly database?: string | undefined
    }
  | 'end'

/** The runs that broke a promise, and the lines of the last run. */
export interface Report {
  readonly broken: readonly SeedResult[]
  readonly lines: readonly string[]
}

parentPort?.on('message', (order: Order) => {
  if (order === 'end') void endConnections().then(() => process.exit())
  else void run(order).then((report) => parentPort?.postMessage(report))
})

async function run({ from, count, plant, database }: Exclude<Order, string>): Promise<Report> {
  const broken: SeedResult[] = []
  let lines: string[] = []
  for (let seed = from; seed < from + count; seed++) {
    lines = []
    const say = (line: string): void => void lines.push(line)
    const result = await (database === undefined
      ? runSeed(seed, plant, say)
      : runPostgresSeed(database, seed, plant, say))
    if (result.faults.length > 0) broken.push(result)
  }
  return { broken, lines }
}
