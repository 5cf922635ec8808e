/** Limits in a minute: counters in the memory of a process, and the portions that requests are taken from. */
import type { QuotaGrant, QuotaSource, Store } from './store.ts'

export const WINDOW_MS = 60_000
/** Windows that have ended are swept when there are this many, so that counters do not pile up. */
const SWEEP_AT = 10_000

/** Counts in the memory of one process: a window begins with its first use. */
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
    for (const [counter, { endsAt }] of this.windows) {
      if (now >= endsAt) this.windows.delete(counter)
    }
    // Many windows that have not ended must not be looked at again for each new one.
    this.sweepAt = Math.max(SWEEP_AT, 2 * this.windows.size)
  }
}

/** A portion is at most this share of the limit, and of what is left: little is lost in a process that gets no further requests. */
const SHARE_OF_LIMIT = 0.005
const SHARE_OF_REST = 0.02

export interface Taken {
  readonly isGranted: boolean
  readonly remaining: number
  readonly resetsInMs: number
}

interface Portion {
  left: number
  /** What the store had left when it was last asked. */
  rest: number
  endsAt: number
  refill: Promise<void> | undefined
}

/**
 * Takes quota for requests, all of what a request needs or none. It is taken from the store in small portions, so that
 * most requests ask nobody, and the sum over all processes that share the store never exceeds the limit.
 */
export class Limiter {
  private readonly store: Pick<Store, 'takeQuota'>
  private readonly steadyNow: () => number
  private readonly portions = new Map<string, Portion>()

  constructor(store: Pick<Store, 'takeQuota'>, steadyNow: () => number = () => performance.now()) {
    this.store = store
    // Whole milliseconds, so that no time left exceeds its window in the last place.
    this.steadyNow = () => Math.floor(steadyNow())
  }

  /** Milliseconds for which nothing is left, as far as this process knows; 0 where there may be something. */
  exhaustedMs(counter: string): number {
    const portion = this.portions.get(counter)
    if (portion === undefined || portion.left > 0 || portion.rest > 0) return 0
    return this.report(portion, false).resetsInMs
  }

  /** Takes from the portion at hand; undefined where it is not enough, so that the store must be asked. */
  takeAtHand(counter: string, amount: number): Taken | undefined {
    const portion = this.portions.get(counter)
    if (portion === undefined || portion.left < amount || this.steadyNow() >= portion.endsAt) return undefined
    portion.left -= amount
    return this.report(portion, true)
  }

  async take(counter: string, limit: number, amount: number): Promise<Taken> {
    const portion = this.portionOf(counter, limit)
    while (portion.left < amount) {
      if (portion.refill !== undefined) {
        await portion.refill
        continue
      }
      if (this.steadyNow() >= portion.endsAt) Object.assign(portion, { left: 0, rest: limit })
      // The store has nothing left in this window, so it need not be asked again.
      else if (portion.rest === 0) return this.report(portion, false)
      portion.refill = this.refill(counter, portion, limit, amount - portion.left)
      try {
        await portion.refill
      } finally {
        portion.refill = undefined
      }
    }
    portion.left -= amount
    return this.report(portion, true)
  }

  private portionOf(counter: string, limit: number): Portion {
    let portion = this.portions.get(counter)
    if (portion === undefined || (this.steadyNow() >= portion.endsAt && portion.refill === undefined)) {
      if (this.portions.size >= 10_000) this.sweep()
      portion = { left: 0, rest: limit, endsAt: Infinity, refill: undefined }
      this.portions.set(counter, portion)
    }
    return portion
  }

  private async refill(counter: string, portion: Portion, limit: number, need: number): Promise<void> {
    const share = Math.floor(Math.min(limit * SHARE_OF_LIMIT, portion.rest * SHARE_OF_REST))
    const want = Math.max(need, share)
    // From the question on: an answer that is late must not make the window longer.
    const askedAt = this.steadyNow()
    const { granted, remaining, resetsInMs } = await this.store.takeQuota(counter, limit, want)
    portion.left += granted
    portion.rest = remaining
    portion.endsAt = askedAt + resetsInMs
  }

  private report(portion: Portion, isGranted: boolean): Taken {
    const resetsInMs = Math.max(0, portion.endsAt - this.steadyNow())
    return { isGranted, remaining: portion.left + portion.rest, resetsInMs }
  }

  private sweep(): void {
    const now = this.steadyNow()
    for (const [counter, { endsAt }] of this.portions) {
      if (now >= endsAt) this.portions.delete(counter)
    }
  }
}
