/** How far a run has come. */
export interface Progress {
  /** Records that are done; undefined where they are not counted on the way. */
  readonly records: number | undefined
  /** The share of the input that is done, from 0 to 1; undefined where its size is not known. */
  readonly share: number | undefined
}
