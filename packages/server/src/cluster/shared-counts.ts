/** What all processes share: the counters of the limits and the metrics. The primary keeps them; workers call it. */
import type { Worker } from 'node:cluster'
import { EMPTY_SNAPSHOT, type Peers, type Snapshot, countsOf, merge } from '../metrics/snapshot.ts'
import { MemoryQuota, WINDOW_MS } from '../store/quota.ts'
import { Rpc, type RpcPort } from '@patient-risk/runtime'
import type { QuotaGrant, QuotaSource } from '../store/store.ts'

/** How long a worker may take to send its metrics; after that, only its last counts are shown. */
const METRICS_MS = 1_000
/** As long as any call of the store. */
const QUOTA_MS = 1_000

/**
 * Methods of the primary and of its workers. Messages hold counts, names from the configuration and addresses of callers.
 * They never hold patient data.
 */
interface PrimaryMethods {
  /** A portion of a limit. */
  quota(counter: string, limit: number, want: number, windowMs: number): QuotaGrant
  /** The metrics of all processes together. */
  readAllMetrics(): Promise<Snapshot>
}
interface WorkerMethods {
  readMetrics(): Promise<Snapshot>
}

interface Member {
  readonly rpc: Rpc<WorkerMethods>
  latest: Snapshot
  hasEnded: boolean
}

export class PrimaryProcess {
  private readonly quota = new MemoryQuota()
  private readonly members = new Set<Member>()
  private ended = EMPTY_SNAPSHOT
  private collecting: Promise<Snapshot> | undefined

  /** Answers the calls of a worker, and reads its metrics until it ends. */
  serve(worker: RpcPort & Pick<Worker, 'once'>): void {
    const rpc = new Rpc<WorkerMethods>(worker, 'the worker process', {
      quota: (...args: Parameters<PrimaryMethods['quota']>) => this.quota.take(...args),
      readAllMetrics: () => this.collect(),
    })
    const member: Member = { rpc, latest: EMPTY_SNAPSHOT, hasEnded: false }
    this.members.add(member)
    worker.once('exit', () => {
      member.hasEnded = true
      // Workers that die repeatedly before anyone reads metrics must not accumulate here.
      if (member.latest === EMPTY_SNAPSHOT) this.members.delete(member)
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
      this.ended = await merge([this.ended, countsOf(member.latest)])
    }
    const found = await Promise.all([...this.members].map(read))
    return merge([...found, this.ended])
  }
}

async function read(member: Member): Promise<Snapshot> {
  try {
    member.latest = await member.rpc.call('readMetrics', [], METRICS_MS)
    return member.latest
  } catch {
    return countsOf(member.latest)
  }
}

export interface PrimaryConnection {
  readonly quota: QuotaSource
  readonly peers: Peers
}

/** For a worker process: takes its quota from the primary, and sends its metrics on request. */
export function connectToPrimary(worker: RpcPort, quotaMs = QUOTA_MS): PrimaryConnection {
  let read: WorkerMethods['readMetrics'] = () =>
    Promise.reject(new Error('the metrics were requested before they exist'))
  const rpc = new Rpc<PrimaryMethods>(worker, 'the primary process', { readMetrics: () => read() })
  return {
    quota: {
      // Messages are JSON, in which an absent argument would arrive as null: a window that ends at once.
      take: (counter, limit, want, windowMs = WINDOW_MS) =>
        rpc.call('quota', [counter, limit, want, windowMs], quotaMs),
    },
    peers: {
      offer(reader) {
        read = reader
      },
      // Twice as long: the primary itself may wait for a process that does not respond.
      collect: () => rpc.call('readAllMetrics', [], 2 * METRICS_MS),
    },
  }
}
