/**
 * The thread that owns the SQLite file. A disk that stalls stops this thread, never the one that answers requests.
 * After an error of the disk the file is closed and opened anew: what the kernel still holds of it cannot be trusted.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { SqliteDatabase } from './database.ts'
import { unpackEntries } from './packed-entries.ts'

export type Method = Exclude<keyof SqliteDatabase, 'close'>

export interface Call {
  readonly id: number
  readonly method: Method | 'open' | 'close'
  readonly args: readonly unknown[]
  /** Milliseconds since 1970 after which nobody waits any more, so that nothing may be done. */
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
  if (SEES_ALL_ROWS.has(method)) takeRings(database)
  const given = method === 'appendAudit' ? [unpackEntries(args[0] as string)] : args
  return (database[method] as (...all: readonly unknown[]) => unknown).apply(database, given as unknown[])
}

/** Calls that look at the chain: they see what was acknowledged before them, wherever it stands. */
const SEES_ALL_ROWS: ReadonlySet<Call['method']> = new Set([
  'readAudit',
  'chainEnds',
  'pruneAudit',
  'listKeys',
])

function takeRings(from: SqliteDatabase): void {
  try {
    from.takeRings()
  } catch {
    // On a full disk the chain can still be read; the rows that wait come in when there is room.
  }
}

/** A lock held by another process, or a row that is there already: the file is sound. */
function isHarmless(error: unknown): boolean {
  const code = (error as { readonly errcode?: number }).errcode
  return code !== undefined && [BUSY, CONSTRAINT].includes(code & 0xff)
}

function reopenNextTime(): void {
  try {
    database?.close()
  } catch {
    // It is given up in any case.
  }
  database = undefined
}

/** SQLite's own words for the kind of error; they quote no data. */
function describe(error: unknown): string {
  const { errstr, message } = error as { readonly errstr?: string; readonly message?: string }
  return errstr ?? message ?? 'failed'
}
