/** Scores the chunks of an input on all threads, and writes their results in the order of the chunks. */
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { packDeployments } from '@patient-risk/catalog'
import { jsonIn } from 'patient-risk-engine/read'
import { SeenIdx, type SeenState, hintOf, hintText } from 'patient-risk-engine'
import { BadFile } from '../../tables/bad-file.ts'
import { decodeParts, openInput } from '../../tables/open-input.ts'
import { splitLines } from '../../tables/split-lines.ts'
import { BufferPool, freeNow, ThreadPool, threadEntry, threadEnv } from '@patient-risk/runtime'
import type { FileFeed, FileFeedState } from '@patient-risk/monitor'
import type { Checkpoint } from '../checkpoint.ts'
import { openFileFeed } from '../file-feed.ts'
import { openTempOutput, print } from '../output/sink.ts'
import type { RunInput, ScoreRun } from '../run.ts'
import { type DaysRead, type RunReport, Summary, type SummaryState, unitFieldsOf } from '../summary.ts'
import { NO_DAYS, bothDays, dateEnding } from './days-read.ts'
import { markRepeated } from './mark-repeated.ts'
import { type ChunkAnswer, type ChunkJob, type ChunkResult, type Task, scoreChunk } from './score-chunk.ts'

/** With the rest of its last line a chunk fills a buffer of 1 MiB. */
export const CHUNK_BYTES = 960 * 1024
const CHECKPOINT_MS = 2_000
/** Chunks that are scored in the process itself: a small file is done before a thread could start. */
export const CHUNKS_WITHOUT_THREADS = 8
/** Pages of 64 numbers: 64 MB at most, for three million scattered idx or two hundred million in a row. */
const SEEN_PAGES = 3 << 20
const MOST_REPEATED = 1_000_000
/** Records whose units are checked: enough for a median, and few enough to cost nothing. */
const SAMPLED_RECORDS = 1_000
const NO_PLACE = 'the place where the unfinished run stopped is not found in it; start without --resume'
const NONE: ReadonlySet<number> = new Set()
const decoder = new TextDecoder()

export interface LinesState {
  /** Records of the input that are done, and the bytes of their results. */
  readonly records: number
  readonly outputBytes: number
  readonly summary: SummaryState
  readonly seen: SeenState
  /** Every idx that was found more than once. */
  readonly repeated: ReadonlySet<number>
  readonly days: DaysRead
  readonly feed: FileFeedState
}

/**
 * The results go to the temp file of `target`; to the standard output where it is undefined. The checkpoint is undefined for an
 * input that can be read only once. Every record of a repeated idx is refused, the first one too: where there are some, the file
 * is read again for these records alone, and `isMarked` says that all rows are in the marked file of `target`.
 */
export async function scoreChunks(
  run: ScoreRun,
  target: string | undefined,
  checkpoint: Checkpoint<LinesState> | undefined,
): Promise<RunReport & { readonly isMarked: boolean }> {
  const [{ path, format }] = run.inputs as [RunInput]
  const { chunkBytes = CHUNK_BYTES, checkpointMs = CHECKPOINT_MS } = run
  const from = checkpoint?.from
  const isArray = format === 'json'
  const repeated = new Set(from?.repeated)
  const summary = new Summary(run.deployment.output, from?.summary)
  const sample: unknown[] = []
  const seen = new SeenIdx(SEEN_PAGES)
  if (from !== undefined) seen.restore(from.seen)
  const buffers = new BufferPool()
  const memory = { take: buffers.take.bind(buffers), free: freeNow }
  const feed = openFileFeed(run, from?.feed)
  const pool = openChunkPool(run, isArray, feed)
  let outputBytes = from?.outputBytes ?? 0
  let days = from?.days ?? NO_DAYS
  const temp = target === undefined ? undefined : await openTempOutput(target, outputBytes)
  const { bytes, readBytes } = openInput(path)
  const size = checkpoint === undefined ? undefined : statSync(path).size
  let lastCheckpoint = performance.now()

  const shareOfInput = (): number | undefined => {
    if (size === undefined) return undefined
    return size === 0 ? 1 : readBytes() / size
  }
  const duplicatesIn = (result: ChunkResult): ReadonlySet<number> => {
    const { first } = result.chunk
    const found = seen.addLines(result, first)
    for (const position of found) repeated.add(result.idxs[position - first] as number)
    for (const idxs of result.ambiguousIdxs.values()) for (const idx of idxs) repeated.add(idx)
    if (repeated.size > MOST_REPEATED)
      throw new BadFile(`more than ${MOST_REPEATED} idx come more than once; is this the right column?`)
    return found
  }
  const saveState = async (): Promise<void> => {
    if (checkpoint === undefined || performance.now() - lastCheckpoint < checkpointMs) return
    await temp?.sync()
    const { records } = summary.tally
    await checkpoint.write({
      records,
      outputBytes,
      summary,
      seen: seen.state(),
      repeated,
      days,
      feed: feed.state(),
    })
    lastCheckpoint = performance.now()
  }
  const take = async (result: ChunkResult): Promise<void> => {
    if (result.tally.records !== result.chunk.count) throw new Error('records were counted in two ways')
    const duplicates = duplicatesIn(result)
    const isFinal = duplicates.size === 0 || checkpoint !== undefined
    const final = isFinal ? result : await pool.run({ chunk: result.chunk, duplicates })
    await (temp?.write(final.output) ?? print(final.output))
    outputBytes += final.output.length
    days = bothDays(days, final.days)
    summary.add(final)
    if (result.observed !== undefined) feed.add(result.observed)
    if (sample.length < SAMPLED_RECORDS) {
      const lines = decoder.decode(final.chunk.bytes).split('\n', SAMPLED_RECORDS - sample.length)
      sample.push(...lines.map(jsonIn))
    }
    buffers.adopt(final.chunk.bytes.buffer)
    await saveState()
    run.onProgress({ records: summary.tally.records, share: shareOfInput() })
  }

  const waiting: Promise<ChunkResult>[] = []
  // The records that are done must end where a chunk ends, or results would be lost or come twice.
  const done = from?.records ?? 0
  let end = 0
  try {
    for await (const chunk of splitLines(decodeParts(bytes, 'utf-8'), chunkBytes, isArray, memory)) {
      end = chunk.first + chunk.count
      if (end <= done) continue
      if (chunk.first < done) throw new BadFile(NO_PLACE)
      const result = pool.run({ chunk, duplicates: NONE })
      // It is awaited in its turn; until then its failure must not count as unhandled.
      result.catch(() => undefined)
      waiting.push(result)
      if (waiting.length > run.threads + 1) await take(await (waiting.shift() as Promise<ChunkResult>))
    }
    if (end < done) throw new BadFile(NO_PLACE)
    for (const result of waiting) await take(await result)
    await temp?.sync()
  } finally {
    await temp?.close()
    await pool.close()
  }
  const isMarked = checkpoint !== undefined && target !== undefined && repeated.size > 0
  if (isMarked) {
    const chunks = splitLines(decodeParts(openInput(path).bytes, 'utf-8'), chunkBytes, isArray, memory)
    await markRepeated(chunks, target, repeated, pool.score, summary)
  }
  const notes = unitFieldsOf(run).flatMap((each) => {
    const values = valuesOf(sample, run.columnOptions.map.get(each.field) ?? each.field)
    const middle = [(values.length - 1) >> 1, values.length >> 1].map((place) => values[place] ?? 0)
    return hintOf(each, values.length, ((middle[0] ?? 0) + (middle[1] ?? 0)) / 2).map(hintText)
  })
  const doubts = feed.doubts().map((doubt) => ({ ...doubt, file: path }))
  return { summary, notes, unknown: [], doubts, days, isMarked }
}

/** The threads that score chunks. They are started when the file turns out to be a large one. */
function openChunkPool(run: ScoreRun, isArray: boolean, { collector }: FileFeed) {
  const { catalog, deployment, today, columnOptions, parts, source, words, threads } = run
  const workerData: Task = {
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
    dateEnding: dateEnding(catalog),
  }
  const score = deployment.scorer.linesWith(parts, words)
  // Chunks come and go quickly: a small young generation keeps the resident memory small.
  const options = { workerData, env: threadEnv(), resourceLimits: { maxYoungGenerationSizeMb: 8 } }
  const start = (): Worker => new Worker(threadEntry(import.meta.url, 'worker'), options)
  let pool: ThreadPool | undefined
  let chunks = 0
  const scoreHere = (job: ChunkJob): ChunkAnswer => scoreChunk(workerData, score, collector, job)
  const answer = (job: ChunkJob): ChunkAnswer | Promise<ChunkAnswer> => {
    chunks++
    if (chunks <= CHUNKS_WITHOUT_THREADS) return scoreHere(job)
    pool ??= new ThreadPool({ size: threads, maxWaiting: Infinity, start })
    return pool.run<ChunkAnswer>(job, [job.chunk.bytes.buffer as ArrayBuffer])
  }
  const wellFormed = (answered: ChunkAnswer): ChunkResult => {
    if ('bad' in answered) throw new BadFile(answered.bad)
    return answered
  }
  return {
    run: async (job: ChunkJob): Promise<ChunkResult> => wellFormed(await answer(job)),
    /** In the process itself. */
    score: (job: ChunkJob): ChunkResult => wellFormed(scoreHere(job)),
    close: async (): Promise<void> => pool?.close(),
  }
}

/** The numbers above 0 that records have under a name, in order. */
function valuesOf(records: readonly unknown[], name: string): readonly number[] {
  return records
    .map((record) => (record as Readonly<Record<string, unknown>> | null | undefined)?.[name])
    .filter((value): value is number => typeof value === 'number' && value > 0)
    .sort((a, b) => a - b)
}
