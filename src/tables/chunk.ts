/** A piece of a file that ends where a record ends: what one thread works on at a time. */

export type Chunk = TextChunk | RowsChunk

interface Counted {
  /** Position of its first record in the file, from 0, and how many records it has. */
  readonly first: number
  readonly count: number
}

export interface TextChunk extends Counted {
  readonly kind: 'text'
  readonly bytes: Uint8Array
  /** Number of its first line in the file, from 1. */
  readonly line: number
  /** How many characters of that line come before it. */
  readonly column?: number
}

/** Rows of a Parquet file, which a thread reads itself. */
export interface RowsChunk extends Counted {
  readonly kind: 'rows'
  readonly path: string
}

export const CHUNK_BYTES = 512 * 1024

/** A record longer than this is no record: its file is broken, and would otherwise be held as a whole. */
export const LONGEST_RECORD_BYTES = 64 * 1024 * 1024
export const RECORD_TOO_LONG = 'a record is longer than 64 MiB, or its end is missing'
