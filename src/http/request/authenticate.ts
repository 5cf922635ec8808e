/** Who calls: the key is checked before a byte of the body is read. */
import { AppError } from '../../errors.ts'
import { mayAdminister, mayUse } from '../../store/keys/keys.ts'
import type { StoredKey } from '../../store/store.ts'
import type { Asked, Told } from './request-context.ts'
import type { Service } from '../service.ts'

const BEARER = /^Bearer +([^ ]+) *$/i
const BEARER_LENGTH = 'Bearer '.length
const SECOND_MS = 1_000

/** The caller's key, which may use the deployment. Throws what the caller must be told otherwise. A promise where the store must be asked. */
export function authenticate(
  request: Asked,
  reply: Told,
  service: Service,
  deployment: string,
): StoredKey | Promise<StoredKey> {
  const key = identify(request, reply, service)
  return key instanceof Promise ? key.then((found) => inScope(found, deployment)) : inScope(key, deployment)
}

function inScope(key: StoredKey, deployment: string): StoredKey {
  if (!mayUse(key, deployment)) throw new AppError('KEY_SCOPE')
  return key
}

/** The caller's key, which may use the management calls. */
export async function authenticateAdmin(request: Asked, reply: Told, service: Service): Promise<StoredKey> {
  const key = await identify(request, reply, service)
  if (!mayAdminister(key))
    throw new AppError('KEY_SCOPE', 'The API key is valid, but it lacks the scope "admin".')
  return key
}

/** The caller's key, whatever it may use. Log and audit name it from here on. */
export function identify(request: Asked, reply: Told, service: Service): StoredKey | Promise<StoredKey> {
  const shown = keyIn(request.raw.headers.authorization)
  if (shown === undefined) throw new AppError('KEY_MISSING')
  const now = service.clock.now()
  const known = service.keyRing.recall(shown, now)
  return known === undefined
    ? lookUp(request, reply, service, shown, now).then((key) => named(request, key))
    : named(request, known)
}

/** The key in a header, which nearly everybody writes with one space. */
function keyIn(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const isPlain = header.startsWith('Bearer ') && header.length > BEARER_LENGTH
  return isPlain && !header.includes(' ', BEARER_LENGTH)
    ? header.slice(BEARER_LENGTH)
    : BEARER.exec(header)?.[1]
}

function named(request: Asked, key: StoredKey): StoredKey {
  request.trace.keyId = key.id
  request.facts['key'] = key.id
  return key
}

/** A key that is not in memory. An address that has shown too many bad ones must wait; known keys from there go on. */
async function lookUp(
  request: Asked,
  reply: Told,
  service: Service,
  shown: string,
  now: number,
): Promise<StoredKey> {
  const address = service.proxies.callerOf(request.raw)
  // Others behind the same address, as in a hospital, must not lock out a key that is good.
  let waitMs = service.keyRing.knows(shown, now) ? 0 : service.attempts.waitMs(address)
  if (waitMs > 0) throw tooMany(reply, waitMs)
  let key: StoredKey | undefined
  try {
    key = await service.keyRing.verify(shown, now)
    if (key === undefined) waitMs = await service.attempts.noteFailure(address)
  } catch {
    // Not 401: the caller's key may be good, and it must not be told to throw it away.
    throw new AppError('STORE_UNAVAILABLE')
  }
  if (key !== undefined) return key
  throw waitMs > 0 ? tooMany(reply, waitMs) : new AppError('KEY_INVALID')
}

function tooMany(reply: Told, waitMs: number): AppError {
  reply.header('retry-after', String(Math.ceil(waitMs / SECOND_MS)))
  return new AppError('TOO_MANY_ATTEMPTS')
}
