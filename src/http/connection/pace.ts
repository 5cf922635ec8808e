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
  /** What the connection may have read before a refused body is cut off. */
  private discardUntil = Infinity

  constructor(message: IncomingMessage, now: number, limitMs: number) {
    this.message = message
    this.deadline = now + limitMs
    this.windowStart = now
    this.bytesAtStart = message.socket.bytesRead
  }

  /** The body was refused: the rest of it is read and discarded, within a bound. */
  refuse(): void {
    this.onSlow = undefined
    this.discardUntil = this.message.socket.bytesRead + DISCARD_BYTES
  }

  get isTooMuch(): boolean {
    return this.message.socket.bytesRead > this.discardUntil
  }

  end(): void {
    if (this.onSlow === undefined) this.message.socket.destroy()
    else this.onSlow()
  }
}

interface WaitingAnswer extends ListEntry {
  readonly response: ServerResponse
  readonly since: number
  readonly bytes: number
}

/** A reader that takes its answer within this time is never disconnected for the sake of others. */
const GRACE_MS = 1_000
/** How much of a refused body is read and discarded, so that the caller can read its refusal. */
const DISCARD_BYTES = 64 * 1024 * 1024

export class Pace {
  private readonly bodies = new SwapRemoveList<WatchedBody>()
  private readonly answers = new SwapRemoveList<WaitingAnswer>()
  private readonly settings: Pick<ServerSettings, 'times' | 'pace' | 'load'>
  private readonly timer: NodeJS.Timeout
  private waitingBytes = 0
  private readonly steadyNow: () => number

  constructor(
    settings: Pick<ServerSettings, 'times' | 'pace' | 'load'>,
    steadyNow: () => number = () => performance.now(),
  ) {
    this.settings = settings
    this.steadyNow = steadyNow
    this.timer = setInterval(() => this.check(steadyNow()), CHECK_EVERY_MS).unref()
  }

  /** Watches a body until it has arrived. A stream has its own time limit. */
  watchBody(message: IncomingMessage, isStream: boolean): WatchedBody {
    const { streamMs, requestMs } = this.settings.times
    const body = new WatchedBody(message, this.steadyNow(), isStream ? streamMs : requestMs)
    this.bodies.add(body)
    return body
  }

  /** Called when the answer has left. A refused body may still be arriving, and is watched until it has. */
  answered(body: WatchedBody): void {
    if (body.message.complete) this.bodies.remove(body)
  }

  /** Watches an answer until the caller has read it. When too much is waiting, the slowest reader is disconnected. */
  watchAnswer(response: ServerResponse, bytes: number): void {
    const answer = { place: -1, response, since: this.steadyNow(), bytes }
    this.answers.add(answer)
    this.waitingBytes += bytes
    response.once('close', () => this.forget(answer))
    this.endSlowReaders(answer.since)
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private check(now: number): void {
    this.bodies.forEach((body) => this.checkBody(body, now))
    this.answers.forEach(({ response, since }) => {
      if (now >= since + this.settings.times.requestMs) response.socket?.destroy()
    })
    this.endSlowReaders(now)
  }

  private endSlowReaders(now: number): void {
    while (this.waitingBytes > this.settings.load.answerBytes) {
      let slowest: WaitingAnswer | undefined
      this.answers.forEach((answer) => {
        if (slowest === undefined || answer.since < slowest.since) slowest = answer
      })
      if (slowest === undefined || now - slowest.since < GRACE_MS) return
      this.forget(slowest)
      slowest.response.socket?.destroy()
    }
  }

  private forget(answer: WaitingAnswer): void {
    if (answer.place < 0) return
    this.answers.remove(answer)
    this.waitingBytes -= answer.bytes
  }

  private checkBody(body: WatchedBody, now: number): void {
    const { windowMs, bytesPerSecond } = this.settings.pace
    const { message } = body
    if (message.complete || message.destroyed) {
      this.bodies.remove(body)
      return
    }
    if (body.isTooMuch) {
      this.bodies.remove(body)
      message.socket.destroy()
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
