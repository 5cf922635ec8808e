/** How much a key may use in a minute: requests before the body is read, records once they are counted. */
import type { Deployment } from '../../catalog/deployment.ts'
import { AppError } from '../../errors.ts'
import type { Taken } from '../../store/quota/limiter.ts'
import type { StoredKey } from '../../store/store.ts'
import type { Exchange } from '../scoring/exchange.ts'
import type { Service } from '../service.ts'

const SECOND_MS = 1_000
const WINDOW_S = 60
type Kind = 'requests' | 'records'

/** What bounds a kind of use of a deployment by a key. */
interface Bound {
  readonly limit: number | null
  /** The name under which it is counted. */
  readonly counter: string
  readonly policy: string
}

/** Counts a request. Throws when the key has none left, or no records left. A promise where the store must be asked. */
export function takeRequest(exchange: Exchange, service: Service): Promise<void> | undefined {
  return take(exchange, service, 'requests', 1)
}

/** Counts the records of a request before they are answered. Throws when the key has too few left. */
export function takeRecords(
  exchange: Exchange,
  service: Service,
  records: number,
): Promise<void> | undefined {
  return take(exchange, service, 'records', records)
}

function take(exchange: Exchange, service: Service, kind: Kind, amount: number): Promise<void> | undefined {
  const bound = boundsOf(exchange)[kind]
  const { limit, counter } = bound
  if (limit === null || amount === 0) return undefined
  if (amount > limit) {
    throw new AppError(
      'TOO_MANY_RECORDS',
      'The body holds more records than the API key may send in a minute.',
    )
  }
  const held = service.limiter.takeHeld(counter, amount)
  if (held !== undefined) {
    judge(exchange, kind, bound, held)
    return undefined
  }
  return ask(service, counter, limit, amount).then((taken) => judge(exchange, kind, bound, taken))
}

function judge(exchange: Exchange, kind: Kind, bound: Bound, taken: Taken): void {
  tell(exchange, kind, bound, taken)
  if (taken.isGranted) return
  if (!exchange.response.headersSent) {
    exchange.header('retry-after', String(seconds(taken)))
    throw new AppError('RATE_LIMITED')
  }
  throw new AppError(
    'RATE_LIMITED',
    `The API key has used up its records of this minute, so the stream ends here. Send the records without a result again in ${seconds(taken)} s.`,
  )
}

async function ask(service: Service, counter: string, limit: number, amount: number): Promise<Taken> {
  try {
    return await service.limiter.take(counter, limit, amount)
  } catch {
    throw new AppError('STORE_UNAVAILABLE')
  }
}

type Bounds = Readonly<Record<Kind, Bound>>
const known = new WeakMap<StoredKey, Map<Deployment, Bounds>>()

/** Worked out once for each key and deployment. */
function boundsOf({ deployment, caller }: Exchange): Bounds {
  let ofKey = known.get(caller)
  if (ofKey === undefined) known.set(caller, (ofKey = new Map<Deployment, Bounds>()))
  let bounds = ofKey.get(deployment)
  if (bounds === undefined) {
    bounds = {
      requests: boundOf(deployment, caller, 'requests'),
      records: boundOf(deployment, caller, 'records'),
    }
    ofKey.set(deployment, bounds)
  }
  return bounds
}

/** A key's own limit counts over all deployments; a deployment's limit counts for each key apart. */
function boundOf(deployment: Deployment, caller: StoredKey, kind: Kind): Bound {
  const name = kind === 'requests' ? 'requestsPerMinute' : 'recordsPerMinute'
  const own = caller.limits[name]
  const limit = own === undefined ? deployment.limits[name] : own
  const counter = own === undefined ? `${caller.id} ${deployment.name} ${kind}` : `${caller.id} ${kind}`
  return { limit, counter, policy: `"${kind}";q=${limit};w=${WINDOW_S}` }
}

/** The headers of draft-ietf-httpapi-ratelimit-headers: what is left, and until when. */
function tell(exchange: Exchange, kind: Kind, { policy }: Bound, taken: Taken): void {
  // A stream counts on long after its headers have left.
  if (exchange.response.headersSent) return
  append(exchange, 'ratelimit-policy', policy)
  append(exchange, 'ratelimit', `"${kind}";r=${taken.remaining};t=${seconds(taken)}`)
}

function append(exchange: Exchange, name: string, value: string): void {
  const before = exchange.headers[name]
  exchange.header(name, before === undefined ? value : `${before}, ${value}`)
}

function seconds({ resetsInMs }: Taken): number {
  return Math.max(1, Math.ceil(resetsInMs / SECOND_MS))
}
