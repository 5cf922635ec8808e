/** Scores the chunks of an input on all threads, and writes their results in the order of the chunks. */
import { statSync } from 'node:fs'
import { jsonIn } from 'patient-risk-engine/read'
import { SeenIdx, type SeenState, hintOf, hintText } from 'patient-risk-engine'
import { BadFile } from '../../tables/bad-file.ts'
import { openInput } from '../../tables/open-input.ts'
import type { Chunk } from '../../tables/split-lines.ts'
import type { FeedDoubt, FileFeedState } from '@patient-risk/monitor'
import type { Checkpoint } from '../checkpoint.ts'
import { openFileFeed } from '../file-feed.ts'
import { openTempOutput, print } from '../output/sink.ts'
import type { RunInput, ScoreRun } from '../run.ts'
import { type DaysRead, type RunReport, Summary, type SummaryState, unitFieldsOf } from '../summary.ts'
import { ChunkPool } from './chunk-pool.ts'
import { NO_DAYS, bothDays } from './days-read.ts'
import { markRepeated } from './mark-repeated.ts'
import type { ChunkResult } from './score-chunk.ts'

const CHECKPOINT_MS = 2_000
/** Pages of 64 numbers: 64 MB at most, for three million scattered idx or two hundred million in a row. */
const SEEN_PAGES = 3 << 20
const MOST_REPEATED = 1_000_000
/** Records whose units are checked: enough for a median, and few enough to cost nothing. */
const SAMPLED_RECORDS = 1_000
const NO_PLACE = 'the place where the unfinished run stopped is not found in it; start without --resume'
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

export interface LinesFiles {
  /** Where the input is read: itself, or a copy of it. */
  readonly source: string
  /** The results go to its temp file; to the standard output where it is undefined. */
  readonly target: string | undefined
  /** Undefined for an input that can be read only once. */
  readonly checkpoint: Checkpoint<LinesState> | undefined
}

/**
 * Every record of a repeated idx is refused, the first one too: where there are some, the file is read again for these records alone,
 * and `isMarked` says that all rows are in the marked file of `target`. `noticed` are the doubts that the notices of results name.
 */
export async function scoreChunks(
  run: ScoreRun,
  { source, target, checkpoint }: LinesFiles,
  noticed: readonly FeedDoubt[],
): Promise<RunReport & { readonly isMarked: boolean }> {
  const [{ path, format }] = run.inputs as [RunInput]
  const { checkpointMs = CHECKPOINT_MS } = run
  const from = checkpoint?.from
  const repeated = new Set(from?.repeated)
  const summary = new Summary(run.deployment.output, from?.summary)
  const sample: unknown[] = []
  const seen = new SeenIdx(SEEN_PAGES)
  if (from !== undefined) seen.restore(from.seen)
  const feed = openFileFeed(run, from?.feed)
  const pool = new ChunkPool(run, format === 'json', feed, noticed)
  let outputBytes = from?.outputBytes ?? 0
  let days = from?.days ?? NO_DAYS
  const temp = target === undefined ? undefined : await openTempOutput(target, outputBytes)
  const { bytes, readBytes } = openInput(source)
  const size = checkpoint === undefined ? undefined : statSync(source).size
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
    pool.reuse(final)
    await saveState()
    run.onProgress({ records: summary.tally.records, share: shareOfInput() })
  }

  try {
    for await (const result of pool.results(chunksAfter(pool.chunks(bytes), from?.records ?? 0)))
      await take(result)
    await temp?.sync()
  } finally {
    await temp?.close()
    await pool.close()
  }
  const isMarked = checkpoint !== undefined && target !== undefined && repeated.size > 0
  if (isMarked) {
    const again = pool.chunks(openInput(source).bytes)
    await markRepeated(again, target, repeated, pool.runHere.bind(pool), summary)
  }
  const notes = unitFieldsOf(run).flatMap((each) => {
    const values = valuesOf(sample, run.columnOptions.map.get(each.field) ?? each.field)
    const middle = [(values.length - 1) >> 1, values.length >> 1].map((place) => values[place] ?? 0)
    return hintOf(each, values.length, ((middle[0] ?? 0) + (middle[1] ?? 0)) / 2).map(hintText)
  })
  const doubts = feed.doubts().map((doubt) => ({ ...doubt, file: path }))
  return { summary, notes, unknown: [], doubts, days, isMarked }
}

/** The records that are done must end where a chunk ends, or results would be lost or come twice. */
async function* chunksAfter(chunks: AsyncIterable<Chunk>, done: number): AsyncGenerator<Chunk> {
  let end = 0
  for await (const chunk of chunks) {
    end = chunk.first + chunk.count
    if (end <= done) continue
    if (chunk.first < done) throw new BadFile(NO_PLACE)
    yield chunk
  }
  if (end < done) throw new BadFile(NO_PLACE)
}

/** The numbers above 0 that records have under a name, in order. */
function valuesOf(records: readonly unknown[], name: string): readonly number[] {
  return records
    .map((record) => (record as Readonly<Record<string, unknown>> | null | undefined)?.[name])
    .filter((value): value is number => typeof value === 'number' && value > 0)
    .sort((a, b) => a - b)
}
