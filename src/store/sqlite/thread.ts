/**
 * The thread that owns the SQLite file. A disk that stalls stops this thread, never the one that answers requests.
 * After an error of the disk the file is closed and opened again: what the kernel still holds of it cannot be trusted.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { Rpc, portOf } from '../../workers/rpc.ts'
import { SqlStore } from '../sql-store.ts'
import { type SqliteDatabase, openFile } from './database.ts'

/** The method of the thread: opens, checks or closes the file, or does what a store does. */
export interface ThreadMethods {
  run(method: keyof SqlStore | 'open' | 'check' | 'close', args: readonly unknown[]): unknown
}

/** With the time after which the caller has given up, in milliseconds since 1970. */
type Call = [...Parameters<ThreadMethods['run']>, deadline: number]

/** The part of a caller's time that a wait for a lock leaves over: enough to report the lock. */
const REPLY_MS = 200
const BUSY = 5
const CONSTRAINT = 19

const { path } = workerData as { readonly path: string }
let database: SqliteDatabase | undefined
let store: SqlStore | undefined
let last: Promise<unknown> = Promise.resolve()

new Rpc(portOf(parentPort as MessagePort), 'the caller', {
  run: (...call: Call): Promise<unknown> => {
    // One after the other, so that no statement gets into the transaction of another call.
    const next = (): Promise<unknown> => run(...call)
    return (last = last.then(next, next))
  },
})

async function run(...[method, args, deadline]: Call): Promise<unknown> {
  try {
    if (method === 'close') {
      close()
      return undefined
    }
    database ??= await openFile(path)
    store ??= new SqlStore(database)
    if (method === 'check') database.check()
    if (method === 'open' || method === 'check') return undefined
    // The calls before this one may have waited for a lock too. A row must not be stored after its answer was refused.
    database.waitForLocks(deadline - Date.now() - REPLY_MS)
    return await (store[method] as (...all: readonly unknown[]) => unknown).apply(store, args as unknown[])
  } catch (error) {
    const { errcode, errstr, message } = error as Error & {
      readonly errcode?: number
      readonly errstr?: string
    }
    // A lock held by another process, or a key that exists already: the file itself is intact.
    const isHarmless = errcode !== undefined && [BUSY, CONSTRAINT].includes(errcode & 0xff)
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

function close(): void {
  const open = database
  database = store = undefined
  open?.close()
}
