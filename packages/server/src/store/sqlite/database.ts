/** The SQLite file, for the thread that owns it. */
import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { LateError, type QueueSeal, type CallLimit, NO_LIMIT } from '@patient-risk/runtime'
import type { Query, SqlDatabase, SqlValue } from '../sql.ts'
import { migrate } from './migrations.ts'

/** Longest wait for a lock that another process holds. */
const LONGEST_WAIT_MS = 700
/** Between two attempts to get it. SQLite's own wait grows to 100 ms, and another process that commits all the time is never overtaken. */
const ATTEMPT_EVERY_MS = 0.5
/** The part of a caller's time that a wait for a lock leaves over: enough to report the lock. */
const REPLY_MS = 200
const CHANGES = /^\s*(INSERT|UPDATE|DELETE)/
const BUSY = 5
/** Checking this many bytes takes a second or two, even from a slow disk. */
const FULLY_CHECKED_BYTES = 256 * 1024 * 1024
const OWNER_ONLY = 0o600
const OTHERS = 0o077
/** SQLite's codes for errors that a full disk causes: IOERR, FULL, CANTOPEN. */
const OUT_OF_ROOM = [10, 13, 14]

export class SqliteDatabase implements SqlDatabase {
  readonly isConcurrent = false
  readonly rowsPerStatement = 1
  private readonly database: DatabaseSync
  private readonly statements = new Map<string, StatementSync>()
  /** Nobody writes to it: a wait for it is a pause. */
  private readonly pause = new Int32Array(new SharedArrayBuffer(4))
  private readonly longestWaitMs: number
  private lockWaitMs: number
  private limit = NO_LIMIT

  constructor(database: DatabaseSync, limitFactor = 1) {
    this.database = database
    this.longestWaitMs = limitFactor * LONGEST_WAIT_MS
    this.lockWaitMs = this.longestWaitMs
  }

  /** The work is done when this returns; it is a promise as in other databases. */
  readonly query: Query = <Row>(text: string, ...values: readonly SqlValue[]) =>
    new Promise<readonly Row[]>((resolve) => {
      // It would commit by itself, whether its caller still waits or not.
      if (!this.database.isTransaction && CHANGES.test(text))
        throw new Error('a statement that changes something needs write() or a transaction')
      resolve(this.withLock(() => this.statement(text).all(...values)) as unknown as readonly Row[])
    })

  readonly write: Query = <Row>(text: string, ...values: readonly SqlValue[]) =>
    this.transaction((query) => query<Row>(text, ...values))

  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    // IMMEDIATE: a reader that becomes a writer half-way may find that another process was faster.
    this.withLock(() => this.statement('BEGIN IMMEDIATE').run())
    try {
      const result = await work(this.query)
      if (!this.limit.mayCommit()) throw new LateError()
      this.statement('COMMIT').run()
      return result
    } catch (error) {
      if (this.database.isTransaction) this.database.exec('ROLLBACK')
      throw error
    }
  }

  async snapshot<T>(work: (query: Query) => Promise<T>): Promise<T> {
    // Not IMMEDIATE: it takes no lock, and works where nothing can be written.
    this.statement('BEGIN').run()
    try {
      return await work(this.query)
    } finally {
      if (this.database.isTransaction) this.database.exec('ROLLBACK')
    }
  }

  /** From now on statements belong to the call with this limit: it bounds their wait for locks of other processes, and their commits. */
  workFor(limit: CallLimit): void {
    this.limit = limit
    this.lockWaitMs = Math.min(limit.leftMs() - REPLY_MS, this.longestWaitMs)
  }

  /** Throws where pages of the file are damaged. A large file is checked in its small tables and its newest rows only. */
  check(): void {
    const { page_count: pages, page_size: size } = this.database
      .prepare('SELECT * FROM pragma_page_count, pragma_page_size')
      .get() as { readonly page_count: number; readonly page_size: number }
    const tables =
      pages * size <= FULLY_CHECKED_BYTES ? [''] : ['(keys)', '(chain)', '(audit_context)', '(audit_queue)']
    for (const table of tables) {
      const result = this.database.prepare(`PRAGMA quick_check${table}`).get()?.['quick_check']
      if (result !== 'ok') throw new Error('the file is damaged; restore a backup (docs/storage.md)')
    }
  }

  close(): void {
    this.database.close()
  }

  /** Runs a statement, again and again while another process holds the lock that it needs. */
  private withLock<T>(run: () => T): T {
    const start = performance.now()
    for (;;) {
      try {
        return run()
      } catch (error) {
        const { errcode = 0 } = error as { readonly errcode?: number }
        if ((errcode & 0xff) !== BUSY || performance.now() - start >= this.lockWaitMs) throw error
        Atomics.wait(this.pause, 0, 0, ATTEMPT_EVERY_MS)
      }
    }
  }

  private statement(text: string): StatementSync {
    const known = this.statements.get(text)
    if (known !== undefined) return known
    const prepared = this.database.prepare(text.replaceAll('$', '?'))
    this.statements.set(text, prepared)
    return prepared
  }
}

export async function openFile(path: string, seal: QueueSeal, limitFactor = 1): Promise<SqliteDatabase> {
  let database: DatabaseSync | undefined
  try {
    makePrivate(path)
    database = new DatabaseSync(path, { timeout: limitFactor * LONGEST_WAIT_MS })
    // FULL: with NORMAL, a power cut loses rows that were acknowledged.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    const opened = new SqliteDatabase(database, limitFactor)
    await migrate(database, opened.query, path, seal)
    // From here on this file itself waits for locks.
    database.exec('PRAGMA busy_timeout = 0')
    return opened
  } catch (error) {
    database?.close()
    return openUnchanged(path, error)
  }
}

/** On a full disk there is no room for the -wal and -shm files. A file that was closed properly can still be read. */
function openUnchanged(path: string, error: unknown): SqliteDatabase {
  const { errcode = 0 } = error as { readonly errcode?: number }
  const { size = 0 } = statSync(`${path}-wal`, { throwIfNoEntry: false }) ?? {}
  if (!OUT_OF_ROOM.includes(errcode & 0xff) || size > 0) throw error
  const url = new URL(`${pathToFileURL(path).href}?immutable=1`)
  return new SqliteDatabase(new DatabaseSync(url, { readOnly: true }))
}

/** A second connection, beside the one that writes. In WAL mode it sees what is committed, and neither waits for the other. */
export function openToRead(path: string, limitFactor = 1): SqliteDatabase {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 0 })
  try {
    // SQLite opens the log with the first statement that reads.
    database.prepare('SELECT 1 FROM sqlite_schema').get()
    return new SqliteDatabase(database, limitFactor)
  } catch (error) {
    database.close()
    return openUnchanged(path, error)
  }
}

/** Tells a file from any other that has its name later; empty for a missing file. */
export function identityOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? '' : `${found.dev}:${found.ino}`
}

/** Only their owner may read and write the files of the store, in any folder. Files that SQLite adds later get the same mode. */
function makePrivate(path: string): void {
  try {
    // SQLite uses an empty file as a new database.
    closeSync(openSync(path, 'wx', OWNER_ONLY))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  // Older versions left the mode to the system.
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    const found = statSync(path + suffix, { throwIfNoEntry: false })
    // Only files of this user: a command that root runs while the service is running must not change them.
    if (found === undefined || (found.mode & OTHERS) === 0 || found.uid !== process.getuid?.()) continue
    chmodSync(path + suffix, OWNER_ONLY)
  }
}
