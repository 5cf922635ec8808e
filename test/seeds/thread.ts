/** Runs seeds in a thread of their own, because the simulation replaces the clock and the timers of its thread. */
import { parentPort } from 'node:worker_threads'
import { type SeedResult, runSeed } from './run-seed.ts'

/** `end` ends the thread. */
export type Order =
  { readonly from: number; readonly count: number; readonly plant?: string | undefined } | 'end'

/** The runs that broke a promise, and the lines of the last run. */
export interface Report {
  readonly broken: readonly SeedResult[]
  readonly lines: readonly string[]
}

parentPort?.on('message', (order: Order) => {
  if (order === 'end') process.exit()
  void run(order).then((report) => parentPort?.postMessage(report))
})

async function run({ from, count, plant }: Exclude<Order, string>): Promise<Report> {
  const broken: SeedResult[] = []
  let lines: string[] = []
  for (let seed = from; seed < from + count; seed++) {
    lines = []
    const result = await runSeed(seed, plant, (line) => lines.push(line))
    if (result.faults.length > 0) broken.push(result)
  }
  return { broken, lines }
}
