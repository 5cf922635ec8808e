/** What stands between the network and the stages of a request: framing, pace, load, and the way out. */
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../errors.ts'
import type { ServerSettings } from '../../server-settings.ts'
import { Lifecycle } from './lifecycle.ts'
import { Load } from './load.ts'
import { isWaiting } from './node-server.ts'
import { Pace } from './pace.ts'
import { refuseAmbiguous } from '../request/refuse-ambiguous.ts'
import { refuseFraming } from '../request/refuse-framing.ts'

/** Probes and figures are answered whatever the load. */
const ALWAYS = /^\/(health\/|metrics$)/
/** Bodies up to this size are read to their end after a refusal, so that the connection can be used again. */
const READ_ON_BYTES = 1_048_576

export class Guards {
  readonly lifecycle: Lifecycle
  readonly load: Load
  readonly pace: Pace

  constructor(settings: ServerSettings) {
    this.lifecycle = new Lifecycle(settings.times)
    this.load = new Load(settings.load)
    this.pace = new Pace(settings)
  }

  /** The error for a request that cannot be read in one way only, or comes at a bad time. */
  refuse(message: IncomingMessage): AppError | undefined {
    const url = message.url ?? ''
    const refusal = refuseFraming(message, url) ?? refuseAmbiguous(message.rawHeaders)
    if (refusal !== undefined || isAlwaysAnswered(url)) return refusal
    if (this.lifecycle.state === 'draining') return new AppError('DRAINING')
    return this.load.isLate() ? new AppError('OVERLOADED') : undefined
  }

  /** Counts bytes that are held for a request until its answer is done. Throws when the service holds too many. */
  hold(request: { heldBytes: number }, bytes: number): void {
    if (!this.load.hold(bytes)) throw new AppError('OVERLOADED')
    request.heldBytes += bytes
  }

  stop(): void {
    this.pace.stop()
    this.load.stop()
  }
}

export function isAlwaysAnswered(url: string): boolean {
  return ALWAYS.test(url)
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** A body that was not read stands between this answer and the next request; a small one is read and forgotten. */
export function canGoOn(message: IncomingMessage, { code }: AppError): boolean {
  if (message.complete) return true
  if (code === 'REQUEST_INVALID' || code === 'BODY_TOO_SLOW' || isWaiting(message)) return false
  const length = Number(message.headers['content-length'] ?? Infinity)
  return length <= READ_ON_BYTES
}
