/** A store over the calls of a database, in this process or in a thread: they are timed, and audit rows go through a queue. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { StoreError } from '@patient-risk/runtime'
import {
  type AuditEntry,
  type EntryGroup,
  type KnownChain,
  groupEntries,
  recoveryEntry,
} from './audit/audit-row.ts'
import type { SqlStore } from './sql-store.ts'
import type { Store } from './store.ts'

/** Long enough for the rows of many commits, short enough that a few hundred wait at most. */
const CHAIN_AFTER_MS = 50
/** Retry after a failure, so that rows are chained even if no further request comes. */
const AGAIN_AFTER_MS = 1_000
/** Calls in one commit, and calls that may wait: beyond it the service sheds load instead of queueing without bound. */
const LIMITS = { group: 1_000, waiting: 20_000 }

/** Told the name of each call of the database, how it ended, and how long it took. */
export type OnCall = (operation: string, outcome: 'done' | 'failed', seconds: number) => void

interface DatabaseParts extends Pick<Store, 'keyFreshMs' | 'takeQuota' | 'close'> {
  /** Calls a method. A long call reads or removes many rows, and only a person waits for it. */
  readonly call: (method: keyof SqlStore, args: readonly unknown[], isLong: boolean) => Promise<unknown>
  /** Whether others write to the database, so that success of this process says nothing about the next call. */
  readonly isShared: boolean
  readonly onCall?: OnCall | undefined
}

export function storeClient({ call, isShared, onCall, ...own }: DatabaseParts): Store {
  const timed = <T>(operation: string, result: Promise<T>): Promise<T> => {
    if (onCall === undefined) return result
    const start = performance.now()
    const end = (outcome: 'done' | 'failed'): void =>
      onCall(operation, outcome, (performance.now() - start) / 1000)
    result.then(
      () => end('done'),
      () => end('failed'),
    )
    return result
  }
  const method = <N extends keyof SqlStore>(name: N, isLong = false, operation: string = name): SqlStore[N] =>
    ((...args: readonly unknown[]) => timed(operation, call(name, args, isLong))) as SqlStore[N]
  const tryAppend = method('tryAppend')
  const chainQueued = method('chainQueued')
  const countOutcomes = method('countOutcomes')
  const insertKey = method('insertKey')
  const revokeKey = method('revokeKey')
  const revokeSpareKey = method('revokeSpareKey')
  const insertJob = method('insertJob')
  const listAudit = method('listAudit', true)
  const endJob = method('endJob')
  let known: KnownChain | undefined
  const queue = new AuditQueue({
    appendGroup: method('appendGroup', false, 'appendAudit'),
    async chainQueued() {
      known = await chainQueued()
    },
  })
  const withRow = <T>(row: EntryGroup | undefined, work: () => Promise<T>): Promise<T> =>
    row === undefined ? work() : queue.appendWith(work)
  return {
    keyFreshMs: own.keyFreshMs,
    insertKey: (key, oldEndsAt, row) => withRow(row, () => insertKey(key, oldEndsAt, row)),
    revokeKey: (id, at, row) => withRow(row, () => revokeKey(id, at, row)),
    revokeSpareKey: (id, at, latest, row) => withRow(row, () => revokeSpareKey(id, at, latest, row)),
    findKey: method('findKey'),
    listKeys: method('listKeys'),
    latestTime: method('latestTime'),
    secretFingerprint: method('secretFingerprint'),
    replaceSecret: method('replaceSecret'),
    moveDigest: method('moveDigest'),
    readAlarms: method('readAlarms'),
    writeAlarm: method('writeAlarm'),
    noteStates: method('noteStates'),
    readStates: method('readStates'),
    countOutcomes: (given) => queue.appendWith(() => countOutcomes(given)),
    addQueuedOutcomes: method('addQueuedOutcomes'),
    readOutcomes: method('readOutcomes', true),
    readScored: method('readScored'),
    readScoredRisks: method('readScoredRisks', true),
    readCells: method('readCells'),
    reserveReceipts: method('reserveReceipts'),
    readReceived: method('readReceived'),
    readShadow: method('readShadow', true),
    insertJob: (job) => queue.appendWith(() => insertJob(job)),
    findJob: method('findJob'),
    claimJob: method('claimJob'),
    claimLostJob: method('claimLostJob'),
    stepJob: method('stepJob'),
    releaseJob: method('releaseJob'),
    endJob: (end) => queue.appendWith(() => endJob(end)),
    removeJob: method('removeJob'),
    removeExpiredJobs: method('removeExpiredJobs'),
    listJobs: method('listJobs'),
    knownChain: () => known,
    chainEnds: method('chainEnds', true),
    readTotals: method('readTotals', true),
    removeRefused: method('removeRefused'),
    acceptChanges: method('acceptChanges', true),
    readAudit: method('readAudit', true),
    async listAudit(wanted) {
      // What cannot be chained, as on a full disk or after a changed end, is left in the queue.
      await queue.chain().catch(() => undefined)
      return listAudit(wanted)
    },
    readGroups: method('readGroups', true),
    pruneAudit: method('pruneAudit', true),
    readUsage: method('readUsage', true),
    countRows: method('countRows', true),
    tidyAudit: method('tidyAudit', true),
    appendAudit: (entries) => queue.append(entries),
    async health() {
      if (!isShared && queue.isHealthy) return undefined
      try {
        await tryAppend()
        // On a full disk a row can be changed where none can be added, so after a failure a row is added as for a request.
        if (queue.hasFailed) await queue.append([recoveryEntry(Date.now())])
        queue.recover()
        return undefined
      } catch (error) {
        return (error as Error).message
      }
    },
    takeQuota: (...args) => timed('takeQuota', own.takeQuota(...args)),
    async close() {
      // Rows that cannot be chained now are chained at the next start.
      await queue.chain().catch(() => undefined)
      queue.stop()
      await own.close()
    },
  }
}

/** What a store does in each step. */
interface Steps {
  appendGroup(group: EntryGroup): Promise<void>
  chainQueued(): Promise<void>
}

interface Waiting {
  readonly entries: readonly AuditEntry[]
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/**
 * Takes audit rows to the database in two steps. First they are durable in a queue: rows that come while a commit is under way share the
 * next one, because a durable commit costs a millisecond or more, whether it holds one row or hundreds. Soon after, many at a time, they
 * get their place in the chain.
 */
export class AuditQueue {
  private readonly steps: Steps
  private readonly limits: typeof LIMITS
  private readonly waiting: Waiting[] = []
  private isCommitting = false
  private timer: NodeJS.Timeout | undefined
  private chaining: Promise<void> | undefined
  private isStopped = false
  /** Whether the last append and the last chaining succeeded: one may work while the other fails. Undefined until the first try. */
  private works: { append?: boolean; chain?: boolean } = {}

  constructor(steps: Steps, limits = LIMITS) {
    this.steps = steps
    this.limits = limits
  }

  get isHealthy(): boolean {
    return this.works.append === true && this.works.chain === true
  }

  /** Whether rows could not be made durable the last time. */
  get hasFailed(): boolean {
    return this.works.append === false
  }

  /** Another try of both steps has succeeded. */
  recover(): void {
    this.works = { append: true, chain: true }
  }

  /** Resolves when the rows are durable, all of them in one commit. */
  append(entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return Promise.resolve()
    if (this.waiting.length >= this.limits.waiting)
      return Promise.reject(new StoreError('too many rows are waiting to be written'))
    return new Promise((resolve, reject) => {
      this.waiting.push({ entries, resolve, reject })
      if (!this.isCommitting) void this.commitAll()
    })
  }

  /** For work that makes rows durable itself, together with something else. */
  async appendWith<T>(work: () => Promise<T>): Promise<T> {
    // Rows that cannot be chained must not pile up.
    if (this.works.chain !== true) await (this.chaining ?? this.chain())
    const result = await work()
    this.chainAfter(CHAIN_AFTER_MS)
    return result
  }

  /** Chains what is queued now. One at a time: a second one would wait for the same lock, with a connection of its own. */
  async chain(): Promise<void> {
    await this.chaining?.catch(() => undefined)
    clearTimeout(this.timer)
    this.timer = undefined
    this.chaining ??= this.noting('chain', this.steps.chainQueued()).finally(() => {
      this.chaining = undefined
    })
    await this.chaining
  }

  /** Leaves the rows in the queue. */
  stop(): void {
    this.isStopped = true
    clearTimeout(this.timer)
  }

  private async commitAll(): Promise<void> {
    this.isCommitting = true
    // Requests that arrived together are handled in one turn of the event loop: their rows share a commit.
    await nextTurn()
    let durable: readonly Waiting[] = []
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0, this.limits.group)
      const commit = this.commit(group)
      // Only now, so that the store works on the next rows while the answers to the last ones are sent.
      for (const { resolve } of durable) resolve()
      durable = group
      try {
        await commit
      } catch (error) {
        // Those that waited for their turn fail now as well, and not after another wait for a store that does not answer.
        for (const { reject } of [...group, ...this.waiting.splice(0)]) reject(error as Error)
        durable = []
      }
    }
    for (const { resolve } of durable) resolve()
    this.isCommitting = false
  }

  private async commit(group: readonly Waiting[]): Promise<void> {
    const rows = groupEntries(group.flatMap(({ entries }) => entries))
    await this.appendWith(() => this.noting('append', this.steps.appendGroup(rows)))
  }

  private chainAfter(ms: number): void {
    if (this.isStopped) return
    this.timer ??= setTimeout(() => {
      this.chain().catch(() => this.chainAfter(AGAIN_AFTER_MS))
    }, ms).unref()
  }

  private async noting(kind: keyof AuditQueue['works'], step: Promise<void>): Promise<void> {
    try {
      await step
      this.works[kind] = true
    } catch (error) {
      this.works[kind] = false
      throw error
    }
  }
}
