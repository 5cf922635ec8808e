/** The embedded store: one SQLite file in a thread of its own, durable at a power cut, and safe beside the command line. */
import { Worker } from 'node:worker_threads'
import { threadEntry } from '../../workers/pool.ts'
import type { AuditEntry } from '../audit/audit-row.ts'
import { groupEntries } from '../audit/audit-group.ts'
import { MemoryQuota } from '../quota/memory-quota.ts'
import { Rpc, portOf } from '../rpc.ts'
import type { SqlStore } from '../sql-store.ts'
import { type QuotaGrant, type QuotaSource, type Store, StoreError } from '../store.ts'
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

export async function openSqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const store = new SqliteStore(path, options.quota)
  try {
    await store.open(options.isServing === true)
  } catch (error) {
    await store.end()
    throw error
  }
  return store
}

class SqliteStore implements Store {
  readonly keyFreshMs = KEY_FRESH_MS
  private readonly path: string
  private readonly quota: QuotaSource
  private thread: { readonly worker: Worker; readonly rpc: Rpc<ThreadMethods> } | undefined
  private isClosed = false
  /** Whether the last row was appended. Unknown at first. */
  private canAppend = false

  constructor(path: string, quota: QuotaSource = new MemoryQuota()) {
    this.path = path
    this.quota = quota
  }

  insertKey = this.remote('insertKey')
  revokeKey = this.remote('revokeKey')
  findKey = this.remote('findKey')
  listKeys = this.remote('listKeys')
  latestTime = this.remote('latestTime')
  secretFingerprint = this.remote('secretFingerprint')
  chainEnds = this.remote('chainEnds')
  readAudit = this.remote('readAudit', LONG_LIMIT_MS)
  pruneAudit = this.remote('pruneAudit', LONG_LIMIT_MS)
  private readonly appendGroup = this.remote('appendGroup')
  private readonly tryAppend = this.remote('tryAppend')

  async open(isServing: boolean): Promise<void> {
    await this.call('open', [], LONG_LIMIT_MS)
    if (isServing) await this.call('check', [], LONG_LIMIT_MS)
  }

  async appendAudit(entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return
    try {
      await this.appendGroup(groupEntries(entries))
      this.canAppend = true
    } catch (error) {
      this.canAppend = false
      throw error
    }
  }

  async health(): Promise<string | undefined> {
    if (this.canAppend) return undefined
    try {
      await this.tryAppend()
      this.canAppend = true
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  takeQuota(counter: string, limit: number, want: number, windowMs?: number): Promise<QuotaGrant> {
    return Promise.resolve(this.quota.take(counter, limit, want, windowMs))
  }

  async close(): Promise<void> {
    const closing = this.call('close', [], LONG_LIMIT_MS)
    this.isClosed = true
    await closing
    await this.end()
  }

  async end(): Promise<void> {
    const { thread } = this
    this.thread = undefined
    await thread?.worker.terminate()
  }

  /** A method of the store that the thread carries out. */
  private remote<N extends keyof SqlStore>(method: N, limitMs = LIMIT_MS): SqlStore[N] {
    const remote = (...args: readonly unknown[]): Promise<unknown> => this.call(method, args, limitMs)
    return remote as SqlStore[N]
  }

  private call(...[method, args, limitMs]: [...Parameters<ThreadMethods['run']>, number]): Promise<unknown> {
    if (this.isClosed) return Promise.reject(new StoreError('the store is closed'))
    this.thread ??= this.start()
    return this.thread.rpc.call('run', [method, args], limitMs)
  }

  private start(): NonNullable<SqliteStore['thread']> {
    const worker = new Worker(threadEntry(import.meta.url, 'thread'), { workerData: { path: this.path } })
    const rpc = new Rpc<ThreadMethods>(portOf(worker), 'the store')
    const thread = { worker, rpc }
    // A thread that dies is replaced at the next call; pending calls fail.
    const lose = (): void => {
      if (this.thread === thread) this.thread = undefined
      rpc.end()
    }
    worker.on('error', lose).on('exit', lose).unref()
    return thread
  }
}
