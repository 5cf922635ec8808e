/** Counters in the memory of one process: a window of a minute that begins with its first use. */
import type { QuotaGrant, QuotaSource } from '../store.ts'

export const WINDOW_MS = 60_000
/** Windows that have ended are swept when there are this many, so that counters do not pile up. */
const SWEEP_AT = 10_000

export class MemoryQuota implements QuotaSource {
  private readonly windows = new Map<string, { startedAt: number; taken: number }>()
  private readonly now: () => number

  /** `now` must not be set back: a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now
  }

  take(counter: string, limit: number, want: number): QuotaGrant {
    const now = this.now()
    let window = this.windows.get(counter)
    if (window === undefined || now - window.startedAt >= WINDOW_MS) {
      if (this.windows.size >= SWEEP_AT) this.sweep(now)
      window = { startedAt: now, taken: 0 }
      this.windows.set(counter, window)
    }
    const granted = Math.max(0, Math.min(want, limit - window.taken))
    window.taken += granted
    return {
      granted,
      remaining: Math.max(0, limit - window.taken),
      resetsInMs: window.startedAt + WINDOW_MS - now,
    }
  }

  /** What `take` would leave, without taking. */
  look(counter: string, limit: number): QuotaGrant {
    return this.take(counter, limit, 0)
  }

  private sweep(now: number): void {
    for (const [counter, { startedAt }] of this.windows) {
      if (now - startedAt >= WINDOW_MS) this.windows.delete(counter)
    }
  }
}
