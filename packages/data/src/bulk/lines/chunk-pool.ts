/** The threads that score the chunks of an input. They are started when the file turns out to be a large one. */
import { Worker } from 'node:worker_threads'
import { packDeployments } from '@patient-risk/catalog'
import { type FeedDoubt, type FileFeed, noticeOf } from '@patient-risk/monitor'
import { BufferPool, ThreadPool, freeNow, threadEntry, threadEnv } from '@patient-risk/runtime'
import type { LineCall } from 'patient-risk-engine'
import { BadFile } from '../../tables/bad-file.ts'
import { decodeParts } from '../../tables/open-input.ts'
import { type Chunk, type ChunkMemory, splitLines } from '../../tables/split-lines.ts'
import type { ScoreRun } from '../run.ts'
import { dateEnding } from './days-read.ts'
import { type ChunkAnswer, type ChunkJob, type ChunkResult, type Task, scoreChunk } from './score-chunk.ts'

/** With the rest of its last line a chunk fills a buffer of 1 MiB. */
export const CHUNK_BYTES = 960 * 1024
/** Chunks that are scored in the process itself: a small file is done before a thread could start. */
export const CHUNKS_WITHOUT_THREADS = 8
const NONE: ReadonlySet<number> = new Set()

export class ChunkPool {
  private readonly task: Task
  private readonly lineCall: LineCall
  private readonly feed: FileFeed
  private readonly threads: number
  private readonly chunkBytes: number
  private readonly buffers = new BufferPool()
  private readonly memory: ChunkMemory = { take: this.buffers.take.bind(this.buffers), free: freeNow }
  private pool: ThreadPool | undefined
  private started = 0

  /** `feed` watches what is scored in this process. The results have notices of these doubts. */
  constructor(run: ScoreRun, isArray: boolean, feed: FileFeed, doubts: readonly FeedDoubt[]) {
    const { catalog, deployment, today, columnOptions, parts, source, words } = run
    this.task = {
      portable: packDeployments(catalog, [deployment]),
      deployment: deployment.name,
      today,
      isArray,
      rename: new Map([...columnOptions.map].map(([ours, theirs]) => [theirs, ours])),
      keep: columnOptions.keep,
      isNumbered: columnOptions.isNumbered,
      parts,
      source,
      words,
      feed: doubts.map(noticeOf),
      dateEnding: dateEnding(catalog),
    }
    this.lineCall = deployment.scorer.linesWith(parts, words)
    this.feed = feed
    this.threads = run.threads
    this.chunkBytes = run.chunkBytes ?? CHUNK_BYTES
  }

  /** The input in chunks. Their memory is used again for those that `reuse` was told of. */
  chunks(bytes: AsyncIterable<Buffer>): AsyncGenerator<Chunk> {
    const { chunkBytes, memory, task } = this
    return splitLines(decodeParts(bytes, 'utf-8'), chunkBytes, task.isArray, memory)
  }

  /** The results of chunks, in their order; a few more are at work. */
  async *results(chunks: AsyncIterable<Chunk>): AsyncGenerator<ChunkResult> {
    const waiting: Promise<ChunkResult>[] = []
    for await (const chunk of chunks) {
      const result = this.run({ chunk, duplicates: NONE })
      // It is awaited in its turn; until then its failure must not count as unhandled.
      result.catch(() => undefined)
      waiting.push(result)
      if (waiting.length > this.threads + 1) yield await (waiting.shift() as Promise<ChunkResult>)
    }
    for (const result of waiting) yield await result
  }

  async run(job: ChunkJob): Promise<ChunkResult> {
    return wellFormed(await this.answer(job))
  }

  /** In the process itself. */
  runHere(job: ChunkJob): ChunkResult {
    return wellFormed(this.answerHere(job))
  }

  /** Takes back the memory of a chunk that nobody reads any more. */
  reuse({ chunk }: ChunkResult): void {
    this.buffers.adopt(chunk.bytes.buffer)
  }

  async close(): Promise<void> {
    await this.pool?.close()
  }

  private answer(job: ChunkJob): ChunkAnswer | Promise<ChunkAnswer> {
    this.started++
    if (this.started <= CHUNKS_WITHOUT_THREADS) return this.answerHere(job)
    // Chunks come and go quickly: a small young generation keeps the resident memory small.
    const options = {
      workerData: this.task,
      env: threadEnv(),
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    }
    const start = (): Worker => new Worker(threadEntry(import.meta.url, 'worker'), options)
    this.pool ??= new ThreadPool({ size: this.threads, maxWaiting: Infinity, start })
    return this.pool.run<ChunkAnswer>(job, [job.chunk.bytes.buffer as ArrayBuffer])
  }

  private answerHere(job: ChunkJob): ChunkAnswer {
    return scoreChunk(this.task, this.lineCall, this.feed.collector, job)
  }
}

function wellFormed(answered: ChunkAnswer): ChunkResult {
  if ('bad' in answered) throw new BadFile(answered.bad)
  return answered
}
