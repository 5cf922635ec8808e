/** How the service stops: first it says that it is not ready, then it takes nothing new, then it ends. */
import { Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { ServerSettings } from '../server-settings.ts'

/**
 * - `serving`: as always.
 * - `leaving`: answers as always, and says that it is not ready.
 * - `draining`: listens no more, finishes what it has begun, and refuses what still comes in on open connections.
 */
export type State = 'serving' | 'leaving' | 'draining'

const MOST_TURNS = 500
const QUIET_MS = 0.5

export class Lifecycle {
  state: State = 'serving'
  private readonly times: ServerSettings['times']

  constructor(times: ServerSettings['times']) {
    this.times = times
  }

  /** Stops; true when everything that was begun was also finished. */
  async stop(app: FastifyInstance): Promise<boolean> {
    const start = performance.now()
    this.state = 'leaving'
    await sleep(this.times.noticeMs)
    await quietMoment()
    // Not the close of the HTTP server, which ends idle connections too: a caller that is about to send on one
    // must get an answer, if only that it came too late.
    NetServer.prototype.close.call(app.server)
    // Only now: a caller whose connection ends with a refusal comes back at once, and must find the door shut.
    this.state = 'draining'
    await sleep(this.times.noticeMs)
    const left = Math.max(0, this.times.stopMs - (performance.now() - start))
    const deadline = new AbortController()
    const isFinished = await Promise.race([
      app.close().then(() => true),
      sleep(left, false, { signal: deadline.signal }).catch(() => false),
    ])
    deadline.abort()
    if (!isFinished) app.server.closeAllConnections()
    return isFinished
  }
}

/** Callers that the system has accepted and we have not are lost when we stop listening: a quick turn has few of them. */
async function quietMoment(): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const start = performance.now()
    await new Promise((resolve) => setImmediate(resolve))
    if (performance.now() - start < QUIET_MS) return
  }
}
