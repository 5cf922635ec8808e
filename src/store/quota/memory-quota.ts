/** Counters in the memory of one process: a window that begins with its first use. */
import type { QuotaGrant, QuotaSource } from '../store.ts'

export const WINDOW_MS = 60_000
/** Windows that have ended are swept when there are this many, so that counters do not pile up. */
const SWEEP_AT = 10_000

export class MemoryQuota implements QuotaSource {
  private readonly windows = new Map<string, { readonly endsAt: number; taken: number }>()
  private sweepAt = SWEEP_AT
  private readonly now: () => number

  /** `now` must not be set back: a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now
  }

  take(counter: string, limit: number, want: number, windowMs = WINDOW_MS): QuotaGrant {
    // Whole milliseconds: with fractions, the end of a window minus its start can exceed the window in the last place.
    const now = Math.floor(this.now())
    let window = this.windows.get(counter)
    if (window === undefined || now >= window.endsAt) {
      if (this.windows.size >= this.sweepAt) this.sweep(now)
      window = { endsAt: now + windowMs, taken: 0 }
      this.windows.set(counter, window)
    }
    const granted = Math.max(0, Math.min(want, limit - window.taken))
    window.taken += granted
    return { granted, remaining: Math.max(0, limit - window.taken), resetsInMs: window.endsAt - now }
  }

  private sweep(now: number): void {
    for (const [counter, { endsAt }] of this.windows) if (now >= endsAt) this.windows.delete(counter)
    // Many windows that have not ended must not be looked at again for each new one.
    this.sweepAt = Math.max(SWEEP_AT, 2 * this.windows.size)
  }
}
