/** The threads that score chunks. They are started when the file turns out to be a large one. */
import { Worker } from 'node:worker_threads'
import { packDeployments } from '../../catalog/portable.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { ThreadPool, threadEntry } from '../../workers/pool.ts'
import type { ScoreRun } from '../run.ts'
import { type ChunkAnswer, type ChunkJob, type ChunkResult, type Task, scoreChunk } from './score-chunk.ts'

/** Chunks that are scored in the process itself: a small file is done before a thread could start. */
const CHUNKS_WITHOUT_THREADS = 8

export interface ChunkPool {
  run(job: ChunkJob): Promise<ChunkResult>
  close(): Promise<void>
}

export function openChunkPool(run: ScoreRun, isArray: boolean, repeated: ReadonlySet<number>): ChunkPool {
  const { catalog, deployment, today, reading, threads } = run
  const workerData: Task = {
    portable: packDeployments(catalog, [deployment]),
    deployment: deployment.name,
    today,
    isArray,
    rename: new Map([...reading.map].map(([ours, theirs]) => [theirs, ours])),
    keep: reading.keep,
    isNumbered: reading.isNumbered,
    repeated,
  }
  // Chunks come and go quickly: a small young generation keeps the resident memory small.
  const options = { workerData, env: {}, resourceLimits: { maxYoungGenerationSizeMb: 8 } }
  const start = (): Worker => new Worker(threadEntry(import.meta.url, 'worker'), options)
  let pool: ThreadPool | undefined
  let chunks = 0
  const answer = (job: ChunkJob): ChunkAnswer | Promise<ChunkAnswer> => {
    if (chunks++ < CHUNKS_WITHOUT_THREADS) return scoreChunk(workerData, deployment.scorer.lines.score, job)
    pool ??= new ThreadPool({ size: threads, maxWaiting: Infinity, start })
    return pool.run<ChunkAnswer>(job, [job.chunk.bytes.buffer as ArrayBuffer])
  }
  return {
    async run(job) {
      const answered = await answer(job)
      if ('bad' in answered) throw new BadFile(answered.bad)
      return answered
    },
    close: async () => pool?.close(),
  }
}
