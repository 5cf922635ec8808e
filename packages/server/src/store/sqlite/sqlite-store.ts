/**
 * The embedded store: one SQLite file with a thread that writes and one for long reads, durable at a power cut. Commands may use it at the
 * same time.
 */
import { CommitClaims, Rpc, StoreError } from '@patient-risk/runtime'
import { type OnCall, storeClient } from '../store-client.ts'
import { isLarge } from '../outcomes/outcome-queue.ts'
import { COUNT_LIMIT_MS } from '../outcomes/sql-outcomes.ts'
import { MemoryQuota } from '../quota.ts'
import type { SqlStore } from '../sql-store.ts'
import type { QuotaSource, Store } from '../store.ts'
import { OutcomeTurns } from './outcome-turns.ts'
import type { ThreadData, ThreadMethods } from './sqlite-thread.ts'
import { type RunningThread, type StartThread, startThread } from './start-thread.ts'

/** Longest that a caller waits for one call, but for a commit that has begun. */
const LIMIT_MS = 1_000
/** For long calls, and for opening, which may migrate an older store. */
const LONG_LIMIT_MS = 600_000
/** Half of the second within which a revocation must work. */
const KEY_FRESH_MS = 500

/** Calls that read many rows, and change nothing. */
const READS: ReadonlySet<string> = new Set<keyof SqlStore>([
  'readOutcomes',
  'readScored',
  'readScoredRisks',
  'readCells',
  'readReceived',
  'readShadow',
  'listAudit',
  'readUsage',
])

interface StoreThread {
  readonly running: RunningThread
  readonly rpc: Rpc<ThreadMethods>
}

export interface SqliteOptions extends Pick<ThreadData, 'secrets'> {
  /** For the service: the file is checked for damage. Commands also open a damaged one, to read what is left. */
  readonly isServing?: boolean
  /** Where quota is counted for several processes together; in the memory of this one where absent. */
  readonly quota?: QuotaSource
  readonly onCall?: OnCall
  /** Multiplies the time limits of calls. For tests on a busy machine, where a limit that is not under test must not end them. */
  readonly limitFactor?: number
  /** How its threads are started. For tests, whose many stores would each pay for a new thread. */
  readonly startThread?: StartThread
}

/** `end` stops the thread without closing the file, as the end of the process does. */
export async function openSqliteStore(
  path: string,
  options: SqliteOptions,
): Promise<Store & { readonly end: () => Promise<void> }> {
  const { isServing = false, quota = new MemoryQuota(), onCall, secrets, limitFactor = 1 } = options
  const startOwn = options.startThread ?? startThread
  let isClosed = false
  let isReadingOver = false
  // Kept here: a thread that replaces another one must find the same file.
  let file: string | undefined
  const threads: { writer?: StoreThread | undefined; reader?: StoreThread | undefined } = {}

  const start = (role: keyof typeof threads): StoreThread => {
    const claims = new CommitClaims()
    const isReader = role === 'reader'
    // A thread that dies is replaced at the next call; pending calls fail.
    const lose = (): void => {
      if (threads[role] === started) threads[role] = undefined
      started.rpc.end()
    }
    const running = startOwn({ path, secrets, file, limitFactor, isReader, claims: claims.memory }, lose)
    const started = { running, rpc: new Rpc<ThreadMethods>(running.port, 'the store', {}, { claims }) }
    return started
  }
  const call = (
    ...[method, args, limitMs]: [...Parameters<ThreadMethods['run']>, number]
  ): Promise<unknown> => {
    if (isClosed) return Promise.reject(new StoreError('the store is closed'))
    // The thread that reads is started by the first question that needs it.
    const role = READS.has(method) ? 'reader' : 'writer'
    if (role === 'reader' && isReadingOver) return Promise.reject(new StoreError('the store is closed'))
    threads[role] ??= start(role)
    return threads[role].rpc.call('run', [method, args], limitMs)
  }
  const end = async (): Promise<void> => {
    const ended = [threads.reader, threads.writer]
    isClosed = true
    threads.reader = undefined
    threads.writer = undefined
    for (const each of ended) await each?.running.end()
  }

  try {
    file = (await call('open', [], LONG_LIMIT_MS)) as string
    if (isServing) await call('check', [], LONG_LIMIT_MS)
  } catch (error) {
    await end()
    throw error
  }
  const store = storeClient({
    keyFreshMs: KEY_FRESH_MS,
    isShared: false,
    onCall,
    call: (method, args, isLong) => {
      const usualMs = method === 'countOutcomes' ? COUNT_LIMIT_MS : LIMIT_MS
      return call(method, args, isLong ? LONG_LIMIT_MS : limitFactor * usualMs)
    },
    takeQuota: async (...args) => quota.take(...args),
    async close() {
      // The one that writes closes last: only that one can empty the log into the file.
      isReadingOver = true
      await threads.reader?.running.end()
      const closing = call('close', [], LONG_LIMIT_MS)
      // A call after this one would reach a thread without a file, or none.
      isClosed = true
      await closing
      await end()
    },
  })
  const turns = new OutcomeTurns(() => store.addQueuedOutcomes(), limitFactor)
  return {
    ...store,
    countOutcomes: (given) =>
      isLarge(given) ? turns.take(() => store.countOutcomes(given)) : store.countOutcomes(given),
    end,
  }
}
