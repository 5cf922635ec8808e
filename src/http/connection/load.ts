/** Refuses work in time rather than doing all of it late: what is held at once is bounded, and a late event loop takes nothing new. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { AppError } from '../../errors.ts'
import type { ServerSettings } from '../../server-settings.ts'

const RESOLUTION_MS = 20
const LOOK_EVERY_MS = 1_000
const NS_PER_MS = 1e6

type ShedReason = 'requests' | 'bytes' | 'event-loop'

export class Load {
  requests = 0
  bytes = 0
  /** Mean delay of the event loop over the last second, in milliseconds. */
  delayMs = 0
  readonly shed: Record<ShedReason, number> = { requests: 0, bytes: 0, 'event-loop': 0 }
  private readonly limits: ServerSettings['load']
  private readonly histogram: ReturnType<typeof monitorEventLoopDelay>
  private readonly timer: NodeJS.Timeout
  private lateLooks = 0

  constructor(limits: ServerSettings['load']) {
    this.limits = limits
    this.histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    this.histogram.enable()
    this.timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref()
  }

  /** Whether the event loop is late, so that what waits already must be answered first. Counts a refusal if so. */
  isLate(): boolean {
    // One late look may be one large body; two in a row are more work than there is time for.
    if (this.lateLooks < 2) return false
    this.shed['event-loop']++
    return true
  }

  /** Begins to answer a request; it ends once. Throws, and counts a refusal, when there are too many. */
  begin(): void {
    if (this.requests >= this.limits.requests) {
      this.shed.requests++
      throw new AppError('OVERLOADED')
    }
    this.requests++
  }

  end(): void {
    this.requests--
  }

  /** Holds bytes of a body or an answer; false, and counts a refusal, when there are too many. */
  hold(bytes: number): boolean {
    if (this.bytes + bytes > this.limits.bytes) {
      this.shed.bytes++
      return false
    }
    this.bytes += bytes
    return true
  }

  release(bytes: number): void {
    this.bytes -= bytes
  }

  stop(): void {
    clearInterval(this.timer)
    this.histogram.disable()
  }

  private look(): void {
    const { mean } = this.histogram
    // The histogram counts the interval itself, not only what came on top of it.
    this.delayMs = Number.isNaN(mean) ? 0 : Math.max(0, mean / NS_PER_MS - RESOLUTION_MS)
    this.histogram.reset()
    this.lateLooks = this.delayMs > this.limits.eventLoopDelayMs ? this.lateLooks + 1 : 0
  }
}
