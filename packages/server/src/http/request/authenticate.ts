/**
 * Checks the caller's key before any byte of the body is read, and again while a long call is under way. Slows down callers whose keys
 * keep failing.
 */
import { isIPv6 } from 'node:net'
import type { FastifyReply } from 'fastify'
import { type Clock, AppError } from '@patient-risk/runtime'
import type { KeyCache } from '../../store/keys/key-cache.ts'
import { idOfApiKey, mayAdminister, mayManage, maySendOutcomes, mayUse } from '../../store/keys/keys.ts'
import { Limiter } from '../../store/quota.ts'
import type { Store, StoredKey } from '../../store/store.ts'
import type { TrustedProxies } from '../connection/trusted-proxies.ts'
import type { Access, RequestContext } from './request-context.ts'

const BEARER = /^Bearer +([^ ]+) *$/i

/** What a key is checked with. */
interface Checks {
  readonly keyCache: KeyCache
  readonly attempts: FailedAttempts
  readonly proxies: TrustedProxies
  readonly clock: Clock
}

/** The usual beginning of the header. */
const USUAL = 'Bearer '

/** Checks the key that a call needs where it is in memory, as for most calls. False: `admit` must look, and says what is wrong. */
export function admitFromCache({ keyCache, clock }: Lease, context: RequestContext, access: Access): boolean {
  const { authorization = '' } = context.raw.headers
  if (!authorization.startsWith(USUAL)) return false
  const key = keyCache.recall(authorization.slice(USUAL.length), clock.now())
  if (key === undefined || !isInScope(key, context, access)) return false
  context.key = key
  return true
}

/**
 * Checks the key that a call needs, and notes it in the context. Throws what the caller gets otherwise. A key that verifies is
 * always accepted: failures slow down only further failures, because other callers of the same address, as behind the proxy
 * of a hospital, must not be locked out.
 */
export async function admit(
  checks: Checks,
  context: RequestContext,
  reply: FastifyReply,
  access: Access,
): Promise<StoredKey> {
  const text = shownKey(context)
  if (text === undefined) throw new AppError('KEY_MISSING')
  // A store that does not answer gives 503, not 401: the key may be valid, and its owner must not throw it away.
  const key = await checks.keyCache.verify(text, checks.clock.now())
  if (key === undefined) return refuseCaller(checks, context, reply, idOfApiKey(text))
  // Log and audit name the key from here on, also when its scope is too small.
  context.key = key
  if (isInScope(key, context, access)) return key
  throw new AppError('KEY_SCOPE', LACKS[access])
}

const LACKS: Partial<Record<Access, string>> = {
  admin: 'The API key is valid, but it lacks the scope "admin".',
  manager: 'The API key is valid, but it may not manage this deployment: it lacks the scope "admin".',
  outcomes: 'The API key is valid, but it lacks the scope "outcomes" for this deployment.',
}

/** Counts a key or a token that does not verify, and throws its refusal: 401, and 429 where there were too many. */
export async function refuseCaller(
  { attempts, proxies }: Pick<Checks, 'attempts' | 'proxies'>,
  { raw }: RequestContext,
  reply: FastifyReply,
  keyId: string,
  refusal = new AppError('KEY_INVALID'),
): Promise<never> {
  const waitMs = await attempts.noteFailure(proxies.callerOf(raw), keyId)
  if (waitMs === 0) throw refusal
  reply.header('retry-after', String(Math.ceil(waitMs / 1_000)))
  throw new AppError('TOO_MANY_ATTEMPTS')
}

/** The text of the key that a request shows; undefined where it shows none. */
function shownKey({ raw }: RequestContext): string | undefined {
  return BEARER.exec(raw.headers.authorization ?? '')?.[1]
}

function isInScope(key: StoredKey, { deployment }: RequestContext, access: Access): boolean {
  if (access === 'admin') return mayAdminister(key)
  const name = deployment?.name ?? ''
  // Whose job it is, is looked at later.
  if (access === 'job') return mayUse(key, name) || mayManage(key, name)
  if (access === 'outcomes') return maySendOutcomes(key, name)
  if (access === 'manager') return mayManage(key, name)
  return access === 'key' || mayUse(key, name)
}

/** From this age on a call is long. With the age of a key in memory that is below the second within which a key must end. */
const LONG_MS = 250
const ENDED = 'The API key was revoked, or has expired, while the call was under way.'
const OUT_OF_SCOPE = 'The API key has lost the scope that this call needs.'

/** What a key is checked with while a call is under way. */
export type Lease = Pick<Checks, 'keyCache' | 'clock'>

/**
 * The right of a caller to be answered ends with its key, also while a call is under way. Streams and long calls check the key again:
 * where a new request would be refused, this throws. Limits that have changed apply from here on. Returns undefined for other calls.
 */
export function renewLease(lease: Lease, context: RequestContext): Promise<void> | undefined {
  const isLong = context.durationMs >= LONG_MS
  return isLong || context.isStreaming ? takeLease(lease, context) : undefined
}

/** Checks the key of a call by the same cache and the same rules as `admit`, and notes it in the context. It may come from a token. */
export async function takeLease({ keyCache, clock }: Lease, context: RequestContext): Promise<void> {
  const now = clock.now()
  const { access = 'deployment' } = context.config
  const key =
    context.tokenKeyId === undefined
      ? await keyCache.verify(shownKey(context) ?? '', now)
      : await keyCache.find(context.tokenKeyId, now)
  const isUnderWay = context.key !== undefined
  if (key === undefined) throw new AppError('KEY_INVALID', isUnderWay ? ENDED : undefined)
  // Log and audit name the key, also when its scope is too small.
  context.key = key
  if (!isInScope(key, context, access)) throw new AppError('KEY_SCOPE', isUnderWay ? OUT_OF_SCOPE : undefined)
}

/** Renews a lease again and again until the returned function is called. Reports the error that ends it, once. */
export function watchLease(lease: Lease, context: RequestContext, end: (error: Error) => void): () => void {
  let isAsking = false
  const timer = setInterval(() => {
    // A store that is slow to answer is not asked a second time meanwhile.
    if (isAsking) return
    isAsking = true
    takeLease(lease, context)
      .catch((error: unknown) => {
        clearInterval(timer)
        end(error as Error)
      })
      .finally(() => (isAsking = false))
  }, LONG_MS).unref()
  return () => clearInterval(timer)
}

export const DEFAULT_FAILED_KEYS_PER_MINUTE = 60
const HEXTETS = 8
const HEXTETS_OF_A_NETWORK = 4
const PRINTABLE_ID = /^[0-9A-Za-z]{12}$/

/** Counts failed keys by address and by key id. Processes and machines that share a store share the counts. */
export class FailedAttempts {
  readonly perMinute: number
  private readonly limiter: Limiter

  constructor(perMinute: number, store: Pick<Store, 'takeQuota'>) {
    this.perMinute = perMinute
    this.limiter = new Limiter(store)
  }

  /** Milliseconds until the next failure is answered as usual; 0 while the limits of the address and the id are not reached. */
  async noteFailure(address: string, keyId: string): Promise<number> {
    const ofAddress = await this.take(`failed keys of ${networkOf(address)}`)
    // Only while the address is below its limit: it cannot fill the store with counters of invented ids.
    if (ofAddress > 0 || !PRINTABLE_ID.test(keyId)) return ofAddress
    return this.take(`failed keys with id ${keyId}`)
  }

  private async take(counter: string): Promise<number> {
    const { isGranted, resetsInMs } = await this.limiter.take(counter, this.perMinute, 1)
    return isGranted ? 0 : resetsInMs
  }
}

/** A household or a machine owns a whole IPv6 network of 64 bits, so single addresses of it mean nothing. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':'))
  const zeros = Array.from({ length: Math.max(0, HEXTETS - head.length - tail.length) }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, HEXTETS_OF_A_NETWORK).join(':')
}
