/**
 * The calls of the thread that owns the SQLite file. After an error of the disk the file is closed and opened again: what the kernel still
 * holds of it cannot be trusted.
 */
import { QueueSeal, LateError, type CallLimit } from '@patient-risk/runtime'
import { SqlStore, type StoreMemory } from '../sql-store.ts'
import { type SqliteDatabase, identityOf, openFile, openToRead } from './database.ts'

/** The method of the thread: opens, checks or closes the file, or does what a store does. */
export interface ThreadMethods {
  run(method: keyof SqlStore | 'open' | 'check' | 'close', args: readonly unknown[]): unknown
}

export type Call = [...Parameters<ThreadMethods['run']>, limit: CallLimit]

const BUSY = 5
const CONSTRAINT = 19

/** What the thread is started with. */
export interface ThreadData {
  readonly path: string
  /** The secret that queued rows are sealed with, and after it those that are still accepted. */
  readonly secrets: readonly Uint8Array[]
  /** The identity of the file, where a thread before this one has opened it. */
  readonly file?: string | undefined
  readonly limitFactor?: number
  /** Whether it only reads: long reads have a thread and a connection of their own, so that no writer waits for them. */
  readonly isReader?: boolean
  /** Of the claims of its calls. */
  readonly claims?: SharedArrayBuffer | undefined
}

/** The returned function runs a call after those before it. */
export function sqliteThread({
  path,
  secrets,
  file,
  limitFactor,
  isReader = false,
}: ThreadData): (...call: Call) => Promise<unknown> {
  const seal = new QueueSeal(secrets)
  const memory: StoreMemory = {}
  /** Of the file as it was first opened, and of its log since it was last opened. */
  const identity: { file?: string | undefined; log?: string } = { file }
  let database: SqliteDatabase | undefined
  let store: SqlStore | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function run(...[method, args, limit]: Call): Promise<unknown> {
    try {
      if (method === 'close') {
        close()
        return undefined
      }
      // The thread that writes has opened the file again, with a new log: what a reader holds is a log that nobody writes to.
      if (isReader && database !== undefined && identity.log !== identityOf(`${path}-wal`)) {
        // A reader that opens the file without its log makes one, which may get the number of the old one: the writer would go on.
        assertThere('log', `${path}-wal`)
        close()
      }
      if (database === undefined) {
        // Before it is opened: a missing file would be made anew.
        assertSame('file', path)
        database = isReader ? openToRead(path, limitFactor) : await openFile(path, seal, limitFactor)
        identity.file ??= identityOf(path)
        identity.log = identityOf(`${path}-wal`)
      }
      store ??= new SqlStore(database, seal, memory)
      if (method === 'check') database.check()
      if (method === 'open' || method === 'check') return identity.file
      // The calls before this one may have taken all of its time. What is rolled back in the end need not be begun.
      if (limit.leftMs() <= 0) throw new LateError()
      database.workFor(limit)
      const run = (store[method] as (...all: readonly unknown[]) => unknown).bind(store)
      const result = await run(...args)
      // After the call: what was written to a file that is gone must not be acknowledged.
      assertSame('file', path)
      // A reader acknowledges nothing, and opens the file again where the log is a new one.
      if (!isReader) assertSame('log', `${path}-wal`)
      return result
    } catch (error) {
      const { errcode, errstr, message } = error as Error & {
        readonly errcode?: number
        readonly errstr?: string
      }
      // A lock held by another process, a key that exists already, or a caller that has given up: the file itself is intact.
      const isHarmless =
        error instanceof LateError || (errcode !== undefined && [BUSY, CONSTRAINT].includes(errcode & 0xff))
      if (!isHarmless) {
        try {
          close()
        } catch {
          // The handle is dropped in any case, and the file opened again at the next call.
        }
      }
      // SQLite's own text for the kind of error; it quotes no data.
      throw new Error(errstr ?? message)
    }
  }

  function assertThere(kind: keyof typeof identity, file: string): void {
    if (identity[kind] !== '' && identityOf(file) === '') assertSame(kind, file)
  }

  /** SQLite goes on with a file that was deleted or replaced. Everything written to it is lost when it is closed. */
  function assertSame(kind: keyof typeof identity, file: string): void {
    if (identity[kind] === undefined || identity[kind] === identityOf(file)) return
    throw new Error(
      `the ${kind} of the store was deleted or replaced while it was in use; put it back, or stop the service and restore a backup`,
    )
  }

  function close(): void {
    const open = database
    database = undefined
    store = undefined
    open?.close()
  }

  return (...call) => {
    // One after the other, so that no statement gets into the transaction of another call.
    const next = (): Promise<unknown> => run(...call)
    return (last = last.then(next, next))
  }
}
