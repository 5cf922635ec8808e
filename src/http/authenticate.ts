/** Who calls: the key is checked before a byte of the body is read. */
import type { IncomingMessage } from 'node:http'
import { AppError } from '../errors.ts'
import { mayUse, verifyKey } from '../store/keys.ts'
import type { StoredKey } from '../store/store.ts'
import type { Service } from './service.ts'

const BEARER = /^Bearer +([^ ]+) *$/i

/** The caller's key, which may use the deployment. Throws what the caller must be told otherwise. */
export async function authenticate(
  request: IncomingMessage,
  service: Service,
  deployment: string,
): Promise<StoredKey> {
  const header = request.headers.authorization
  if (header === undefined) throw new AppError('KEY_MISSING')
  const shown = BEARER.exec(header)?.[1]
  if (shown === undefined) throw new AppError('KEY_MISSING')
  const now = service.clock.now()
  const key = await verify(service, shown, now)
  if (key === undefined) throw new AppError('KEY_INVALID')
  if (!mayUse(key, deployment)) throw new AppError('KEY_SCOPE')
  return key
}

async function verify(service: Service, shown: string, now: number): Promise<StoredKey | undefined> {
  try {
    const key = await verifyKey(service.store, service.secret, shown, now)
    if (key !== undefined) await service.store.noteUse(key.id, now)
    return key
  } catch {
    // Not 401: the caller's key may be good, and it must not be told to throw it away.
    throw new AppError('STORE_UNAVAILABLE')
  }
}
