/** What a worker process asks of the primary: portions of the limits, and the figures of all processes. */
import type { Peers, Snapshot } from '../metrics/snapshot.ts'
import { type QuotaSource, StoreError } from '../store/store.ts'
import { FIGURES_MS } from './primary.ts'
import { type RpcPort, WorkerRpc } from './worker-rpc.ts'

/** As long as any call of the store. */
const QUOTA_MS = 1_000

export interface OneOfSeveral {
  readonly quota: QuotaSource
  readonly peers: Peers
}

export function oneOfSeveral(worker: RpcPort, quotaMs = QUOTA_MS): OneOfSeveral {
  let read: (() => Promise<Snapshot>) | undefined
  const rpc = new WorkerRpc(worker, {
    figures: () => {
      if (read === undefined) throw new Error('the figures were asked for before there were any')
      return read()
    },
  })
  return {
    quota: {
      async take(counter, limit, want) {
        const grant = await rpc.call('quota', [counter, limit, want], quotaMs)
        if (grant === undefined) throw new StoreError('the process that counts did not answer in time')
        return grant
      },
    },
    peers: {
      offer(reader) {
        read = reader
      },
      async collect() {
        // The primary itself may wait this long for a process that does not respond.
        const all = await rpc.call('allFigures', [], 2 * FIGURES_MS)
        if (all === undefined) throw new Error('the figures of all processes did not come in time')
        return all
      },
    },
  }
}
