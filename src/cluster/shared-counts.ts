/** What all processes share: the counters of the limits and the figures. The primary keeps them; workers call it. */
import type { Worker } from 'node:cluster'
import { NO_FIGURES, type Peers, type Snapshot, countsOf, together } from '../metrics/snapshot.ts'
import { MemoryQuota, WINDOW_MS } from '../store/quota/memory-quota.ts'
import { type QuotaSource, StoreError } from '../store/store.ts'
import { type RpcPort, WorkerRpc } from './worker-rpc.ts'

/** How long a worker may take to send its figures; after that, only its last counts are shown. */
const FIGURES_MS = 1_000
/** As long as any call of the store. */
const QUOTA_MS = 1_000

interface Member {
  readonly rpc: WorkerRpc
  latest: Snapshot
  hasEnded: boolean
}

export class PrimaryProcess {
  private readonly quota = new MemoryQuota()
  private readonly members = new Set<Member>()
  private ended = NO_FIGURES
  private collecting: Promise<Snapshot> | undefined

  /** Answers the calls of a worker, and asks it for its figures until it ends. */
  serve(worker: RpcPort & Pick<Worker, 'once'>): void {
    const rpc = new WorkerRpc(worker, {
      quota: (...args) => this.quota.take(...args),
      allFigures: () => this.collect(),
    })
    const member: Member = { rpc, latest: NO_FIGURES, hasEnded: false }
    this.members.add(member)
    worker.once('exit', () => {
      member.hasEnded = true
      // Workers that die repeatedly before anyone reads figures must not accumulate here.
      if (member.latest === NO_FIGURES) this.members.delete(member)
    })
  }

  /** Requests during a collection share its result, so that no count is added twice. */
  private collect(): Promise<Snapshot> {
    this.collecting ??= this.collectNow().finally(() => (this.collecting = undefined))
    return this.collecting
  }

  private async collectNow(): Promise<Snapshot> {
    for (const member of this.members) {
      if (!member.hasEnded) continue
      this.members.delete(member)
      this.ended = await together([this.ended, countsOf(member.latest)])
    }
    const found = await Promise.all([...this.members].map(read))
    return together([...found, this.ended])
  }
}

async function read(member: Member): Promise<Snapshot> {
  const fresh = await member.rpc.call('figures', [], FIGURES_MS)
  if (fresh === undefined) return countsOf(member.latest)
  member.latest = fresh
  return fresh
}

export interface PrimaryConnection {
  readonly quota: QuotaSource
  readonly peers: Peers
}

/** Of a worker process: takes its quota from the primary, and sends it the figures that it asks for. */
export function connectToPrimary(worker: RpcPort, quotaMs = QUOTA_MS): PrimaryConnection {
  let read: (() => Promise<Snapshot>) | undefined
  const rpc = new WorkerRpc(worker, {
    figures: () => {
      if (read === undefined) throw new Error('the figures were asked for before there were any')
      return read()
    },
  })
  return {
    quota: {
      // Messages are JSON, in which an absent argument would arrive as null: a window that ends at once.
      async take(counter, limit, want, windowMs = WINDOW_MS) {
        const grant = await rpc.call('quota', [counter, limit, want, windowMs], quotaMs)
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
