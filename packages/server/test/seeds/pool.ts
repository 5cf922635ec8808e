/** Runs many seeds on all cores. */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { SeedResult } from './run-seed.ts'
import type { Order, Report } from './thread.ts'

/** Runs that a thread takes at a time; those on a PostgreSQL take longer. */
const CHUNK = { sqlite: 50, postgres: 5 }

export interface SeedRuns {
  readonly from: number
  readonly count: number
  readonly plant?: string | undefined
  /** Makes an empty PostgreSQL for a thread; SQLite where absent. */
  readonly newDatabase?: (() => Promise<string>) | undefined
}

export interface SeedReport {
  readonly broken: readonly SeedResult[]
  /** What happened in the run, where there was one only. */
  readonly lines: readonly string[]
}

export async function runSeeds(
  { from, count, plant, newDatabase }: SeedRuns,
  onProgress: (done: number) => void = () => undefined,
): Promise<SeedReport> {
  const broken: SeedResult[] = []
  let lines: readonly string[] = []
  let next = from
  const end = from + count
  const isSqlite = newDatabase === undefined
  const chunk = isSqlite ? CHUNK.sqlite : CHUNK.postgres
  // A thread may need more than ten connections, and other tests use the same server.
  const most = isSqlite ? availableParallelism() : Math.min(2, availableParallelism())
  const work = async (): Promise<void> => {
    const database = await newDatabase?.()
    const worker = new Worker(new URL('./thread.ts', import.meta.url))
    while (next < end) {
      const order: Order = { from: next, count: Math.min(chunk, end - next), plant, database }
      next += order.count
      worker.postMessage(order)
      const [report] = (await once(worker, 'message')) as [Report]
      broken.push(...report.broken)
      lines = report.lines
      onProgress(Math.min(next, end) - from)
    }
    const ended = once(worker, 'exit')
    worker.postMessage('end' satisfies Order)
    await ended
  }
  const threads = Math.min(most, Math.ceil(count / chunk))
  await Promise.all(Array.from({ length: threads }, work))
  return { broken: broken.sort((one, other) => one.seed - other.seed), lines: count === 1 ? lines : [] }
}

/** How to repeat a run, for the message of a failure. */
export const replay = ({ seed, faults }: SeedResult): string => replayOf('seeds', seed, faults)

export const replayPostgres = ({ seed, faults }: SeedResult): string =>
  replayOf('seeds-postgres', seed, faults)

const replayOf = (part: string, seed: number, [fault]: readonly string[]): string =>
  `seed ${seed}: ${fault}; to repeat it: npm run torture -- ${part} --seed ${seed} --scale 0`
