/** The threads that score chunks. They are started when the file turns out to be a large one. */
import { Worker } from 'node:worker_threads'
import { packDeployments } from '../../catalog/portable.ts'
import { ThreadPool, threadEntry } from '../../workers/pool.ts'
import type { ScoreRun } from '../run.ts'
import { type ChunkAnswer, type ChunkJob, type Task, makeChunkScorer } from './score-chunk.ts'

/** Chunks that are scored in the process itself: a small file is done before a thread could start. */
const CHUNKS_WITHOUT_THREADS = 8

export class ChunkPool {
  private readonly threads: number
  private readonly task: Task
  private readonly scoreHere: (job: ChunkJob) => ChunkAnswer
  private pool: ThreadPool | undefined
  private chunks = 0

  constructor(run: ScoreRun, isArray: boolean, repeated: ReadonlySet<number>) {
    const { catalog, deployment, today, reading, threads } = run
    this.threads = threads
    this.task = {
      portable: packDeployments(catalog, [deployment]),
      deployment: deployment.name,
      today,
      isArray,
      rename: new Map([...reading.map].map(([ours, theirs]) => [theirs, ours])),
      keep: reading.keep,
      isNumbered: reading.isNumbered,
      repeated,
    }
    this.scoreHere = makeChunkScorer(this.task, deployment.scorer.lines.score)
  }

  run(job: ChunkJob): Promise<ChunkAnswer> {
    if (this.chunks++ < CHUNKS_WITHOUT_THREADS) return Promise.resolve(this.scoreHere(job))
    this.pool ??= this.start()
    return this.pool.run<ChunkAnswer>(job, [job.chunk.bytes.buffer as ArrayBuffer])
  }

  async close(): Promise<void> {
    await this.pool?.close()
  }

  private start(): ThreadPool {
    return new ThreadPool({
      size: this.threads,
      maxWaiting: Infinity,
      start: () =>
        new Worker(threadEntry(import.meta.url, 'worker'), {
          workerData: this.task,
          env: {},
          // Chunks come and go quickly: a small young generation keeps the resident memory small.
          resourceLimits: { maxYoungGenerationSizeMb: 8 },
        }),
    })
  }
}
