/** What the first process keeps for all the others: the counters of the limits, and the figures of those that have ended. */
import type { Worker } from 'node:cluster'
import { NO_FIGURES, type Snapshot, countsOf, together } from '../metrics/snapshot.ts'
import { MemoryQuota } from '../store/quota/memory-quota.ts'
import { type End, Line } from './worker-rpc.ts'

/** How long a process may take to say its figures; the others are then shown without its present state. */
export const FIGURES_MS = 1_000

interface Member {
  readonly line: Line
  latest: Snapshot
  hasEnded: boolean
}

export class FirstProcess {
  private readonly quota = new MemoryQuota()
  private readonly members = new Set<Member>()
  private ended = NO_FIGURES
  private collecting: Promise<Snapshot> | undefined

  /** Answers a process from now on, and asks it for its figures until it ends. */
  serve(worker: End & Pick<Worker, 'once'>): void {
    const line = new Line(worker, {
      quota: (counter, limit, want) => this.quota.take(counter, limit, want),
      allFigures: () => this.collect(),
    })
    const member: Member = { line, latest: NO_FIGURES, hasEnded: false }
    this.members.add(member)
    worker.once('exit', () => {
      member.hasEnded = true
      // Processes that die again and again while nobody looks must not pile up here.
      if (member.latest === NO_FIGURES) this.members.delete(member)
    })
  }

  /** Who asks while the figures are being collected gets the same: no count is taken twice. */
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
  const fresh = await member.line.ask('figures', [], FIGURES_MS)
  if (fresh === undefined) return countsOf(member.latest)
  member.latest = fresh
  return fresh
}
