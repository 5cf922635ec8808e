/** The embedded store: one SQLite file in a thread of its own, durable at a power cut, and safe beside the command line. */
import { Worker } from 'node:worker_threads'
import { threadEntry } from '../../workers/pool.ts'
import type { AuditEntry, AuditRow, ChainEnds } from '../audit/audit-row.ts'
import { groupEntries } from '../audit/audit-group.ts'
import { MemoryQuota } from '../quota/memory-quota.ts'
import {
  type AuditQuery,
  type QuotaGrant,
  type QuotaSource,
  type Store,
  StoreError,
  type StoredKey,
} from '../store.ts'
import { afterLimit } from '../within-limit.ts'
import type { Call, Reply } from './thread.ts'

/** Longest that a caller waits for one call. */
const LIMIT_MS = 1_000
/** For reading and removing many rows: no request waits for that, only a person. */
const LONG_LIMIT_MS = 600_000
/** Opening may migrate a store of an older version. */
const OPEN_LIMIT_MS = LONG_LIMIT_MS
/** Half of the second within which a revocation must work. */
const KEY_FRESH_MS = 500

interface Pending {
  readonly id: number
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

export interface SqliteOptions {
  /** For the service: the file is checked for damage. Commands also open a damaged one, to read what is left. */
  readonly isServing?: boolean
  /** Where quota is counted for several processes together; in the memory of this one where absent. */
  readonly quota?: QuotaSource
}

export async function openSqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const store = new SqliteStore(path, options)
  try {
    await store.open()
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
  /** In the order in which the thread answers. A Map that changes all the time would keep what it held from the collector. */
  private readonly pending: Pending[] = []
  private thread: Worker | undefined
  private lastId = 0
  private readonly isServing: boolean
  private isClosed = false
  /** Whether the last row was appended. Unknown at first. */
  private canAppend = false

  constructor(path: string, { quota = new MemoryQuota(), isServing = false }: SqliteOptions) {
    this.path = path
    this.isServing = isServing
    this.quota = quota
  }

  async open(): Promise<void> {
    await this.call('open', [], OPEN_LIMIT_MS)
    if (this.isServing) await this.call('checkFile', [], OPEN_LIMIT_MS)
  }

  insertKey(key: StoredKey): Promise<void> {
    return this.call('insertKey', [key])
  }

  replaceKey(key: StoredKey, oldId: string, oldEndsAt: number): Promise<void> {
    return this.call('replaceKey', [key, oldId, oldEndsAt])
  }

  revokeKey(id: string, at: number): Promise<boolean> {
    return this.call('revokeKey', [id, at])
  }

  findKey(id: string): Promise<StoredKey | undefined> {
    return this.call('findKey', [id])
  }

  listKeys(): Promise<readonly StoredKey[]> {
    return this.call('listKeys', [])
  }

  latestTime(): Promise<number> {
    return this.call('latestTime', [])
  }

  secretFingerprint(own: string): Promise<string> {
    return this.call('secretFingerprint', [own])
  }

  async appendAudit(entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return
    try {
      await this.call('appendAudit', [groupEntries(entries)])
      this.canAppend = true
    } catch (error) {
      this.canAppend = false
      throw error
    }
  }

  async health(): Promise<string | undefined> {
    if (this.canAppend) return undefined
    try {
      await this.call('tryAppend', [])
      this.canAppend = true
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  readAudit(query: AuditQuery): Promise<readonly AuditRow[]> {
    return this.call('readAudit', [query], LONG_LIMIT_MS)
  }

  chainEnds(): Promise<ChainEnds> {
    return this.call('chainEnds', [])
  }

  pruneAudit(before: number, now: number): Promise<number> {
    return this.call('pruneAudit', [before, now], LONG_LIMIT_MS)
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
    const thread = this.thread
    this.thread = undefined
    await thread?.terminate()
  }

  private call<T>(method: Call['method'], args: readonly unknown[], limitMs = LIMIT_MS): Promise<T> {
    if (this.isClosed) return Promise.reject(new StoreError('the store is closed'))
    return new Promise<unknown>((resolve, reject) => {
      const id = ++this.lastId
      const timer = afterLimit(limitMs, () => {
        this.take(id)
        reject(new StoreError('the store did not answer in time'))
      })
      this.pending.push({ id, resolve, reject, timer })
      this.thread ??= this.start()
      this.thread.postMessage({ id, method, args, deadline: Date.now() + limitMs } satisfies Call)
    }) as Promise<T>
  }

  private start(): Worker {
    const thread = new Worker(threadEntry(import.meta.url, 'thread'), { workerData: { path: this.path } })
    thread.on('message', (reply: Reply) => this.settle(reply))
    // A thread that dies is replaced at the next call; pending calls fail.
    thread.on('error', () => this.lose(thread))
    thread.on('exit', () => this.lose(thread))
    thread.unref()
    return thread
  }

  private settle(reply: Reply): void {
    const waiting = this.take(reply.id)
    // The call has already failed because it took too long.
    if (waiting === undefined) return
    clearTimeout(waiting.timer)
    if ('failure' in reply) waiting.reject(new StoreError(reply.failure))
    else waiting.resolve(reply.result)
  }

  private take(id: number): Pending | undefined {
    const place = this.pending.findIndex((each) => each.id === id)
    return place < 0 ? undefined : this.pending.splice(place, 1)[0]
  }

  private lose(thread: Worker): void {
    if (this.thread === thread) this.thread = undefined
    else if (this.thread !== undefined) return
    for (const { id } of [...this.pending]) {
      this.settle({ id, failure: 'the thread of the store has ended' })
    }
  }
}
