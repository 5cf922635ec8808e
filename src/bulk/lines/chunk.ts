/** A piece of a file that ends where a record ends: what one thread works on at a time. */
export interface Chunk {
  readonly bytes: Uint8Array
  /** Position of its first record in the file, from 0, and how many records it has. */
  readonly first: number
  readonly count: number
  /** Number of its first line in the file, from 1. */
  readonly line: number
  /** How many characters of that line come before it. */
  readonly column?: number
}

export const CHUNK_BYTES = 512 * 1024

/** A longer record means a broken file, which would otherwise be held in memory as a whole. */
export const LONGEST_RECORD_BYTES = 64 * 1024 * 1024
export const RECORD_TOO_LONG = 'a record is longer than 64 MiB, or its end is missing'
