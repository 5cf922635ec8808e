/** Checks the caller's key before any byte of the body is read. */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Clock } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import { idOfApiKey } from '../../store/keys/api-key.ts'
import type { KeyCache } from '../../store/keys/key-cache.ts'
import { mayAdminister, mayUse } from '../../store/keys/key-rules.ts'
import type { StoredKey } from '../../store/store.ts'
import type { TrustedProxies } from '../connection/trusted-proxies.ts'
import type { FailedAttempts } from './failed-attempts.ts'
import type { RequestContext } from './request-context.ts'

const BEARER = /^Bearer +([^ ]+) *$/i
const SECOND_MS = 1_000

export interface AuthenticatorParts {
  readonly keyCache: KeyCache
  readonly attempts: FailedAttempts
  readonly proxies: TrustedProxies
  readonly clock: Clock
}

export class Authenticator {
  private readonly parts: AuthenticatorParts

  constructor(parts: AuthenticatorParts) {
    this.parts = parts
  }

  /** Checks the key that a call needs, and notes it in the context. Throws what the caller gets otherwise. */
  async admit(
    context: RequestContext,
    reply: FastifyReply,
    access: 'key' | 'deployment' | 'admin',
  ): Promise<StoredKey> {
    const key = await this.identify(context.raw, reply)
    // Log and audit name the key from here on, also when its scope is too small.
    context.key = key
    if (access === 'admin' && !mayAdminister(key)) {
      throw new AppError('KEY_SCOPE', 'The API key is valid, but it lacks the scope "admin".')
    }
    if (access === 'deployment' && !mayUse(key, context.deployment?.name ?? '')) {
      throw new AppError('KEY_SCOPE')
    }
    return key
  }

  /**
   * The key of the request. A key that verifies is always accepted: failures slow down only further failures, because
   * other callers of the same address, as behind the proxy of a hospital, must not be locked out.
   */
  private async identify(message: IncomingMessage, reply: FastifyReply): Promise<StoredKey> {
    const { keyCache, attempts, proxies, clock } = this.parts
    const text = BEARER.exec(message.headers.authorization ?? '')?.[1]
    if (text === undefined) throw new AppError('KEY_MISSING')
    let waitMs: number
    try {
      const now = clock.now()
      const key = keyCache.recall(text, now) ?? (await keyCache.verify(text, now))
      if (key !== undefined) return key
      waitMs = await attempts.noteFailure(proxies.callerOf(message), idOfApiKey(text))
    } catch {
      // Not 401: the key may be valid, and its owner must not throw it away.
      throw new AppError('STORE_UNAVAILABLE')
    }
    if (waitMs === 0) throw new AppError('KEY_INVALID')
    reply.header('retry-after', String(Math.ceil(waitMs / SECOND_MS)))
    throw new AppError('TOO_MANY_ATTEMPTS')
  }
}
