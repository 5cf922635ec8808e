/** The settings of a run over files and what it reports, for all formats. */
import type { Catalog, Deployment } from '@patient-risk/catalog'
import type { Compression, ErrorsFormat, Format, WrittenFormat } from '../tables/formats.ts'
import type { ColumnOptions } from './tables/table-source.ts'

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
  readonly columnOptions: ColumnOptions
  /** What goes with each result of what it rests on. */
  readonly parts: readonly ResultPart[]
  readonly threads: number
  readonly isResumed: boolean
  readonly onProgress: (progress: Progress) => void
  /** Smaller chunks of JSON and more frequent checkpoints, for tests. */
  readonly chunkBytes?: number
  readonly checkpointMs?: number
}

/** In the order in which a result has them. */
export const RESULT_PARTS = ['notices', 'range'] as const
export type ResultPart = (typeof RESULT_PARTS)[number]

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
