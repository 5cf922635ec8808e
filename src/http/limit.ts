/** How much a key may use in a minute: requests before the body is read, records once they are counted. */
import type { FastifyReply } from 'fastify'
import type { Deployment } from '../catalog/deployment.ts'
import { AppError } from '../errors.ts'
import type { Taken } from '../store/limiter.ts'
import type { StoredKey } from '../store/store.ts'
import type { Service } from './service.ts'

const SECOND_MS = 1_000
const WINDOW_S = 60
type Kind = 'requests' | 'records'

/** Counts a request. Throws when the key has none left, or no records left. */
export function takeRequest(
  reply: FastifyReply,
  service: Service,
  deployment: Deployment,
  key: StoredKey,
): Promise<void> {
  return take(reply, service, deployment, key, 'requests', 1)
}

/** Counts the records of a request before they are answered. Throws when the key has too few left. */
export function takeRecords(
  reply: FastifyReply,
  service: Service,
  deployment: Deployment,
  key: StoredKey,
  records: number,
): Promise<void> {
  return take(reply, service, deployment, key, 'records', records)
}

async function take(
  reply: FastifyReply,
  service: Service,
  deployment: Deployment,
  key: StoredKey,
  kind: Kind,
  amount: number,
): Promise<void> {
  const { limit, counter } = limitOf(deployment, key, kind)
  if (limit === null) return
  if (amount > limit) {
    throw new AppError(
      'TOO_MANY_RECORDS',
      'The body holds more records than the API key may send in a minute.',
    )
  }
  let taken: Taken
  try {
    taken = await service.limiter.take(`${counter} ${kind}`, limit, amount)
  } catch {
    throw new AppError('STORE_UNAVAILABLE')
  }
  tell(reply, kind, taken)
  if (taken.isGranted) return
  reply.header('retry-after', String(seconds(taken)))
  throw new AppError('RATE_LIMITED')
}

/** A key's own limit counts over all deployments; a deployment's limit counts for each key apart. */
function limitOf(
  deployment: Deployment,
  key: StoredKey,
  kind: Kind,
): { readonly limit: number | null; readonly counter: string } {
  const name = kind === 'requests' ? 'requestsPerMinute' : 'recordsPerMinute'
  const own = key.limits[name]
  if (own !== undefined) return { limit: own, counter: key.id }
  return { limit: deployment.limits[name], counter: `${key.id} ${deployment.name}` }
}

/** The headers of draft-ietf-httpapi-ratelimit-headers: what is left, and until when. */
function tell(reply: FastifyReply, kind: Kind, taken: Taken): void {
  append(reply, 'ratelimit-policy', `"${kind}";q=${taken.limit};w=${WINDOW_S}`)
  append(reply, 'ratelimit', `"${kind}";r=${taken.remaining};t=${seconds(taken)}`)
}

function append(reply: FastifyReply, name: string, value: string): void {
  const before = reply.getHeader(name)
  reply.header(name, typeof before === 'string' ? `${before}, ${value}` : value)
}

function seconds({ resetsInMs }: Taken): number {
  return Math.max(1, Math.ceil(resetsInMs / SECOND_MS))
}
