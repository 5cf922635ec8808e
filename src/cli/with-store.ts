/** Opens the store for a command and closes it, whatever happens; says in words why it cannot be opened. */
import { randomUUID } from 'node:crypto'
import type { Config } from '../config.ts'
import { makeEntry } from '../store/audit/audit-row.ts'
import { type OpenStore, openStore } from '../store/open.ts'
import { type Store, StoreError } from '../store/store.ts'

export async function withStore(config: Config, work: (open: OpenStore) => Promise<number>): Promise<number> {
  let open: OpenStore | undefined
  try {
    open = await openStore(config.dataDir, config.keySecret, config.databaseUrl)
    return await work(open)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    process.stderr.write(`The store does not work: ${error.reason}\n`)
    return 1
  } finally {
    await open?.store.close()
  }
}

/** What is done to a key by hand stands in the audit too. */
export function recordCommand(store: Store, call: string, subject: string): Promise<void> {
  return store.appendAudit([
    makeEntry({ at: Date.now(), requestId: `command-${randomUUID()}`, keyId: null, call, subject }),
  ])
}
