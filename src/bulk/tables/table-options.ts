/** What a run over tables is asked to do, and what it tells. */
import type { Catalog } from '../../catalog/catalog.ts'
import type { Deployment } from '../../catalog/deployment.ts'
import type { TableFormat } from '../../tables/open-table.ts'
import type { Compression, ErrorsFormat, WrittenFormat } from '../format.ts'
import type { Progress } from '../progress.ts'
import type { Summary } from '../summary.ts'
import type { TableReading } from './table-reading.ts'

export interface TableInput {
  readonly path: string
  readonly format: TableFormat
}

export interface TableRun {
  readonly catalog: Catalog
  readonly deployment: Deployment
  readonly today: number
  readonly inputs: readonly TableInput[]
  /** A path; undefined for the standard output. */
  readonly output: string | undefined
  readonly to: WrittenFormat
  readonly compression: Compression | undefined
  readonly errors: string | undefined
  readonly errorsTo: ErrorsFormat | undefined
  readonly reading: TableReading
  readonly threads: number
  readonly isResumed: boolean
  readonly onProgress: (progress: Progress) => void
}

export interface TableOutcome {
  readonly summary: Summary
  /** What there is to say about the inputs, each with its file and line. */
  readonly notes: readonly string[]
  /** Columns that hold no field and were ignored. */
  readonly unknown: readonly string[]
}
