/** A process that closes a pool when an answer is there but not yet taken, again and again, for a test of how it ends. */
import { Worker } from 'node:worker_threads'
import { ThreadPool } from '../../src/workers/pool.ts'

const ROUNDS = 8
const never = new Int32Array(new SharedArrayBuffer(4))
const start = (): Worker => new Worker(new URL('./scripted-jobs.ts', import.meta.url))

for (let round = 0; round < ROUNDS; round++) {
  const pool = new ThreadPool({ size: 1, maxWaiting: 5, start })
  await pool.run(1)
  // Where the answer is not yet there after all, it is refused, which is as well.
  void pool.run(2).catch(() => undefined)
  Atomics.wait(never, 0, 0, 100)
  await pool.close()
}
