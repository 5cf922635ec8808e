/** The estimates run away: some columns tell the outcome perfectly. */
export class NotEstimable extends Error {
  override readonly name = 'NotEstimable'
  /** Indexes of the columns that run away. */
  readonly columns: readonly number[]

  constructor(columns: readonly number[] = []) {
    super('the estimates do not settle')
    this.columns = columns
  }
}

/** Undefined where something in the work cannot be estimated. */
export function ifEstimable<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof NotEstimable) return undefined
    throw error
  }
}
