/** The settings of a run over files and what it reports, for all formats. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Deployment } from '../catalog/deployment.ts'
import type { TableReading } from './tables/table-reading.ts'

export interface ScoreRun {
  readonly catalog: Catalog
  readonly deployment: Deployment
  readonly today: number
  /** Tables, or one file of JSON or NDJSON. A path is `-` for the standard input. */
  readonly inputs: readonly RunInput[]
  /** A path; undefined for the standard output. */
  readonly output: string | undefined
  readonly to: WrittenFormat
  readonly compression: Compression | undefined
  readonly errors: string | undefined
  readonly errorsTo: ErrorsFormat | undefined
  /** JSON has names, kept keys and numbering only. */
  readonly reading: TableReading
  readonly threads: number
  readonly isResumed: boolean
  readonly onProgress: (progress: Progress) => void
  /** Smaller chunks of JSON and more frequent checkpoints, for tests. */
  readonly chunkBytes?: number
  readonly checkpointMs?: number
}

export interface RunInput {
  readonly path: string
  readonly format: Format
}

export interface Progress {
  /** Records that are done; undefined where they are not counted on the way. */
  readonly records: number | undefined
  /** The share of the input that is done, from 0 to 1; undefined where its size is not known. */
  readonly share: number | undefined
}

/** The formats of a file of records, by the endings of its name. */
export const FORMATS = ['json', 'ndjson', 'csv', 'parquet', 'xlsx'] as const
export type Format = (typeof FORMATS)[number]

export const WRITTEN_FORMATS = ['json', 'ndjson', 'csv', 'tsv', 'parquet'] as const
export type WrittenFormat = (typeof WRITTEN_FORMATS)[number]
export type ErrorsFormat = Extract<WrittenFormat, 'ndjson' | 'csv' | 'tsv'>
export type Compression = 'gzip' | 'zstd'

const COMPRESSIONS: Readonly<Record<string, Compression>> = { gz: 'gzip', zst: 'zstd' }

/** The format of a file by its name, for reading and for writing. */
export function formatOf(path: string): {
  readonly format: Format | undefined
  readonly written: WrittenFormat | undefined
  readonly compression: Compression | undefined
} {
  const endings = path.toLowerCase().split('.').slice(1)
  const compression = COMPRESSIONS[endings[endings.length - 1] ?? '']
  const ending = endings.at(compression === undefined ? -1 : -2)
  const name = ending === 'jsonl' ? 'ndjson' : ending
  return {
    format: FORMATS.find((each) => each === (name === 'tsv' ? 'csv' : name)),
    written: WRITTEN_FORMATS.find((each) => each === name),
    compression,
  }
}

export function isTextFormat(format: Format | WrittenFormat): boolean {
  return format === 'json' || format === 'ndjson'
}
