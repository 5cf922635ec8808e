/** A store over the calls of a database, in this process or in a thread: they are timed, and audit rows go through a queue. */
import { AuditQueue } from './audit/audit-queue.ts'
import type { SqlStore } from './sql-store.ts'
import type { Store } from './store.ts'

/** Told the name of each call of the database, how it ended, and how long it took. */
export type OnCall = (operation: string, outcome: 'done' | 'failed', seconds: number) => void

interface DatabaseParts extends Pick<Store, 'keyFreshMs' | 'takeQuota' | 'close'> {
  /** Calls a method. A long call reads or removes many rows, and only a person waits for it. */
  readonly call: (method: keyof SqlStore, args: readonly unknown[], isLong: boolean) => Promise<unknown>
  /** Whether others write to the database, so that success of this process says nothing about the next call. */
  readonly isShared: boolean
  readonly onCall?: OnCall | undefined
}

export function databaseStore({ call, isShared, onCall, ...own }: DatabaseParts): Store {
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
  const queue = new AuditQueue({
    appendGroup: method('appendGroup', false, 'appendAudit'),
    chainQueued: method('chainQueued'),
  })
  return {
    keyFreshMs: own.keyFreshMs,
    insertKey: method('insertKey'),
    revokeKey: method('revokeKey'),
    findKey: method('findKey'),
    listKeys: method('listKeys'),
    latestTime: method('latestTime'),
    secretFingerprint: method('secretFingerprint'),
    chainEnds: method('chainEnds', true),
    readAudit: method('readAudit', true),
    pruneAudit: method('pruneAudit', true),
    appendAudit: (entries) => queue.append(entries),
    async health() {
      if (!isShared && queue.isHealthy) return undefined
      const fault = await tryAppend().catch((error: unknown) => error as Error)
      if (fault === undefined) queue.recover()
      return fault?.message
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
