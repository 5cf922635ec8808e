/** A database as the stores use it. Their statements are written once, in SQL that SQLite and PostgreSQL both read. */
export type SqlValue = string | number | null | Uint8Array

/** Runs one statement, whose values stand in it as $1, $2 and so on. Returns its rows. */
export type Query = <Row>(text: string, ...values: readonly SqlValue[]) => Promise<readonly Row[]>

export interface SqlDatabase {
  /** For a statement that reads. Inside a transaction the transaction's own `query` is used, for everything. */
  readonly query: Query
  /** For a single statement that changes something: a transaction of its own. */
  readonly write: Query
  /** Whether transactions of several connections run at the same time. In SQLite there is one writer at a time. */
  readonly isConcurrent: boolean
  /**
   * Rows that one statement adds to counts. Where no network is in between, a single row costs least: SQLite takes 35 ms for 10,000
   * rows one by one, and 70 ms for 50 at a time.
   */
  readonly rowsPerStatement: number
  /** Gives back the room of rows that are no longer in the audit queue, where the database does not do so itself. */
  reclaimQueue?(): Promise<void>
  /** For several statements that read the same moment. */
  snapshot<T>(work: (query: Query) => Promise<T>): Promise<T>
  /**
   * All of the work or none. The limit of the call is tested again right before COMMIT: where it is over, or the caller has given up,
   * everything is rolled back. `limitMs` is for work that takes longer than usual, where the database itself keeps the time.
   */
  transaction<T>(work: (query: Query) => Promise<T>, limitMs?: number): Promise<T>
}
