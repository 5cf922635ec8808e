/** One pass over the input: its pieces are scored by all threads, and their results are written in the order of the pieces. */
import { Worker } from 'node:worker_threads'
import { SeenIdx, type SeenState } from '../../engine/read/seen-idx.ts'
import { threadEntry } from '../../workers/entry.ts'
import { BufferPool } from '../../workers/buffer-pool.ts'
import { ThreadPool } from '../../workers/pool.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { identityOf } from '../../tables/open-input.ts'
import { Summary } from '../summary.ts'
import { type Checkpoint, writeCheckpoint } from './checkpoint.ts'
import type { Chunk } from './chunk.ts'
import { type LinesRun, type Prepared, prepare, skipCompletedChunks } from './prepare.ts'
import { Results } from './results.ts'
import { makeChunkScorer } from './score-chunk.ts'
import type { ChunkAnswer, ChunkJob, ChunkResult, Task } from './task.ts'
import { type UnitSample, sampleUnits } from './unit-sample.ts'

const CHECKPOINT_MS = 2_000
/** Pages of 64 numbers: 64 MB at most, for three million scattered idx or two hundred million in a row. */
const SEEN_PAGES = 3 << 20
const MOST_REPEATED = 1_000_000
const NONE: ReadonlySet<number> = new Set()

/** What a pass knows before it begins. */
export interface PassStart {
  readonly identity: string
  /** What the input is; undefined for a pipe, which can be read only once. */
  readonly file: string | undefined
  /** Whether it writes results, or only finds the idx that come more than once. */
  readonly writes: boolean
  /** Where an earlier run was interrupted. */
  readonly from?: { readonly state: Checkpoint; readonly seen: SeenState }
  /** Every idx that comes more than once, where an earlier pass has found them. */
  readonly repeated?: ReadonlySet<number>
}

export class Pass {
  readonly summary: Summary
  readonly repeated: Set<number>
  readonly isSecondPass: boolean
  private readonly seen = new SeenIdx(SEEN_PAGES)
  private readonly options: LinesRun
  private readonly start: PassStart
  private readonly results: Results
  private readonly unitSample: UnitSample
  private lastCheckpoint = performance.now()
  /** Whether there is something to resume from. */
  private hasCheckpoint: boolean
  private readonly buffers = new BufferPool()

  constructor(options: LinesRun, start: PassStart) {
    this.options = options
    this.start = start
    this.results = new Results(options)
    this.unitSample = sampleUnits(options)
    this.summary = new Summary(options.deployment.output)
    const { from, repeated } = start
    this.hasCheckpoint = from !== undefined
    this.repeated = new Set(repeated ?? from?.state.repeated)
    this.isSecondPass = from?.state.isSecondPass ?? repeated !== undefined
    if (from === undefined) return
    this.summary.restore(from.state.summary)
    this.seen.restore(from.seen)
  }

  async run(): Promise<void> {
    const { options, start } = this
    const repeated = this.isSecondPass ? this.repeated : NONE
    const prepared = prepare(options, { writes: start.writes, repeated }, this.buffers)
    const pool = new ChunkPool(options, prepared)
    try {
      if (start.writes) await this.results.open(start.from?.state)
      const waiting: Promise<ChunkAnswer>[] = []
      const takeOldest = async (): Promise<void> => {
        const oldest = waiting.shift()
        if (oldest === undefined) return
        await this.take(await oldest, pool)
        options.onProgress({ records: this.summary.tally.records, share: prepared.share() })
      }
      const ask = (chunk: Chunk): void => {
        const answer = pool.run({ chunk, duplicates: NONE })
        // It is awaited in its turn; until then its failure must not count as unhandled.
        answer.catch(() => undefined)
        waiting.push(answer)
      }
      for await (const chunk of skipCompletedChunks(start.from?.state.records ?? 0, prepared.chunks)) {
        ask(chunk)
        if (waiting.length > options.threads + 1) await takeOldest()
      }
      while (waiting.length > 0) await takeOldest()
      await this.checkUnchanged()
      await this.results.end(this.summary.tally.records)
    } catch (error) {
      await this.abandon(error)
    } finally {
      await pool.close()
    }
  }

  /** The result appears under its own name. */
  finish(): Promise<void> {
    this.summary.unitDoubts = this.unitSample.doubts()
    return this.results.publish()
  }

  private async take(answer: ChunkAnswer, pool: ChunkPool): Promise<void> {
    if ('bad' in answer) throw new BadFile(answer.bad)
    if (answer.tally.records !== answer.chunk.count) throw new Error('records were counted in two ways')
    const duplicates = this.isSecondPass ? NONE : this.duplicatesIn(answer)
    const isLast = duplicates.size > 0 && this.start.file === undefined
    const final = isLast ? await pool.run({ chunk: answer.chunk, duplicates }) : answer
    if ('bad' in final) throw new BadFile(final.bad)
    await this.results.write(final)
    this.summary.add(final)
    this.unitSample.add(final.chunk.bytes)
    this.buffers.adopt(final.chunk.bytes.buffer)
    await this.checkpoint()
  }

  /** Positions of records whose idx an earlier record has. */
  private duplicatesIn(answer: ChunkResult): ReadonlySet<number> {
    const { first } = answer.chunk
    const found = this.seen.addLines(answer, first)
    for (const position of found) this.repeated.add(answer.idxs[position - first] as number)
    for (const idxs of answer.claimed.values()) for (const idx of idxs) this.repeated.add(idx)
    if (this.repeated.size > MOST_REPEATED) {
      throw new BadFile(`more than ${MOST_REPEATED} idx come more than once; is this the right column?`)
    }
    return found
  }

  private get isResumable(): boolean {
    return this.options.output !== undefined && this.start.file !== undefined
  }

  private async checkpoint(): Promise<void> {
    const { output, today, checkpointMs = CHECKPOINT_MS } = this.options
    const { identity } = this.start
    if (output === undefined || !this.isResumable) return
    if (performance.now() - this.lastCheckpoint < checkpointMs) return
    const state: Checkpoint = {
      ...{ identity, today, records: this.summary.tally.records },
      ...(await this.results.sync()),
      summary: this.summary.state(),
      repeated: [...this.repeated],
      isSecondPass: this.isSecondPass,
    }
    await writeCheckpoint(output, state, this.seen.state())
    this.hasCheckpoint = true
    this.lastCheckpoint = performance.now()
  }

  /** A file that is still being written would be scored in part, or in parts that do not belong together. */
  private async checkUnchanged(): Promise<void> {
    const { file } = this.start
    if (file !== undefined && (await identityOf(this.options.input)) !== file) {
      throw new BadFile('has changed while it was read; start again when it is whole')
    }
  }

  /** Keeps what a resumed run continues from; where it cannot be resumed, everything is removed. */
  private async abandon(error: unknown): Promise<never> {
    await this.results.close().catch(() => undefined)
    const canGoOn = this.hasCheckpoint && !(error instanceof BadFile)
    if (this.start.writes && !canGoOn) await this.results.discard()
    throw error
  }
}

/** Pieces that are scored in the process itself before threads are started: a small file is done before a thread could start. */
const CHUNKS_WITHOUT_THREADS = 8

class ChunkPool {
  private readonly options: LinesRun
  private readonly task: Task
  private readonly scoreHere: (job: ChunkJob) => ChunkAnswer
  private pool: ThreadPool | undefined
  private chunks = 0

  constructor(options: LinesRun, { task }: Prepared) {
    this.options = options
    this.task = task
    this.scoreHere = makeChunkScorer(task, options.deployment.scorer.lines.score)
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
      size: this.options.threads,
      maxWaiting: Infinity,
      start: () =>
        new Worker(threadEntry(import.meta.url, 'worker'), {
          workerData: this.task,
          env: {},
          // Pieces come and go quickly: a small nursery keeps the resident memory small.
          resourceLimits: { maxYoungGenerationSizeMb: 8 },
        }),
    })
  }
}
