/** Keeps bodies and answers moving: who sends or takes them slower than a person could notice is cut off. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerSettings } from '../../server-settings.ts'
import { Crowd, type Member } from './swap-remove-list.ts'

const LOOK_EVERY_MS = 500

/** A body that is watched until it has arrived. */
export class WatchedBody implements Member {
  place = -1
  readonly message: IncomingMessage
  readonly deadline: number
  windowStart: number
  bytesAtStart: number
  /** Who is told when it is too slow. Where nobody waits for the body, nobody waits for an answer about it either. */
  tell: (() => void) | undefined

  constructor(message: IncomingMessage, now: number, limitMs: number) {
    this.message = message
    this.deadline = now + limitMs
    this.windowStart = now
    this.bytesAtStart = message.socket.bytesRead
  }

  cutOff(): void {
    if (this.tell === undefined) this.message.socket.destroy()
    else this.tell()
  }
}

interface Answer extends Member {
  readonly response: ServerResponse
  readonly deadline: number
}

export class Pace {
  private readonly bodies = new Crowd<WatchedBody>()
  private readonly answers = new Crowd<Answer>()
  private readonly settings: Pick<ServerSettings, 'times' | 'pace'>
  private readonly timer: NodeJS.Timeout

  constructor(settings: Pick<ServerSettings, 'times' | 'pace'>) {
    this.settings = settings
    this.timer = setInterval(() => this.look(performance.now()), LOOK_EVERY_MS).unref()
  }

  /** Watches a body until it has arrived. A stream has a time of its own, and may not stand still either. */
  watchBody(message: IncomingMessage, isStream: boolean): WatchedBody {
    const { streamMs, requestMs } = this.settings.times
    const body = new WatchedBody(message, performance.now(), isStream ? streamMs : requestMs)
    this.bodies.add(body)
    return body
  }

  /** When the answer is out. A body that was refused may still come in, and is watched until it has. */
  answered(body: WatchedBody | undefined): void {
    if (body?.message.complete === true) this.bodies.remove(body)
  }

  /** Watches an answer until the caller has taken it. */
  watchAnswer(response: ServerResponse): void {
    const answer = { place: -1, response, deadline: performance.now() + this.settings.times.requestMs }
    this.answers.add(answer)
    response.once('close', () => this.answers.remove(answer))
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private look(now: number): void {
    this.bodies.forEach((body) => this.lookAt(body, now))
    this.answers.forEach(({ response, deadline }) => {
      if (now >= deadline) response.socket?.destroy()
    })
  }

  private lookAt(body: WatchedBody, now: number): void {
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
      body.cutOff()
      return
    }
    body.windowStart = now
    body.bytesAtStart = message.socket.bytesRead
  }
}
