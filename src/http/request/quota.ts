/** What a key may use in a minute: requests are counted before the body is read, records before they are answered. */
import type { FastifyReply } from 'fastify'
import type { Deployment } from '../../catalog/deployment.ts'
import { AppError } from '../../errors.ts'
import type { Limiter, Taken } from '../../store/quota/limiter.ts'
import type { StoredKey } from '../../store/store.ts'
import type { RequestContext } from './request-context.ts'

const SECOND_MS = 1_000
const WINDOW_S = 60
type Kind = 'requests' | 'records'

/** A limit of a key, and the name under which its use is counted. */
interface Bound {
  readonly limit: number | null
  readonly counter: string
}

export class Quota {
  private readonly limiter: Limiter

  constructor(limiter: Limiter) {
    this.limiter = limiter
  }

  /** Counts a request. Throws when the key has none left. */
  takeRequest(context: RequestContext, reply: FastifyReply): Promise<void> {
    return this.take(context, reply, 'requests', 1)
  }

  /** Counts records. Throws when the key has too few left. */
  takeRecords(context: RequestContext, reply: FastifyReply, records: number): Promise<void> {
    return this.take(context, reply, 'records', records)
  }

  private async take(
    { key, deployment }: RequestContext,
    reply: FastifyReply,
    kind: Kind,
    amount: number,
  ): Promise<void> {
    if (key === undefined || deployment === undefined) throw new Error('quota is counted after the key check')
    const { limit, counter } = boundOf(deployment, key, kind)
    if (limit === null || amount === 0) return
    if (amount > limit) {
      throw new AppError(
        'TOO_MANY_RECORDS',
        'The body holds more records than the API key may send in a minute.',
      )
    }
    const taken = await this.ask(counter, limit, amount)
    const isStreaming = reply.raw.headersSent
    if (!isStreaming) addQuotaHeaders(reply, kind, limit, taken)
    if (taken.isGranted) return
    const waitS = seconds(taken)
    if (!isStreaming) {
      reply.header('retry-after', String(waitS))
      throw new AppError('RATE_LIMITED')
    }
    throw new AppError(
      'RATE_LIMITED',
      `The API key has used up its records of this minute, so the stream ends here. Send the records without a result again in ${waitS} s.`,
    )
  }

  private async ask(counter: string, limit: number, amount: number): Promise<Taken> {
    try {
      return this.limiter.takeHeld(counter, amount) ?? (await this.limiter.take(counter, limit, amount))
    } catch {
      throw new AppError('STORE_UNAVAILABLE')
    }
  }
}

/** A key's own limit counts over all deployments; a deployment's limit counts for each key separately. */
function boundOf(deployment: Deployment, key: StoredKey, kind: Kind): Bound {
  const name = kind === 'requests' ? 'requestsPerMinute' : 'recordsPerMinute'
  const own = key.limits[name]
  return own === undefined
    ? { limit: deployment.limits[name], counter: `${key.id} ${deployment.name} ${kind}` }
    : { limit: own, counter: `${key.id} ${kind}` }
}

/** The headers of draft-ietf-httpapi-ratelimit-headers: what is left, and until when. */
function addQuotaHeaders(reply: FastifyReply, kind: Kind, limit: number, taken: Taken): void {
  append(reply, 'ratelimit-policy', `"${kind}";q=${limit};w=${WINDOW_S}`)
  append(reply, 'ratelimit', `"${kind}";r=${taken.remaining};t=${seconds(taken)}`)
}

function append(reply: FastifyReply, name: string, value: string): void {
  const before = reply.getHeader(name)
  reply.header(name, before === undefined ? value : `${String(before)}, ${value}`)
}

function seconds({ resetsInMs }: Taken): number {
  return Math.max(1, Math.ceil(resetsInMs / SECOND_MS))
}
