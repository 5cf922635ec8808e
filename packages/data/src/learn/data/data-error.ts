/** Data or a specification that cannot be used, in sentences for a person. No value of the data is ever quoted. */
export class DataError extends Error {
  override readonly name = 'DataError'
  readonly reasons: readonly string[]

  constructor(reasons: readonly string[]) {
    super(reasons.join('\n'))
    this.reasons = reasons
  }
}
