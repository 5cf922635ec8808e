/**
 * The states of a server, and its graceful stop: first it reports "not ready", then it refuses new work, then it closes.
 * The audit rows of requests that were still being answered are written last.
 */
import { Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { AppError } from '@patient-risk/runtime'
import type { ServerSettings } from '@patient-risk/catalog/config'

/**
 * - `serving`: normal operation.
 * - `leaving`: still answers everything, and reports "not ready".
 * - `draining`: no longer listens, finishes what it has begun, and refuses new requests on open connections.
 */
export type State = 'serving' | 'leaving' | 'draining'

/** Time for the rows of requests that were cut off. The store gives up on a row after a second. */
const LAST_ROWS_MS = 1_500
const CHECK_EVERY_MS = 5
const MOST_TURNS = 500
const QUIET_MS = 0.5

export class Lifecycle {
  state: State = 'serving'
  /** Requests whose row is not written yet. Their callers may have hung up long before. */
  openRequests = 0
  /** Streams that can be ended from outside; their last line then gives the reason. */
  readonly streams = new Set<{ cutOff(error: AppError): void }>()
  private readonly times: ServerSettings['times']

  constructor(times: ServerSettings['times']) {
    this.times = times
  }

  /** Stops; true if every request that had begun was finished. Balancers get notice before and after listening ends. */
  async stop(app: FastifyInstance, notice = () => sleep(this.times.noticeMs)): Promise<boolean> {
    const start = performance.now()
    this.state = 'leaving'
    await notice()
    await quietMoment()
    // The close method of the HTTP server would also end idle connections. A caller that is about to send on one must get
    // an answer, even if it is a refusal.
    NetServer.prototype.close.call(app.server)
    // Only after listening has stopped: a refused caller reconnects at once, and must reach another instance.
    this.state = 'draining'
    await notice()
    const left = Math.max(0, this.times.stopMs - (performance.now() - start))
    const deadline = new AbortController()
    const isFinished = await Promise.race([
      app.close().then(() => true),
      sleep(left, false, { signal: deadline.signal }).catch(() => false),
    ])
    deadline.abort()
    const latest = performance.now() + LAST_ROWS_MS
    if (!isFinished) {
      for (const stream of this.streams) stream.cutOff(new AppError('DRAINING'))
      await until(() => this.streams.size === 0, latest)
      app.server.closeAllConnections()
    }
    // The store is closed after this; rows that come later would be lost.
    const isRecorded = await until(() => this.openRequests === 0, latest)
    return isFinished && isRecorded
  }
}

/**
 * Waits for a short turn of the event loop. Connections that the system has accepted and Node has not are lost when listening stops;
 * after a short turn there are few of them.
 */
async function quietMoment(): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const start = performance.now()
    await new Promise((resolve) => setImmediate(resolve))
    if (performance.now() - start < QUIET_MS) return
  }
}

/** Waits for a condition; false when it does not hold by then. */
async function until(isTrue: () => boolean, latest: number): Promise<boolean> {
  while (!isTrue() && performance.now() < latest) await sleep(CHECK_EVERY_MS)
  return isTrue()
}
