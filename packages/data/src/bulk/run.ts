/** The settings of a run over files and what it reports, for all formats. */
import type { Catalog, Deployment } from '@patient-risk/catalog'
import type { Words } from 'patient-risk-engine/words'
import type { Observed } from '@patient-risk/monitor'
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
  /** The texts of notices and problems in another language than English. Tables have codes only. */
  readonly words?: Words | undefined
  /** The columns `model` and `deployment_digest` of every result; undefined where they are not asked for. */
  readonly source?: AnswerSource | undefined
  /** Tables only: which rows are written, where those that are as before are left out. */
  readonly rowChanges?: RowChanges | undefined
  /** Tables only: whether the risks are counted by bin, as at the scoring call. */
  readonly countsRisks?: boolean
  /** Tables only: told how many rows a table has, before one of them is scored. Throws where they are too many. */
  readonly onCounted?: (rows: number) => Promise<void>
  /** Tables only: is shown what the watch of feeds took of some rows, so that the sender's own feed can count it too. */
  readonly onWatched?: (observed: Observed) => void
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

/** Where an answer comes from, as columns of it. */
export interface AnswerSource {
  readonly model: string
  readonly deployment_digest: string
}
export const SOURCE_COLUMNS: readonly (keyof AnswerSource)[] = ['model', 'deployment_digest']

/** A result with this column is that of a new or changed row, or says that the row is no longer there. */
export const CHANGE_COLUMN = 'change'
export type Change = 'changed' | 'deleted'

/** How rows are recognised again, and the files that keep what they were. */
export interface RowChanges {
  /** A column whose values no two rows share. */
  readonly key: string
  /** What the rows were; undefined where all of them are written. */
  readonly before: string | undefined
  /** Whether rows are written that are as before. Those that are gone are marked all the same. */
  readonly isWhole: boolean
  /** Where it is noted what the rows are now. */
  readonly after: string
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
