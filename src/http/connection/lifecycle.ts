/**
 * How the service stops: first it says that it is not ready, then it takes nothing new, then it ends; last come the rows of
 * what was still being answered.
 */
import { Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../errors.ts'
import type { ServerSettings } from '../../server-settings.ts'
import { Crowd, type Member } from './swap-remove-list.ts'

/**
 * - `serving`: as always.
 * - `leaving`: answers as always, and says that it is not ready.
 * - `draining`: listens no more, finishes what it has begun, and refuses what still comes in on open connections.
 */
export type State = 'serving' | 'leaving' | 'draining'

/** A stream that can be ended from outside: its last line then says why. */
export interface OpenStream extends Member {
  cutOff(error: AppError): void
}

/** For the rows of what was cut off. The store itself gives up on a row after a second. */
const LAST_ROWS_MS = 1_500
const LOOK_EVERY_MS = 5
const MOST_TURNS = 500
const QUIET_MS = 0.5

export class Lifecycle {
  state: State = 'serving'
  /** Scoring calls that are not at their end. A caller may be gone long before that, and its row is still to be written. */
  walks = 0
  readonly streams = new Crowd<OpenStream>()
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
    const latest = performance.now() + LAST_ROWS_MS
    if (!isFinished) {
      this.streams.forEach((stream) => stream.cutOff(new AppError('DRAINING')))
      await until(() => this.streams.size === 0, latest)
      app.server.closeAllConnections()
    }
    // Whoever closes the store before they are at their end loses the rows of what they have answered.
    const isRecorded = await until(() => this.walks === 0, latest)
    return isFinished && isRecorded
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

/** Waits for something to come true; false when it has not by then. */
async function until(isTrue: () => boolean, latest: number): Promise<boolean> {
  while (!isTrue() && performance.now() < latest) await sleep(LOOK_EVERY_MS)
  return isTrue()
}
