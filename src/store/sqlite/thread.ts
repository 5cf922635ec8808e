/**
 * The thread that owns the SQLite file. A disk that stalls stops this thread, never the one that answers requests.
 * After an error of the disk the file is closed and opened again: what the kernel still holds of it cannot be trusted.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { SqliteDatabase } from './database.ts'

export type Method = Exclude<keyof SqliteDatabase, 'close'>

export interface Call {
  readonly id: number
  readonly method: Method | 'open' | 'close'
  readonly args: readonly unknown[]
  /** Milliseconds since 1970 after which the caller has given up, so the call must not be carried out. */
  readonly deadline: number
}

export type Reply =
  { readonly id: number; readonly result: unknown } | { readonly id: number; readonly failure: string }

const BUSY = 5
const CONSTRAINT = 19

const { path } = workerData as { readonly path: string }
let database: SqliteDatabase | undefined

parentPort?.on('message', (call: Call) => {
  parentPort?.postMessage(answer(call))
})

function answer(call: Call): Reply {
  if (Date.now() > call.deadline) return { id: call.id, failure: 'late' }
  try {
    return { id: call.id, result: run(call) }
  } catch (error) {
    if (!isHarmless(error)) reopenNextTime()
    return { id: call.id, failure: describe(error) }
  }
}

function run({ method, args }: Call): unknown {
  if (method === 'close') {
    database?.close()
    database = undefined
    return undefined
  }
  database ??= new SqliteDatabase(path)
  if (method === 'open') return undefined
  return (database[method] as (...all: readonly unknown[]) => unknown).apply(database, args as unknown[])
}

/** A lock held by another process, or a key that exists already: the file itself is intact. */
function isHarmless(error: unknown): boolean {
  const code = (error as { readonly errcode?: number }).errcode
  return code !== undefined && [BUSY, CONSTRAINT].includes(code & 0xff)
}

function reopenNextTime(): void {
  try {
    database?.close()
  } catch {
    // The handle is dropped in any case.
  }
  database = undefined
}

/** SQLite's own text for the kind of error; it quotes no data. */
function describe(error: unknown): string {
  const { errstr, message } = error as { readonly errstr?: string; readonly message?: string }
  return errstr ?? message ?? 'failed'
}
