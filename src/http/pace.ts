/** Keeps bodies and answers moving: who sends or takes them slower than a person could notice is cut off. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerSettings } from '../server-settings.ts'

const LOOK_EVERY_MS = 500

interface Body {
  readonly message: IncomingMessage
  readonly deadline: number
  windowStart: number
  bytesAtStart: number
  onSlow: () => void
}

interface Answer {
  readonly response: ServerResponse
  readonly deadline: number
}

export class Pace {
  private readonly bodies = new Map<IncomingMessage, Body>()
  private readonly answers = new Set<Answer>()
  private readonly settings: Pick<ServerSettings, 'times' | 'pace'>
  private readonly timer: NodeJS.Timeout

  constructor(settings: Pick<ServerSettings, 'times' | 'pace'>) {
    this.settings = settings
    this.timer = setInterval(() => this.look(performance.now()), LOOK_EVERY_MS).unref()
  }

  /** Watches a body until it has arrived. A stream has a time of its own, and may not stand still either. */
  watchBody(message: IncomingMessage, isStream: boolean): void {
    const now = performance.now()
    const body: Body = {
      message,
      deadline: now + (isStream ? this.settings.times.streamMs : this.settings.times.requestMs),
      windowStart: now,
      bytesAtStart: message.socket.bytesRead,
      // Where nobody waits for the body, nobody waits for an answer about it either.
      onSlow: () => message.socket.destroy(),
    }
    this.bodies.set(message, body)
  }

  /** When the answer is out. A body that was refused may still come in, and is watched until it has. */
  answered(message: IncomingMessage): void {
    if (message.complete) this.bodies.delete(message)
  }

  /** Says who is told when a watched body is too slow. */
  onSlowBody(message: IncomingMessage, tell: () => void): void {
    const body = this.bodies.get(message)
    if (body !== undefined) body.onSlow = tell
  }

  /** Watches an answer until the caller has taken it. */
  watchAnswer(response: ServerResponse): void {
    const answer = { response, deadline: performance.now() + this.settings.times.requestMs }
    this.answers.add(answer)
    response.once('close', () => this.answers.delete(answer))
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private look(now: number): void {
    const { windowMs, bytesPerSecond } = this.settings.pace
    for (const body of this.bodies.values()) {
      const { message } = body
      if (message.complete || message.destroyed) {
        this.bodies.delete(message)
        continue
      }
      const elapsed = now - body.windowStart
      if (now < body.deadline && elapsed < windowMs) continue
      const arrived = message.socket.bytesRead - body.bytesAtStart
      if (now >= body.deadline || arrived < (bytesPerSecond * elapsed) / 1000) {
        this.bodies.delete(message)
        body.onSlow()
        continue
      }
      body.windowStart = now
      body.bytesAtStart = message.socket.bytesRead
    }
    for (const { response, deadline } of this.answers) {
      if (now >= deadline) response.socket?.destroy()
    }
  }
}
