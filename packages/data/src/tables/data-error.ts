/** `missing-column`: the file lacks a column that the specification names. */
export type DataErrorKind = 'missing-column'

/** Data or a specification that cannot be used, in sentences for a person. No value of the data is ever quoted. */
export class DataError extends Error {
  override readonly name = 'DataError'
  readonly reasons: readonly string[]
  /** Which error it is, where the caller may be able to correct it. */
  readonly kind: DataErrorKind | undefined

  constructor(reasons: readonly string[], kind?: DataErrorKind) {
    super(reasons.join('\n'))
    this.reasons = reasons
    this.kind = kind
  }
}
