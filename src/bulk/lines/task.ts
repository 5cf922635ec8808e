/** What the threads of a run are given once, what they are given for each piece, and what they give back. */
import type { PortableDeployments } from '../../catalog/portable.ts'
import type { Claimed } from '../../engine/read/lines.ts'
import type { Tally } from '../../engine/tally.ts'
import type { TextFormat } from '../format.ts'
import type { Chunk } from './chunk.ts'

export interface Task {
  readonly portable: PortableDeployments
  readonly deployment: string
  readonly today: number
  readonly from: TextFormat
  /** The form of the rows as they are first written. */
  readonly to: TextFormat
  readonly gzip: boolean
  /** Whether results with problems are wanted once more. */
  readonly wantsErrors: boolean
  /** Whether rows are wanted at all, or only the idx of the records. */
  readonly writes: boolean
  /** Their names to ours. */
  readonly rename: ReadonlyMap<string, string>
  readonly keep: readonly string[]
  /** Whether a record's number in the file is its idx. */
  readonly isNumbered: boolean
  /** Every idx that more than one record of the file has. */
  readonly repeated: ReadonlySet<number>
}

export interface ChunkJob {
  readonly chunk: Chunk
  /** Positions of records whose idx came before, where the input can be read only once. */
  readonly duplicates: ReadonlySet<number>
}

export type ChunkAnswer = ChunkResult | { readonly bad: string }

export interface ChunkResult {
  readonly output: Uint8Array
  /** Results with problems, a line each. */
  readonly errors: Uint8Array
  readonly idxs: Float64Array
  readonly claimed: Claimed
  /** In ten-thousandths; −1 where a record is not scored. */
  readonly risks: Int16Array
  readonly tally: Pick<Tally, 'records' | 'scored' | 'problems'>
  /** The piece itself, given back. */
  readonly chunk: Chunk
}
