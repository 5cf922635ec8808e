/**
 * Replaces `packages/server/src/store/sqlite/sqlite-store.ts` while mutants are tested: the same calls of the same file, without
 * a thread. Stryker does not see what a thread has run, so a mutant there would have no test.
 */
import {
  storeClient,
  MemoryQuota,
  sqliteThread,
  type openSqliteStore as openInThread,
} from '@patient-risk/server/store'
import { NO_LIMIT } from '@patient-risk/runtime'

/** By path. On one thread nobody can wait for the lock of another store, so the calls of all stores of a file take turns. */
const turns = new Map<string, Promise<unknown>>()

export const openSqliteStore: typeof openInThread = async (path, options) => {
  const { isServing = false, quota = new MemoryQuota(), onCall, secrets } = options
  const run = sqliteThread({ path, secrets })
  const call = (...[method, args]: [Parameters<typeof run>[0], readonly unknown[]]): Promise<unknown> => {
    const next = (): Promise<unknown> => run(method, args, NO_LIMIT)
    const turn = (turns.get(path) ?? Promise.resolve()).then(next, next)
    turns.set(path, turn)
    return turn
  }
  await call(isServing ? 'check' : 'open', [])
  const close = async (): Promise<void> => {
    await call('close', [])
  }
  const store = storeClient({
    keyFreshMs: 500,
    isShared: false,
    onCall,
    call,
    takeQuota: async (...args) => quota.take(...args),
    close,
  })
  return { ...store, end: close }
}
