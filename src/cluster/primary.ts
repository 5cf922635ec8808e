/** What the primary keeps for all workers: the counters of the limits, and the figures of workers that have ended. */
import type { Worker } from 'node:cluster'
import { NO_FIGURES, type Snapshot, countsOf, together } from '../metrics/snapshot.ts'
import { MemoryQuota } from '../store/quota/memory-quota.ts'
import { type RpcPort, WorkerRpc } from './worker-rpc.ts'

/** How long a worker may take to send its figures; after that, only its last counts are shown. */
export const FIGURES_MS = 1_000

interface Member {
  readonly rpc: WorkerRpc
  latest: Snapshot
  hasEnded: boolean
}

export class FirstProcess {
  private readonly quota = new MemoryQuota()
  private readonly members = new Set<Member>()
  private ended = NO_FIGURES
  private collecting: Promise<Snapshot> | undefined

  /** Answers the calls of a worker, and asks it for its figures until it ends. */
  serve(worker: RpcPort & Pick<Worker, 'once'>): void {
    const rpc = new WorkerRpc(worker, {
      quota: (counter, limit, want) => this.quota.take(counter, limit, want),
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
