/** Opens the store of the configuration for a command and always closes it; reports why it cannot be opened. */
import { randomUUID } from 'node:crypto'
import type { Config } from '@patient-risk/catalog/config'
import {
  type AuditEntry,
  makeEntry,
  lossSince,
  type OpenStore,
  type StoreOptions,
  openStore,
  type Store,
} from '@patient-risk/server/store'
import { StoreError } from '@patient-risk/runtime'
import { Refusal, configOrRefusal, printNote } from './command.ts'

export async function withStore<T>(
  work: (open: OpenStore, config: Config) => Promise<T>,
  config = configOrRefusal(),
  options: StoreOptions = {},
): Promise<T> {
  let open: OpenStore | undefined
  try {
    const { dataDir, keySecret, previousKeySecret: previousSecret, databaseUrl, audit } = config
    const more = { anchorFile: audit?.anchorFile, previousSecret, ...options }
    open = await openStore(dataDir, keySecret, databaseUrl, more)
    return await work(open, config)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    const trouble = open === undefined ? 'cannot be opened' : 'does not work'
    throw new Refusal(`The store ${trouble}: ${error.message}`)
  } finally {
    await open?.store.close()
  }
}

/**
 * For commands that read the audit, also of a store that the service would refuse. Where rows were lost, or the newest ones cannot be
 * chained and so are left out, a note on stderr says so.
 */
export function withAudit<T>(work: (open: OpenStore) => Promise<T>, config = configOrRefusal()): Promise<T> {
  return withStore(
    async (open) => {
      const { queueFault } = await open.store.chainEnds()
      if (queueFault !== undefined)
        printNote(`The newest rows are left out, they cannot be chained: ${queueFault}`)
      const loss = await lossOf(open)
      if (loss !== undefined)
        printNote(`This is not the store that ${open.anchorFile.path} describes. ${loss}`)
      return work(open)
    },
    config,
    { isAnyState: true },
  )
}

/** What a store has lost since its newest anchor. */
export async function lossOf({ store, anchorFile }: Omit<OpenStore, 'secrets'>): Promise<string | undefined> {
  const anchor = anchorFile.read().at(-1)
  return anchor && lossSince(store, anchor)
}

/** Changes to keys from the command line are recorded in the audit too. */
export function recordCommand(store: Store, call: string, subject: string): Promise<void> {
  return store.appendAudit([commandRow(call, subject)])
}

/** The row of a command, for a call of the store that writes it together with the change that it records. */
export function commandRow(call: string, subject: string): AuditEntry {
  return makeEntry({ at: Date.now(), requestId: `command-${randomUUID()}`, keyId: null, call, subject })
}
