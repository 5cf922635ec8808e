/** One durable row for each answer: each in a commit of its own, or those that come in the same turn of the event loop in one. */
import type { DatabaseSync } from 'node:sqlite'

export interface AuditRow {
  readonly at: string
  readonly requestId: string
  readonly keyId: string | null
  readonly call: string
  readonly model: string
  readonly status: number
  readonly records: number | null
  readonly scored: number | null
  readonly problems: number | null
  readonly bodyDigest: string | null
  readonly answerDigest: string
  readonly durationMs: number
}

/** Ends when the row is durable. */
export type Audit = (row: AuditRow) => Promise<void> | void

const COLUMNS = `at, requestId, keyId, call, model, status, records, scored, problems, bodyDigest, answerDigest, durationMs`

function insertInto(database: DatabaseSync): (row: AuditRow) => void {
  database.exec(`CREATE TABLE audit (seq INTEGER PRIMARY KEY, ${COLUMNS})`)
  const insert = database.prepare(
    `INSERT INTO audit (${COLUMNS}) VALUES (:${COLUMNS.replaceAll(', ', ', :')})`,
  )
  return (row) => void insert.run({ ...row })
}

export function auditEach(database: DatabaseSync): Audit {
  return insertInto(database)
}

export function auditGrouped(database: DatabaseSync): Audit {
  const insert = insertInto(database)
  let waiting: {
    readonly row: AuditRow
    readonly done: () => void
    readonly failed: (error: unknown) => void
  }[] = []
  const commit = (): void => {
    const group = waiting
    waiting = []
    try {
      database.exec('BEGIN')
      for (const { row } of group) insert(row)
      database.exec('COMMIT')
      for (const { done } of group) done()
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      for (const { failed } of group) failed(error)
    }
  }
  return (row) =>
    new Promise((done, failed) => {
      if (waiting.push({ row, done, failed }) === 1) setImmediate(commit)
    })
}
