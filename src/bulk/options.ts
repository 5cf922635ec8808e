/** What a run is asked to do. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Deployment } from '../catalog/deployment.ts'
import type { ErrorsFormat, Format, WrittenFormat } from './format.ts'

export interface RunOptions {
  readonly catalog: Catalog
  readonly deployment: Deployment
  /** A path, or `-` for the standard input. */
  readonly input: string
  readonly from: Format
  /** A path; undefined for the standard output. */
  readonly output: string | undefined
  readonly to: WrittenFormat
  readonly gzip: boolean
  readonly errors: string | undefined
  readonly errorsTo: ErrorsFormat | undefined
  /** Our names to theirs. */
  readonly map: ReadonlyMap<string, string>
  readonly keep: readonly string[]
  readonly isNumbered: boolean
  readonly delimiter: string | undefined
  readonly hasDecimalComma: boolean
  readonly threads: number
  readonly today: number
  readonly isResumed: boolean
  readonly onProgress: (progress: Progress) => void
  /** Smaller pieces and more frequent checkpoints, for tests. */
  readonly chunkBytes?: number
  readonly checkpointMs?: number
}

export interface Progress {
  readonly records: number
  /** Of the input's own bytes; undefined where its size is not known. */
  readonly share: number | undefined
}
