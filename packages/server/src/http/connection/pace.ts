/** Ends slow transfers: bodies that arrive too slowly, and large answers that the caller does not read. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { AppError } from '@patient-risk/runtime'
import type { ServerSettings } from '@patient-risk/catalog/config'

const CHECK_EVERY_MS = 500
/** A reader that takes its answer within this time is never disconnected for the sake of others. */
const GRACE_MS = 1_000
/** How much of a refused body is read and discarded, so that the caller can read its refusal. */
const DISCARD_BYTES = 64 * 1024 * 1024

/**
 * A body that is watched until it has arrived. Its reader gets an `error` event when it is too slow. Not a callback: that
 * would link the watched body to everything of its request, and keep it in memory until a full garbage collection.
 */
export class WatchedBody {
  private readonly message: IncomingMessage
  private readonly deadline: number
  private windowStart: number
  private bytesAtStart: number
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
    this.discardUntil = this.message.socket.bytesRead + DISCARD_BYTES
  }

  /** Whether there is nothing more to watch: the body has arrived, or it was ended here because it was too slow or too long. */
  isOver(now: number, { windowMs, bytesPerSecond }: ServerSettings['pace']): boolean {
    const { complete, destroyed, socket } = this.message
    if (complete || destroyed) return true
    if (socket.bytesRead > this.discardUntil) {
      socket.destroy()
      return true
    }
    const elapsed = now - this.windowStart
    if (now < this.deadline && elapsed < windowMs) return false
    const arrived = socket.bytesRead - this.bytesAtStart
    if (now >= this.deadline || arrived < (bytesPerSecond * elapsed) / 1000) {
      // After a refusal, or before the body is read, nobody waits for an answer any more: the connection ends.
      const isRead = this.discardUntil === Infinity && this.message.listenerCount('error') > 0
      if (isRead) this.message.emit('error', new AppError('BODY_TOO_SLOW'))
      else socket.destroy()
      return true
    }
    this.windowStart = now
    this.bytesAtStart = socket.bytesRead
    return false
  }
}

interface WaitingAnswer {
  readonly response: ServerResponse
  readonly since: number
  readonly bytes: number
}

type Settings = Pick<ServerSettings, 'times' | 'pace' | 'load'>

export class Pace {
  /** One for each connection: the next body cannot begin before the last one is complete. */
  private readonly bodies = new Map<Socket, WatchedBody>()
  /** In the order in which they began to wait. */
  private readonly answers = new Set<WaitingAnswer>()
  private readonly settings: Settings
  private readonly steadyNow: () => number
  private readonly timer: NodeJS.Timeout
  private waitingBytes = 0

  constructor(settings: Settings, steadyNow: () => number = () => performance.now()) {
    this.settings = settings
    this.steadyNow = steadyNow
    this.timer = setInterval(() => this.check(steadyNow()), CHECK_EVERY_MS).unref()
  }

  /** Watches a body until it has arrived, also after its refusal. A stream has its own time limit. */
  watchBody(message: IncomingMessage, isStream: boolean): WatchedBody {
    const { streamMs, requestMs } = this.settings.times
    const body = new WatchedBody(message, this.steadyNow(), isStream ? streamMs : requestMs)
    this.bodies.set(message.socket, body)
    return body
  }

  /** Watches an answer until the caller has read it. When too much is waiting, the slowest reader is disconnected. */
  watchAnswer(response: ServerResponse, bytes: number): void {
    const answer = { response, since: this.steadyNow(), bytes }
    this.answers.add(answer)
    this.waitingBytes += bytes
    response.once('close', () => this.forget(answer))
    this.endSlowReaders(answer.since)
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private check(now: number): void {
    const { pace, times } = this.settings
    for (const [socket, body] of this.bodies) {
      if (body.isOver(now, pace)) this.bodies.delete(socket)
    }
    for (const { response, since } of this.answers) {
      if (now >= since + times.requestMs) response.socket?.destroy()
    }
    this.endSlowReaders(now)
  }

  private endSlowReaders(now: number): void {
    for (const answer of this.answers) {
      if (this.waitingBytes <= this.settings.load.answerBytes || now - answer.since < GRACE_MS) return
      this.forget(answer)
      answer.response.socket?.destroy()
    }
  }

  private forget(answer: WaitingAnswer): void {
    if (this.answers.delete(answer)) this.waitingBytes -= answer.bytes
  }
}
