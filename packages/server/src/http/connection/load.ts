/** Sheds load: bounds the requests and bytes held at the same time, and refuses new work while the event loop is late. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { AppError } from '@patient-risk/runtime'
import type { ServerSettings } from '@patient-risk/catalog/config'

const RESOLUTION_MS = 20
const CHECK_EVERY_MS = 1_000
const NS_PER_MS = 1e6

/** What a request holds of the load. */
export interface Held {
  heldBytes: number
  isInProgress: boolean
  /** Whether its bytes are a body for an adapter. As objects they take several times the memory, so they have a bound of their own. */
  isForAdapter?: boolean
}

export class Load {
  requests = 0
  bytes = 0
  /** Those of the bytes that are bodies for adapters. */
  adapterBytes = 0
  /** Mean delay of the event loop over the last second, in milliseconds. */
  delayMs = 0
  readonly shed = { requests: 0, bytes: 0, 'event-loop': 0 }
  private readonly limits: ServerSettings['load']
  private readonly histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  private readonly timer = setInterval(() => this.check(), CHECK_EVERY_MS).unref()
  private lateChecks = 0

  constructor(limits: ServerSettings['load']) {
    this.limits = limits
    this.histogram.enable()
  }

  /** Whether the event loop is late, so that new work must be refused. Counts the refusal. */
  isLate(): boolean {
    // One late check may be one large body; two in a row mean overload.
    if (this.lateChecks < 2) return false
    this.shed['event-loop']++
    return true
  }

  /** Counts a request that is being answered. Throws, and counts a refusal, when there are too many. */
  begin(request: Held): void {
    if (request.isInProgress) return
    if (this.requests >= this.limits.requests) {
      this.shed.requests++
      throw new AppError('OVERLOADED')
    }
    this.requests++
    request.isInProgress = true
  }

  /** Counts bytes of a body or an answer that are held. Throws, and counts a refusal, when there are too many. */
  hold(request: Held, bytes: number): void {
    const adapterBytes = request.isForAdapter === true ? bytes : 0
    const isTooMuch = this.adapterBytes + adapterBytes > this.limits.adapterBytes
    if (this.bytes + bytes > this.limits.bytes || (adapterBytes > 0 && isTooMuch)) {
      this.shed.bytes++
      throw new AppError('OVERLOADED')
    }
    this.bytes += bytes
    this.adapterBytes += adapterBytes
    request.heldBytes += bytes
  }

  /** The body was read and is gone. The answer of an adapter is bounded like every other. */
  releaseBody(request: Held): void {
    this.bytes -= request.heldBytes
    if (request.isForAdapter === true) this.adapterBytes -= request.heldBytes
    request.heldBytes = 0
    request.isForAdapter = false
  }

  /** Gives back everything that was counted for a request. */
  release(request: Held): void {
    this.releaseBody(request)
    if (request.isInProgress) this.requests--
    request.isInProgress = false
  }

  stop(): void {
    clearInterval(this.timer)
    this.histogram.disable()
  }

  private check(): void {
    const { mean } = this.histogram
    // The histogram includes the interval itself.
    this.delayMs = Number.isNaN(mean) ? 0 : Math.max(0, mean / NS_PER_MS - RESOLUTION_MS)
    this.histogram.reset()
    this.lateChecks = this.delayMs > this.limits.eventLoopDelayMs ? this.lateChecks + 1 : 0
  }
}
