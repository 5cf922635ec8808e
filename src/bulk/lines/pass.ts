/** One pass over the input: its chunks are scored by all threads, and their results are written in the order of the chunks. */
import { statSync } from 'node:fs'
import { SeenIdx, type SeenState } from '../../engine/read/seen-idx.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { decodeParts } from '../../tables/decode-text.ts'
import { openInput } from '../../tables/open-input.ts'
import { BufferPool } from '../../workers/buffer-pool.ts'
import type { Checkpoint } from '../checkpoint.ts'
import { type Sink, openAside, standardOutput } from '../output/sink.ts'
import type { RunInput, ScoreRun } from '../run.ts'
import { Summary, type SummaryState } from '../summary.ts'
import { arrayToLines } from './array-to-lines.ts'
import { ChunkPool } from './chunk-pool.ts'
import type { ChunkAnswer, ChunkResult } from './score-chunk.ts'
import { type Chunk, splitLines } from './split-lines.ts'
import { type UnitSample, sampleUnits } from './unit-sample.ts'

const CHUNK_BYTES = 512 * 1024
const CHECKPOINT_MS = 2_000
/** Pages of 64 numbers: 64 MB at most, for three million scattered idx or two hundred million in a row. */
const SEEN_PAGES = 3 << 20
const MOST_REPEATED = 1_000_000
const NONE: ReadonlySet<number> = new Set()

/** Where a run that is resumed goes on. */
export interface LinesState {
  readonly today: number
  /** Records of the input that are done, and the bytes of their results. */
  readonly records: number
  readonly outputBytes: number
  readonly summary: SummaryState
  readonly seen: SeenState
  /** Every idx that was found more than once, and whether this is the second pass over the file because of them. */
  readonly repeated: ReadonlySet<number>
  readonly isSecondPass: boolean
}

export class Pass {
  readonly summary: Summary
  readonly repeated: Set<number>
  readonly isSecondPass: boolean
  readonly unitSample: UnitSample
  private readonly seen = new SeenIdx(SEEN_PAGES)
  private readonly options: ScoreRun
  /** Undefined for an input that can be read only once, and a run that cannot be resumed. */
  private readonly checkpoint: Checkpoint<LinesState> | undefined
  private readonly from: LinesState | undefined
  private readonly buffers = new BufferPool()
  private lastCheckpoint = performance.now()

  /** `repeated`: every idx that comes more than once, where an earlier pass has found them. */
  constructor(
    options: ScoreRun,
    checkpoint: Checkpoint<LinesState> | undefined,
    from: LinesState | undefined,
    repeated?: ReadonlySet<number>,
  ) {
    this.options = options
    this.checkpoint = checkpoint
    this.from = from
    this.unitSample = sampleUnits(options)
    this.summary = new Summary(options.deployment.output, from?.summary)
    this.repeated = new Set(repeated ?? from?.repeated)
    this.isSecondPass = from?.isSecondPass ?? repeated !== undefined
    if (from !== undefined) this.seen.restore(from.seen)
  }

  /** The results go to the aside file of `path`; to the standard output where it is undefined. */
  async run({ path: input, format }: RunInput, path: string | undefined): Promise<void> {
    const { options, from } = this
    const isArray = format === 'json'
    const pool = new ChunkPool(options, isArray, this.isSecondPass ? this.repeated : NONE)
    const sink = path === undefined ? standardOutput() : await openAside(path, from?.outputBytes ?? 0)
    const { bytes, readBytes } = openInput(input)
    const size = this.checkpoint === undefined ? undefined : statSync(input).size
    const text = decodeParts(bytes, 'utf-8')
    const { chunkBytes = CHUNK_BYTES } = options
    const chunks = splitLines(isArray ? arrayToLines(text) : text, chunkBytes, isArray, this.buffers)
    const waiting: Promise<ChunkAnswer>[] = []
    const takeOldest = async (): Promise<void> => {
      const oldest = waiting.shift()
      if (oldest === undefined) return
      await this.take(await oldest, pool, sink)
      const share = size === undefined ? undefined : size === 0 ? 1 : readBytes() / size
      options.onProgress({ records: this.summary.tally.records, share })
    }
    try {
      for await (const chunk of skipCompletedChunks(from?.records ?? 0, chunks)) {
        const answer = pool.run({ chunk, duplicates: NONE })
        // It is awaited in its turn; until then its failure must not count as unhandled.
        answer.catch(() => undefined)
        waiting.push(answer)
        if (waiting.length > options.threads + 1) await takeOldest()
      }
      while (waiting.length > 0) await takeOldest()
      await sink.sync()
    } finally {
      await sink.close()
      await pool.close()
    }
  }

  private async take(answer: ChunkAnswer, pool: ChunkPool, sink: Sink): Promise<void> {
    if ('bad' in answer) throw new BadFile(answer.bad)
    if (answer.tally.records !== answer.chunk.count) throw new Error('records were counted in two ways')
    const duplicates = this.isSecondPass ? NONE : this.duplicatesIn(answer)
    const isFinal = duplicates.size === 0 || this.checkpoint !== undefined
    const final = isFinal ? answer : await pool.run({ chunk: answer.chunk, duplicates })
    if ('bad' in final) throw new BadFile(final.bad)
    await sink.write(final.output)
    this.summary.add(final)
    this.unitSample.add(final.chunk.bytes)
    this.buffers.adopt(final.chunk.bytes.buffer)
    await this.saveState(sink)
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

  private async saveState(sink: Sink): Promise<void> {
    const { today, checkpointMs = CHECKPOINT_MS } = this.options
    const { summary, repeated, isSecondPass } = this
    if (this.checkpoint === undefined || performance.now() - this.lastCheckpoint < checkpointMs) return
    await sink.sync()
    await this.checkpoint.write({
      ...{ today, records: summary.tally.records, outputBytes: sink.size, repeated, isSecondPass, summary },
      seen: this.seen.state(),
    })
    this.lastCheckpoint = performance.now()
  }
}

/** Skips the first `records` records. They must end where a chunk ends, or results would be lost or come twice. */
async function* skipCompletedChunks(records: number, chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
  const notFound = 'the place where the unfinished run stopped is not found in it; start without --resume'
  let end = 0
  for await (const chunk of chunks) {
    end = chunk.first + chunk.count
    if (end <= records) continue
    if (chunk.first < records) throw new BadFile(notFound)
    yield chunk
  }
  if (end < records) throw new BadFile(notFound)
}
