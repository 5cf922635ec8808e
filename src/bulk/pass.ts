/** One look at the whole input: its pieces go through all threads, and their results are written in the order of the pieces. */
import { Worker } from 'node:worker_threads'
import { SeenIdx, type SeenState } from '../engine/read/seen-idx.ts'
import { threadEntry } from '../workers/entry.ts'
import { BufferPool } from '../workers/buffer-pool.ts'
import { ThreadPool } from '../workers/pool.ts'
import { BadFile } from '../tables/bad-file.ts'
import type { Chunk } from '../tables/chunk.ts'
import { identityOf } from '../tables/open-input.ts'
import { type Checkpoint, writeCheckpoint } from './checkpoint.ts'
import type { RunOptions } from './options.ts'
import { piecesBehind } from './pieces-behind.ts'
import { prepare } from './prepare.ts'
import { Results } from './results.ts'
import { Summary } from './summary.ts'
import type { ChunkAnswer, ChunkResult } from './task.ts'

const CHECKPOINT_MS = 2_000
/** Pages of 64 numbers: 64 MB at most, for three million scattered idx or two hundred million in a row. */
const SEEN_PAGES = 3 << 20
const MOST_REPEATED = 1_000_000
const NONE: ReadonlySet<number> = new Set()

/** What a pass knows before it begins. */
export interface PassStart {
  readonly identity: string
  /** What the input is; undefined for a pipe, which can be looked at only once. */
  readonly file: string | undefined
  /** Whether it writes results, or only looks which idx come more than once. */
  readonly writes: boolean
  /** Where an earlier run was interrupted. */
  readonly from?: { readonly state: Checkpoint; readonly seen: SeenState }
  /** Every idx that comes more than once, where an earlier look has found them. */
  readonly repeated?: ReadonlySet<number>
}

export class Pass {
  readonly summary: Summary
  readonly repeated: Set<number>
  readonly isSecondLook: boolean
  private readonly seen = new SeenIdx(SEEN_PAGES)
  private readonly options: RunOptions
  private readonly start: PassStart
  private readonly results: Results
  private lastCheckpoint = performance.now()
  /** Whether there is something to go on from. */
  private hasCheckpoint: boolean
  private readonly buffers = new BufferPool()

  constructor(options: RunOptions, start: PassStart) {
    this.options = options
    this.start = start
    this.results = new Results(options)
    this.summary = new Summary(options.deployment.output)
    const { from, repeated } = start
    this.hasCheckpoint = from !== undefined
    this.repeated = new Set(repeated ?? from?.state.repeated)
    this.isSecondLook = from?.state.isSecondLook ?? repeated !== undefined
    if (from === undefined) return
    this.summary.restore(from.state.summary)
    this.seen.restore(from.seen)
  }

  async run(): Promise<void> {
    const { options, start } = this
    const repeated = this.isSecondLook ? this.repeated : NONE
    const prepared = await prepare(options, { writes: start.writes, repeated }, this.buffers)
    const pool = new ThreadPool({
      size: options.threads,
      maxWaiting: Infinity,
      start: () =>
        new Worker(threadEntry(import.meta.url, 'worker'), {
          workerData: prepared.task,
          env: {},
          // Pieces come and go quickly: a small nursery keeps what is resident small.
          resourceLimits: { maxYoungGenerationSizeMb: 8 },
        }),
    })
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
        const answer = pool.run<ChunkAnswer>({ chunk, duplicates: NONE }, transferOf(chunk))
        // It is awaited in its turn; until then its failure must not count as unheard.
        answer.catch(() => undefined)
        waiting.push(answer)
      }
      for await (const chunk of piecesBehind(start.from?.state.records ?? 0, prepared.chunks)) {
        ask(chunk)
        if (waiting.length > options.threads + 1) await takeOldest()
      }
      while (waiting.length > 0) await takeOldest()
      await this.checkUnchanged()
      await this.results.end(this.summary.tally.records)
    } catch (error) {
      await this.abandon(error)
    } finally {
      prepared.close()
      await pool.close()
    }
  }

  /** The result appears under its own name. */
  finish(): Promise<void> {
    return this.results.publish()
  }

  private async take(answer: ChunkAnswer, pool: ThreadPool): Promise<void> {
    if ('bad' in answer) throw new BadFile(answer.bad)
    if (answer.tally.records !== answer.chunk.count) throw new Error('records were counted in two ways')
    const duplicates = this.isSecondLook ? NONE : this.duplicatesIn(answer)
    const isLast = duplicates.size > 0 && this.start.file === undefined
    const final = isLast ? await this.again(answer, duplicates, pool) : answer
    await this.results.write(final)
    this.summary.add(final)
    if (final.chunk.kind === 'text') this.buffers.adopt(final.chunk.bytes.buffer)
    await this.checkpoint()
  }

  /** Positions of records whose idx an earlier record has. */
  private duplicatesIn({ idxs, chunk }: ChunkResult): ReadonlySet<number> {
    const found = new Set<number>()
    idxs.forEach((idx, index) => {
      if (Number.isNaN(idx) || this.seen.add(idx)) return
      found.add(chunk.first + index)
      this.repeated.add(idx)
    })
    if (this.repeated.size > MOST_REPEATED) {
      throw new BadFile(`more than ${MOST_REPEATED} idx come more than once; is this the right column?`)
    }
    return found
  }

  private async again(
    answer: ChunkResult,
    duplicates: ReadonlySet<number>,
    pool: ThreadPool,
  ): Promise<ChunkResult> {
    const { chunk } = answer
    const second = await pool.run<ChunkAnswer>({ chunk, duplicates }, transferOf(chunk))
    if ('bad' in second) throw new BadFile(second.bad)
    return second
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
      isSecondLook: this.isSecondLook,
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

  /** Leaves behind what a resumed run goes on from, and where there is no going on, nothing. */
  private async abandon(error: unknown): Promise<never> {
    await this.results.close().catch(() => undefined)
    const canGoOn = this.hasCheckpoint && !(error instanceof BadFile)
    if (this.start.writes && !canGoOn) await this.results.discard()
    throw error
  }
}

function transferOf(chunk: Chunk): ArrayBuffer[] {
  return chunk.kind === 'text' ? [chunk.bytes.buffer as ArrayBuffer] : []
}
