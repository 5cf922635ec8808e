/** A process that closes a pool when an answer is there but not yet taken, again and again, for a test of how it ends. */
import { Worker } from 'node:worker_threads'
import { ThreadPool } from '../../src/workers/pool.ts'
import type { Flags } from './scripted-jobs.ts'

const ROUNDS = 8
const start = (): Worker => new Worker(new URL('./scripted-jobs.ts', import.meta.url))

for (let round = 0; round < ROUNDS; round++) {
  const pool = new ThreadPool({ size: 1, maxWaiting: 5, start })
  await pool.run(1)
  const sent = new Int32Array(new SharedArrayBuffer(4))
  const answered = pool.run({ sent } satisfies Flags)
  // This thread takes no answer while it is blocked here.
  Atomics.wait(sent, 0, 0)
  void answered.catch(() => undefined)
  await pool.close()
}
