/**
 * The right of a caller to be answered ends with its key, also while a call is under way. Streams and long calls check the key again, by
 * the same cache and the same rules as a new request: where that would be refused, they end.
 */
import type { Clock } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import type { KeyCache } from '../../store/keys/key-cache.ts'
import { mayAdminister, mayUse } from '../../store/keys/keys.ts'
import type { StoredKey } from '../../store/store.ts'
import type { Access, RequestContext } from './request-context.ts'

/** From this age on a call is long. Together with the age of a key in memory it is below the second within which a key must end. */
const LONG_MS = 250
const ENDED = 'The API key was revoked, or has expired, while the call was under way.'
const OUT_OF_SCOPE = 'The API key has lost the scope that this call needs.'
const BEARER = /^Bearer +([^ ]+) *$/i

/** The text of the key that a request shows; undefined where it shows none. */
export function shownKey({ raw }: RequestContext): string | undefined {
  return BEARER.exec(raw.headers.authorization ?? '')?.[1]
}

export function isInScope(key: StoredKey, { deployment }: RequestContext, access: Access): boolean {
  if (access === 'admin') return mayAdminister(key)
  return access === 'key' || mayUse(key, deployment?.name ?? '')
}

export class Lease {
  private readonly keyCache: KeyCache
  private readonly clock: Clock

  constructor(keyCache: KeyCache, clock: Clock) {
    this.keyCache = keyCache
    this.clock = clock
  }

  /** Whether a call has taken so long that its key must be checked again. */
  isLong({ durationMs }: RequestContext): boolean {
    return durationMs >= LONG_MS
  }

  /** Checks the key again and again until the returned function is called. Reports the error that ends the lease, once. */
  watch(context: RequestContext, end: (error: Error) => void): () => void {
    let isAsking = false
    const timer = setInterval(() => {
      // A store that is slow to answer is not asked a second time meanwhile.
      if (isAsking) return
      isAsking = true
      this.renew(context)
        .catch((error: unknown) => {
          clearInterval(timer)
          end(error as Error)
        })
        .finally(() => (isAsking = false))
    }, LONG_MS).unref()
    return () => clearInterval(timer)
  }

  /** Checks the key now, and throws where a new request would be refused. Limits that have changed apply from here on. */
  async renew(context: RequestContext): Promise<void> {
    const { keyCache } = this
    const now = this.clock.now()
    const { access = 'deployment' } = context.config
    const key =
      context.tokenKeyId === undefined
        ? await keyCache.verify(shownKey(context) ?? '', now)
        : await keyCache.find(context.tokenKeyId, now)
    const isUnderWay = context.key !== undefined
    if (key === undefined) throw new AppError('KEY_INVALID', isUnderWay ? ENDED : undefined)
    // Log and audit name the key, also when its scope is too small.
    context.key = key
    if (!isInScope(key, context, access))
      throw new AppError('KEY_SCOPE', isUnderWay ? OUT_OF_SCOPE : undefined)
  }
}
