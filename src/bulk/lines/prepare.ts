/** What is known of a run before its first record: the task of its threads, and the pieces to come. */
import { statSync } from 'node:fs'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Deployment } from '../../catalog/deployment.ts'
import { packDeployments } from '../../catalog/portable.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { decodeParts } from '../../tables/decode-text.ts'
import { isReadOnce, openInput } from '../../tables/open-input.ts'
import type { BufferPool } from '../../workers/buffer-pool.ts'
import type { Compression, ErrorsFormat, TextFormat, WrittenFormat } from '../format.ts'
import type { Progress } from '../progress.ts'
import { CHUNK_BYTES, type Chunk } from './chunk.ts'
import { splitJson } from './split-json.ts'
import { splitNdjson } from './split-ndjson.ts'
import type { Task } from './task.ts'

export interface LinesRun {
  readonly catalog: Catalog
  readonly deployment: Deployment
  /** A path, or `-` for the standard input. */
  readonly input: string
  readonly from: TextFormat
  /** A path; undefined for the standard output. */
  readonly output: string | undefined
  readonly to: WrittenFormat
  readonly compression: Compression | undefined
  readonly errors: string | undefined
  readonly errorsTo: ErrorsFormat | undefined
  /** Our names to theirs. */
  readonly map: ReadonlyMap<string, string>
  readonly keep: readonly string[]
  readonly isNumbered: boolean
  readonly threads: number
  readonly today: number
  readonly isResumed: boolean
  readonly onProgress: (progress: Progress) => void
  /** Smaller pieces and more frequent checkpoints, for tests. */
  readonly chunkBytes?: number
  readonly checkpointMs?: number
}

export interface Prepared {
  readonly task: Task
  readonly chunks: AsyncIterable<Chunk>
  /** How much of the input has been read, from 0 to 1. */
  share(): number | undefined
}

/** Whether rows are first written in the form that was asked for; otherwise the table engine converts them at the end. */
export function isDirect({
  to,
  output,
  compression,
}: Pick<LinesRun, 'to' | 'output' | 'compression'>): boolean {
  if (to === 'ndjson') return compression !== 'zstd'
  return to === 'json' && (output === undefined || compression !== 'zstd')
}

export function prepare(
  run: LinesRun,
  pass: Pick<Task, 'writes' | 'repeated'>,
  buffers: BufferPool,
): Prepared {
  const { input, deployment } = run
  const { bytes, readBytes } = openInput(input)
  const text = decodeParts(bytes, 'utf-8')
  const size = isReadOnce(input) ? undefined : statSync(input).size
  const chunkBytes = run.chunkBytes ?? CHUNK_BYTES
  const direct = isDirect(run)
  return {
    task: {
      portable: packDeployments(run.catalog, [deployment]),
      deployment: deployment.name,
      today: run.today,
      from: run.from,
      to: direct && run.to === 'json' ? 'json' : 'ndjson',
      gzip: direct && run.compression === 'gzip',
      wantsErrors: run.errors !== undefined,
      ...pass,
      rename: new Map([...run.map].map(([ours, theirs]) => [theirs, ours])),
      keep: run.keep,
      isNumbered: run.isNumbered,
    },
    chunks: run.from === 'json' ? splitJson(text, chunkBytes) : splitNdjson(text, chunkBytes, buffers),
    share: () => (size === undefined ? undefined : size === 0 ? 1 : readBytes() / size),
  }
}

/** Skips the first `records` records. They must end where a piece ends, or results would be lost or come twice. */
export async function* skipCompletedChunks(
  records: number,
  chunks: AsyncIterable<Chunk>,
): AsyncGenerator<Chunk> {
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
