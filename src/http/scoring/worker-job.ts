/** What the lane gives its threads to do, and what they give back. */
import type { Call } from '../../engine/scorer.ts'
import type { TallyCounts } from '../../engine/tally.ts'

export type LaneJob = BodyJob | LinesJob

export interface BodyJob {
  readonly kind: 'body'
  readonly deployment: string
  readonly call: Call
  readonly body: Uint8Array
  readonly today: number
}

export interface LinesJob {
  readonly kind: 'lines'
  readonly deployment: string
  readonly call: Call
  readonly body: Uint8Array
  readonly today: number
  readonly first: number
  readonly duplicates: ReadonlySet<number>
}

/** A tally crosses as its figures; its methods stay behind. */
export type Figures = TallyCounts

export interface LaneAnswer {
  readonly bytes: Uint8Array
  /** The body's own memory, given back by the thread that read it. */
  readonly spent?: ArrayBufferLike
  readonly tally: Figures
  /** SHA-256 of the body and of the bytes, where the main thread cannot take them any more. */
  readonly digests?: { readonly body: string; readonly answer: string }
}

export interface LinesResult {
  readonly bytes: Uint8Array
  readonly tally: Figures
  /** The idx of each record; NaN where it has no usable one. */
  readonly idxs: Float64Array
  /** The lines themselves, given back. */
  readonly body: Uint8Array
}
