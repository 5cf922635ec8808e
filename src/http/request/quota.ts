/** What a key may use in a minute: requests are counted before the body is read, records before their answer leaves. */
import type { FastifyReply } from 'fastify'
import type { TallyCounts } from '../../engine/tally.ts'
import { AppError } from '../../errors.ts'
import type { Limiter } from '../../store/quota.ts'
import type { RequestContext } from './request-context.ts'

const WINDOW_S = 60
/** About what a problem costs, in clean records. */
const RECORDS_PER_PROBLEM = 4
type Kind = 'requests' | 'records'

/** A limit of a key, and the name under which its use is counted. */
interface Bound {
  readonly kind: Kind
  readonly limit: number
  readonly counter: string
}

export class Quota {
  private readonly limiter: Limiter

  constructor(limiter: Limiter) {
    this.limiter = limiter
  }

  /** Counts a request. Throws when the key has no requests or no records left, before any work is done for it. */
  async takeRequest(context: RequestContext, reply: FastifyReply): Promise<void> {
    await this.take(boundOf(context, 'requests'), reply, 1)
    const records = boundOf(context, 'records')
    const waitMs = records === undefined ? 0 : this.limiter.exhaustedMs(records.counter)
    if (waitMs === 0) return
    reply.header('retry-after', String(seconds(waitMs)))
    throw new AppError('RATE_LIMITED')
  }

  /**
   * Counts records. Throws when the key has too few left. Problems count as further records, as far as the key has any left:
   * a record with problems costs as much as many clean ones, and must not be refused for that alone.
   */
  async takeRecords(context: RequestContext, reply: FastifyReply, tally: TallyCounts): Promise<void> {
    const bound = boundOf(context, 'records')
    const remaining = await this.take(bound, reply, tally.records)
    const extra = Math.min(remaining, RECORDS_PER_PROBLEM * problemsIn(tally))
    if (bound !== undefined && extra > 0) await this.limiter.take(bound.counter, bound.limit, extra)
  }

  /** Returns what is left. */
  private async take(bound: Bound | undefined, reply: FastifyReply, amount: number): Promise<number> {
    if (bound === undefined || amount === 0) return 0
    const { kind, limit } = bound
    if (amount > limit) {
      throw new AppError(
        'TOO_MANY_RECORDS',
        `The body holds ${amount} records; the API key may send ${limit} in a minute.`,
      )
    }
    const { isGranted, remaining, resetsInMs } = await this.limiter.take(bound.counter, limit, amount)
    const waitS = seconds(resetsInMs)
    const isStreaming = reply.raw.headersSent
    if (!isStreaming) {
      // The headers of draft-ietf-httpapi-ratelimit-headers: what is left, and until when.
      append(reply, 'ratelimit-policy', `"${kind}";q=${limit};w=${WINDOW_S}`)
      append(reply, 'ratelimit', `"${kind}";r=${remaining};t=${waitS}`)
    }
    if (isGranted) return remaining
    if (!isStreaming) {
      reply.header('retry-after', String(waitS))
      throw new AppError('RATE_LIMITED')
    }
    throw new AppError(
      'RATE_LIMITED',
      `The API key has used up its records of this minute, so the stream ends here. Send the records without a result again in ${waitS} s.`,
    )
  }
}

/** A key's own limit counts over all deployments; a deployment's limit counts for each key separately. Undefined: no limit. */
function boundOf({ key, deployment }: RequestContext, kind: Kind): Bound | undefined {
  if (key === undefined || deployment === undefined) throw new Error('quota is counted after the key check')
  const name = kind === 'requests' ? 'requestsPerMinute' : 'recordsPerMinute'
  const own = key.limits[name]
  const limit = own === undefined ? deployment.limits[name] : own
  if (limit === null) return undefined
  const counter = own === undefined ? `${key.id} ${deployment.name} ${kind}` : `${key.id} ${kind}`
  return { kind, limit, counter }
}

function problemsIn({ problems }: TallyCounts): number {
  let count = 0
  for (const kinds of problems.values()) for (const each of kinds.values()) count += each
  return count
}

function append(reply: FastifyReply, name: string, value: string): void {
  const before = reply.getHeader(name)
  reply.header(name, before === undefined ? value : `${String(before)}, ${value}`)
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000))
}
