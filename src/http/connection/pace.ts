/** Ends slow transfers: bodies that arrive too slowly, and large answers that the caller does not read. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerSettings } from '../../server-settings.ts'
import { type ListEntry, SwapRemoveList } from './swap-remove-list.ts'

const CHECK_EVERY_MS = 500

/** A body that is watched until it has arrived. */
export class WatchedBody implements ListEntry {
  place = -1
  readonly message: IncomingMessage
  readonly deadline: number
  windowStart: number
  bytesAtStart: number
  /** Called when the body is too slow. While nobody reads the body, nobody waits for an answer either: the connection ends. */
  onSlow: (() => void) | undefined

  constructor(message: IncomingMessage, now: number, limitMs: number) {
    this.message = message
    this.deadline = now + limitMs
    this.windowStart = now
    this.bytesAtStart = message.socket.bytesRead
  }

  end(): void {
    if (this.onSlow === undefined) this.message.socket.destroy()
    else this.onSlow()
  }
}

interface WaitingAnswer extends ListEntry {
  readonly response: ServerResponse
  readonly deadline: number
}

export class Pace {
  private readonly bodies = new SwapRemoveList<WatchedBody>()
  private readonly answers = new SwapRemoveList<WaitingAnswer>()
  private readonly settings: Pick<ServerSettings, 'times' | 'pace'>
  private readonly timer: NodeJS.Timeout

  constructor(settings: Pick<ServerSettings, 'times' | 'pace'>) {
    this.settings = settings
    this.timer = setInterval(() => this.check(performance.now()), CHECK_EVERY_MS).unref()
  }

  /** Watches a body until it has arrived. A stream has its own time limit. */
  watchBody(message: IncomingMessage, isStream: boolean): WatchedBody {
    const { streamMs, requestMs } = this.settings.times
    const body = new WatchedBody(message, performance.now(), isStream ? streamMs : requestMs)
    this.bodies.add(body)
    return body
  }

  /** Called when the answer has left. A refused body may still be arriving, and is watched until it has. */
  answered(body: WatchedBody): void {
    if (body.message.complete) this.bodies.remove(body)
  }

  /** Watches an answer until the caller has read it. */
  watchAnswer(response: ServerResponse): void {
    const answer = { place: -1, response, deadline: performance.now() + this.settings.times.requestMs }
    this.answers.add(answer)
    response.once('close', () => this.answers.remove(answer))
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private check(now: number): void {
    this.bodies.forEach((body) => this.checkBody(body, now))
    this.answers.forEach(({ response, deadline }) => {
      if (now >= deadline) response.socket?.destroy()
    })
  }

  private checkBody(body: WatchedBody, now: number): void {
    const { windowMs, bytesPerSecond } = this.settings.pace
    const { message } = body
    if (message.complete || message.destroyed) {
      this.bodies.remove(body)
      return
    }
    const elapsed = now - body.windowStart
    if (now < body.deadline && elapsed < windowMs) return
    const arrived = message.socket.bytesRead - body.bytesAtStart
    if (now >= body.deadline || arrived < (bytesPerSecond * elapsed) / 1000) {
      this.bodies.remove(body)
      body.end()
      return
    }
    body.windowStart = now
    body.bytesAtStart = message.socket.bytesRead
  }
}
