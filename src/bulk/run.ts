/** A run over a file: its pieces go through all threads and come out in their order, and the result appears when it is whole. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { Worker } from 'node:worker_threads'
import { createGzip, gzipSync } from 'node:zlib'
import { SeenIdx } from '../engine/seen-idx.ts'
import { threadEntry } from '../threads/entry.ts'
import { BufferPool } from '../threads/buffer-pool.ts'
import { ThreadPool } from '../threads/pool.ts'
import { BadFile } from '../tables/bad-file.ts'
import { type Checkpoint, readCheckpoint, removeCheckpoint, writeCheckpoint } from './checkpoint.ts'
import type { Chunk } from '../tables/chunk.ts'
import { STANDARD_INPUT, identityOf } from '../tables/open-input.ts'
import type { RunOptions } from './options.ts'
import { writeParquet } from './parquet-output.ts'
import { prepare } from './prepare.ts'
import { csvHeader } from './print-results.ts'
import { type Sink, asideName, discard, openAside, publish, standardOutput } from './sink.ts'
import { Summary } from './summary.ts'
import type { ChunkAnswer, ChunkResult } from './task.ts'

const CHECKPOINT_MS = 2_000
/** Pages of 64 numbers: 64 MB at most, for three million scattered idx or two hundred million in a row. */
const SEEN_PAGES = 3 << 20
const MOST_REPEATED = 1_000_000
const NONE: ReadonlySet<number> = new Set()

/** Scores the whole input. Throws a BadFile when it cannot be read; then nothing has appeared. */
export async function run(options: RunOptions): Promise<Summary> {
  const identity = options.output === undefined ? '' : await identityOfRun(options)
  const kept =
    options.isResumed && options.output !== undefined ? await readCheckpoint(options.output) : undefined
  if (kept !== undefined && kept.state.identity !== identity) {
    throw new BadFile(
      'the unfinished run was another one: another input, model or set of options; start without --resume',
    )
  }
  const today = kept?.state.today ?? options.today
  let pass = new Pass({ ...options, today }, identity, kept?.state)
  if (kept !== undefined) pass.seen.restore(kept.seen)
  await pass.run()
  if (pass.repeated.size > 0 && !pass.isSecondLook && options.input !== STANDARD_INPUT) {
    // Every record of a repeated idx must be refused, the first one too: the file is looked at again, knowing them.
    pass = new Pass({ ...options, today }, identity, undefined, pass.repeated)
    await pass.run()
  }
  await pass.finish()
  return pass.summary
}

/** Everything that decides what is written. */
async function identityOfRun(options: RunOptions): Promise<string> {
  const { deployment, input, from, to, gzip, errors, map, keep, isNumbered, delimiter, hasDecimalComma } =
    options
  const file = input === STANDARD_INPUT ? input : await identityOf(input)
  const settings = [deployment.name, deployment.model.digest, deployment.scorerOptions]
  const shape = [
    from,
    to,
    gzip,
    errors ?? null,
    [...map],
    keep,
    isNumbered,
    delimiter ?? null,
    hasDecimalComma,
  ]
  const size = options.chunkBytes ?? null
  return createHash('sha256')
    .update(JSON.stringify([file, settings, shape, size]))
    .digest('hex')
}

class Pass {
  readonly summary: Summary
  readonly seen = new SeenIdx(SEEN_PAGES)
  readonly repeated: Set<number>
  readonly isSecondLook: boolean
  private readonly options: RunOptions
  private readonly identity: string
  private readonly from: Checkpoint | undefined
  private chunks: number
  private output: Sink = standardOutput()
  private errors: Sink | undefined
  private lastCheckpoint = performance.now()
  private readonly buffers = new BufferPool()

  constructor(
    options: RunOptions,
    identity: string,
    from: Checkpoint | undefined,
    repeated: ReadonlySet<number> = new Set(from?.repeated),
  ) {
    this.options = options
    this.identity = identity
    this.from = from
    this.chunks = from?.chunks ?? 0
    this.repeated = new Set(repeated)
    this.isSecondLook = from?.isSecondLook ?? repeated.size > 0
    this.summary = new Summary(options.deployment.output)
    if (from !== undefined) this.summary.restore(from.summary)
  }

  async run(): Promise<void> {
    const { options } = this
    const prepared = await prepare(options, this.isSecondLook ? this.repeated : NONE, this.buffers)
    const { task } = prepared
    const pool = new ThreadPool({
      size: options.threads,
      maxWaiting: Infinity,
      start: () =>
        new Worker(threadEntry(import.meta.url, 'worker'), {
          workerData: task,
          env: {},
          // Pieces come and go quickly: a small nursery keeps what is resident small.
          resourceLimits: { maxYoungGenerationSizeMb: 8 },
        }),
    })
    try {
      await this.openSinks()
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
      let read = 0
      for await (const chunk of prepared.chunks) {
        if (read++ < (this.from?.chunks ?? 0)) continue
        ask(chunk)
        if (waiting.length > options.threads + 1) await takeOldest()
      }
      while (waiting.length > 0) await takeOldest()
      await this.writeEnd()
    } catch (error) {
      await this.abandon(error)
    } finally {
      prepared.close()
      await pool.close()
    }
  }

  /** The result appears under its own name. */
  async finish(): Promise<void> {
    const { output, errors, to, gzip, keep, deployment } = this.options
    if (output === undefined) return
    if (to === 'parquet') {
      const rows = asideName(output)
      const table = `${output}.table`
      await writeParquet(rows, table, deployment.output.kind === 'number', keep)
      if (gzip) await pipeline(createReadStream(table), createGzip(), createWriteStream(rows))
      else await rename(table, rows)
      await rm(table, { force: true })
    }
    await publish(output)
    if (errors !== undefined) await publish(errors)
    await removeCheckpoint(output)
  }

  private async openSinks(): Promise<void> {
    const { output, errors, to, gzip, keep } = this.options
    // What an earlier run has left no longer fits what is written from here on.
    if (output !== undefined && this.from === undefined) await removeCheckpoint(output)
    this.output =
      output === undefined ? standardOutput() : await openAside(output, this.from?.outputBytes ?? 0)
    this.errors = errors === undefined ? undefined : await openAside(errors, this.from?.errorsBytes ?? 0)
    if (this.from !== undefined) return
    const header = Buffer.from(csvHeader(keep))
    if (to === 'csv') await this.output.write(gzip ? gzipSync(header) : header)
    if (errors?.toLowerCase().endsWith('.csv') === true) await this.errors?.write(header)
  }

  private async take(answer: ChunkAnswer, pool: ThreadPool): Promise<void> {
    if ('bad' in answer) throw new BadFile(answer.bad)
    if (answer.tally.records !== answer.chunk.count) throw new Error('records were counted in two ways')
    const duplicates = this.isSecondLook ? NONE : this.duplicatesIn(answer)
    const isLast = duplicates.size > 0 && this.options.input === STANDARD_INPUT
    const final = isLast ? await this.again(answer, duplicates, pool) : answer
    await this.output.write(final.output)
    await this.errors?.write(final.errors)
    this.summary.add(final)
    this.chunks++
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

  private async checkpoint(): Promise<void> {
    const { output, input, today, checkpointMs = CHECKPOINT_MS } = this.options
    if (output === undefined || input === STANDARD_INPUT) return
    if (performance.now() - this.lastCheckpoint < checkpointMs) return
    await this.output.sync()
    await this.errors?.sync()
    const state: Checkpoint = {
      ...{ identity: this.identity, today, chunks: this.chunks },
      outputBytes: this.output.size,
      errorsBytes: this.errors?.size ?? 0,
      summary: this.summary.state(),
      repeated: [...this.repeated],
      isSecondLook: this.isSecondLook,
    }
    await writeCheckpoint(output, state, this.seen.state())
    this.lastCheckpoint = performance.now()
  }

  private async writeEnd(): Promise<void> {
    const { to, gzip } = this.options
    if (to === 'json') {
      const end = Buffer.from(this.summary.tally.records === 0 ? '[]\n' : '\n]\n')
      await this.output.write(gzip ? gzipSync(end) : end)
    }
    for (const sink of [this.output, this.errors]) {
      await sink?.sync()
      await sink?.close()
    }
  }

  /** A broken file leaves nothing behind; anything else leaves what a resumed run goes on from. */
  private async abandon(error: unknown): Promise<never> {
    await this.output.close().catch(() => undefined)
    await this.errors?.close().catch(() => undefined)
    const { output, errors } = this.options
    if (error instanceof BadFile && output !== undefined) {
      await discard(output)
      if (errors !== undefined) await discard(errors)
      await removeCheckpoint(output)
    }
    throw error
  }
}

function transferOf(chunk: Chunk): ArrayBuffer[] {
  return chunk.kind === 'text' ? [chunk.bytes.buffer as ArrayBuffer] : []
}
