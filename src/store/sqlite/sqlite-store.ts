/** The embedded store: one SQLite file in a thread of its own, durable at a power cut. Commands may use it at the same time. */
import { Worker } from 'node:worker_threads'
import { threadEntry } from '../../workers/pool.ts'
import { AuditQueue } from '../audit/audit-queue.ts'
import { MemoryQuota } from '../quota/memory-quota.ts'
import { Rpc, portOf } from '../../workers/rpc.ts'
import type { SqlStore } from '../sql-store.ts'
import { StoreError } from '../../errors.ts'
import type { QuotaSource, Store } from '../store.ts'
import type { ThreadMethods } from './thread.ts'

/** Longest that a caller waits for one call. */
const LIMIT_MS = 1_000
/** For reading and removing many rows, which only a person waits for, and for opening, which may migrate an older store. */
const LONG_LIMIT_MS = 600_000
/** Half of the second within which a revocation must work. */
const KEY_FRESH_MS = 500

export interface SqliteOptions {
  /** For the service: the file is checked for damage. Commands also open a damaged one, to read what is left. */
  readonly isServing?: boolean
  /** Where quota is counted for several processes together; in the memory of this one where absent. */
  readonly quota?: QuotaSource
}

/** `end` stops the thread without closing the file, as the end of the process does. */
export async function openSqliteStore(
  path: string,
  options: SqliteOptions = {},
): Promise<Store & { readonly end: () => Promise<void> }> {
  const { isServing = false, quota = new MemoryQuota() } = options
  let thread: { readonly worker: Worker; readonly rpc: Rpc<ThreadMethods> } | undefined
  let isClosed = false

  const start = (): NonNullable<typeof thread> => {
    const worker = new Worker(threadEntry(import.meta.url, 'thread'), { workerData: { path } })
    const rpc = new Rpc<ThreadMethods>(portOf(worker), 'the store')
    const started = { worker, rpc }
    // A thread that dies is replaced at the next call; pending calls fail.
    const lose = (): void => {
      if (thread === started) thread = undefined
      rpc.end()
    }
    worker.on('error', lose).on('exit', lose).unref()
    return started
  }
  const end = async (): Promise<void> => {
    const ended = thread
    thread = undefined
    queue.stop()
    await ended?.worker.terminate()
  }
  const call = (...[method, args, limitMs]: Parameters<ThreadMethods['run']>): Promise<unknown> => {
    if (isClosed) return Promise.reject(new StoreError('the store is closed'))
    thread ??= start()
    return thread.rpc.call('run', [method, args, Date.now() + limitMs], limitMs)
  }
  /** A method of the store that the thread carries out. */
  const remote = <N extends keyof SqlStore>(method: N, limitMs = LIMIT_MS): SqlStore[N] =>
    ((...args: readonly unknown[]) => call(method, args, limitMs)) as SqlStore[N]
  const tryAppend = remote('tryAppend')
  const queue = new AuditQueue({ appendGroup: remote('appendGroup'), chainQueued: remote('chainQueued') })

  try {
    await call('open', [], LONG_LIMIT_MS)
    if (isServing) await call('check', [], LONG_LIMIT_MS)
  } catch (error) {
    await end()
    throw error
  }
  return {
    keyFreshMs: KEY_FRESH_MS,
    insertKey: remote('insertKey'),
    revokeKey: remote('revokeKey'),
    findKey: remote('findKey'),
    listKeys: remote('listKeys'),
    latestTime: remote('latestTime'),
    secretFingerprint: remote('secretFingerprint'),
    chainEnds: remote('chainEnds', LONG_LIMIT_MS),
    readAudit: remote('readAudit', LONG_LIMIT_MS),
    pruneAudit: remote('pruneAudit', LONG_LIMIT_MS),
    appendAudit: (entries) => queue.append(entries),
    async health() {
      if (queue.isHealthy) return undefined
      const fault = await tryAppend().catch((error: unknown) => error as Error)
      if (fault === undefined) queue.recover()
      return fault?.message
    },
    takeQuota: async (...args) => quota.take(...args),
    async close() {
      // Rows that cannot be chained now are chained at the next start.
      if (!isClosed) await queue.chain().catch(() => undefined)
      const closing = call('close', [], LONG_LIMIT_MS)
      isClosed = true
      await closing
      await end()
    },
    end,
  }
}
