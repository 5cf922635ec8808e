/** How the service stops: first it says that it is not ready, then it takes nothing new, then it ends. */
import type { FastifyInstance } from 'fastify'
import type { ServerSettings } from '../server-settings.ts'

/**
 * - `serving`: as always.
 * - `leaving`: still answers, says that it is not ready, and ends each connection with the next answer on it.
 * - `draining`: listens no more, finishes what it has begun, and refuses what still comes in.
 */
export type State = 'serving' | 'leaving' | 'draining'

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
    // A caller that was about to send on an open connection gets its answer: closing at once would cut it off.
    await wait(this.times.noticeMs)
    this.state = 'draining'
    const closed = app.close().then(() => true)
    const left = Math.max(0, this.times.stopMs - (performance.now() - start))
    const isFinished = await Promise.race([closed, wait(left).then(() => false)])
    if (!isFinished) app.server.closeAllConnections()
    return isFinished
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
