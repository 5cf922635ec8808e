/** A process that closes its pool when an answer is there but not yet taken, for a test of how it ends. */
import { Worker } from 'node:worker_threads'
import { ThreadPool } from '../../src/threads/pool.ts'

const start = (): Worker => new Worker(new URL('./odd-jobs.ts', import.meta.url))
const pool = new ThreadPool({ size: 1, maxWaiting: 5, start })
await pool.run(1)
// Where the answer is not yet there after all, it is refused, which is as well.
void pool.run(2).catch(() => undefined)
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
await pool.close()
