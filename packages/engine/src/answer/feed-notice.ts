import type { Sentence } from '../words/words.ts'

/** A field of a sender's feed that probably means something else, as an answer says it. */
export interface FeedNotice {
  readonly field: string
  readonly text: string
  /** The same with its parts, for other languages. */
  readonly said?: Sentence
  /** The codes that are in doubt; every value of the field where absent. */
  readonly codes?: readonly string[]
}
