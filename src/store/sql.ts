/** A database as the stores use it. Their statements are written once, in SQL that SQLite and PostgreSQL both read. */

export type SqlValue = string | number | null | Uint8Array

/** Runs one statement, whose values stand in it as $1, $2 and so on. Returns its rows. */
export type Query = <Row>(text: string, ...values: readonly SqlValue[]) => Promise<readonly Row[]>

export interface SqlDatabase {
  readonly query: Query
  /** Whether transactions of several connections run at the same time. In SQLite there is one writer at a time. */
  readonly isConcurrent: boolean
  /** Gives back the room of rows that are no longer in the audit queue, where the database does not do so itself. */
  reclaimQueue?(): Promise<void>
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>
}
