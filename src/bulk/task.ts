/** What the threads of a run are told once, what they are given each time, and what they give back. */
import type { PortableDeployments } from '../catalog/portable.ts'
import type { Tally } from '../engine/tally.ts'
import type { Chunk } from '../tables/chunk.ts'
import type { ErrorsFormat, Format, WrittenFormat } from './format.ts'
import type { TableShape } from './rows.ts'

export type RowFormat = Exclude<WrittenFormat, 'parquet'>

export interface Task {
  readonly portable: PortableDeployments
  readonly deployment: string
  readonly today: number
  readonly from: Format
  /** The form of the rows as they are written aside; Parquet is made of NDJSON at the end. */
  readonly to: RowFormat
  readonly gzip: boolean
  readonly errorsTo: ErrorsFormat | undefined
  /** Whether rows are wanted at all, or only which idx there are. */
  readonly writes: boolean
  /** Their names to ours, for records with names of their own. */
  readonly rename: ReadonlyMap<string, string>
  readonly keep: readonly string[]
  /** Whether kept values are written as text, whatever they are. */
  readonly keepsText: boolean
  /** Whether a record's number in the file is its idx. */
  readonly isNumbered: boolean
  /** Of tables with columns only. */
  readonly table?: { readonly shape: TableShape; readonly delimiter: string }
  /** Every idx that more than one record of the file has. */
  readonly repeated: ReadonlySet<number>
}

export interface ChunkJob {
  readonly chunk: Chunk
  /** Positions of records whose idx came before, where nobody can look at the file as a whole. */
  readonly duplicates: ReadonlySet<number>
}

export type ChunkAnswer = ChunkResult | { readonly bad: string }

export interface ChunkResult {
  readonly output: Uint8Array
  readonly errors: Uint8Array
  readonly idxs: Float64Array
  /** In ten-thousandths; −1 for none. */
  readonly risks: Int16Array
  readonly tally: Pick<Tally, 'records' | 'scored' | 'problems'>
  /** The piece itself, given back. */
  readonly chunk: Chunk
}
