/** What a key may use in a minute: requests are counted before the body is read, records before their answer leaves. */
import type { FastifyReply } from 'fastify'
import type { Deployment } from '@patient-risk/catalog'
import type { TallyCounts } from 'patient-risk-engine'
import { AppError } from '@patient-risk/runtime'
import type { Limiter, Taken } from '../../store/quota.ts'
import type { StoredKey } from '../../store/store.ts'
import { type Lease, renewLease } from './authenticate.ts'
import type { RequestContext } from './request-context.ts'

const WINDOW_S = 60
/** About what a problem costs, in clean records. */
const RECORDS_PER_PROBLEM = 4

/** A job takes at most this part of what a key may use in a minute at a time. */
const JOB_PARTS = 20

/** A limit of a key, the name under which its use is counted, and how a header states it. */
interface Bound {
  readonly kind: keyof Bounds
  readonly limit: number
  readonly counter: string
  readonly policy: string
}

/** Undefined: no limit. */
interface Bounds {
  readonly requests: Bound | undefined
  readonly records: Bound | undefined
}

/**
 * Each method returns a promise only where the store must be asked, and undefined otherwise. Both throw, at once or later, where the key
 * has nothing left.
 */
export class Quota {
  private readonly limiter: Limiter
  private readonly lease: Lease
  /** Of the keys that were used lately: they are the same for all their requests. */
  private readonly bounds = new WeakMap<StoredKey, Map<Deployment, Bounds>>()

  constructor(limiter: Limiter, lease: Lease) {
    this.limiter = limiter
    this.lease = lease
  }

  /** Counts a request. Refuses it also when the key has no records left, before any work is done for it. */
  takeRequest(context: RequestContext, reply: FastifyReply): Promise<void> | undefined {
    const bounds = this.boundsOf(context)
    // A job uses up the records of its key, and the key must still see its progress and fetch its results.
    const records = context.config.access === 'job' ? undefined : bounds.records
    const left = this.take(bounds.requests, context, reply, 1)
    if (left instanceof Promise) return left.then(() => this.refuseUsedUp(records, reply))
    this.refuseUsedUp(records, reply)
    return undefined
  }

  /**
   * Counts the records of an answer that is about to leave. First it checks the key again where the call is long: what an ended key has
   * asked for is neither counted nor answered.
   */
  takeRecords(context: RequestContext, reply: FastifyReply, tally: TallyCounts): Promise<void> | undefined {
    const renewal = renewLease(this.lease, context)
    if (renewal === undefined) return this.countRecords(context, reply, tally)
    return renewal.then(() => this.countRecords(context, reply, tally))
  }

  /**
   * Takes records of a job, as many as may be had at once: it must leave some to the calls of the same key. Where nothing is left, says how
   * long to wait.
   */
  async takeForJob(
    key: StoredKey,
    deployment: Deployment,
    wanted: number,
  ): Promise<{ readonly granted: number; readonly waitMs: number }> {
    const bound = boundOf(key, deployment, 'records')
    if (bound === undefined) return { granted: wanted, waitMs: 0 }
    const amount = Math.min(wanted, Math.max(1, Math.floor(bound.limit / JOB_PARTS)))
    const { isGranted, resetsInMs } = await this.limiter.take(bound.counter, bound.limit, amount)
    return isGranted ? { granted: amount, waitMs: 0 } : { granted: 0, waitMs: Math.max(1, resetsInMs) }
  }

  /**
   * Problems count as further records, as far as the key has any left: a record with problems costs as much as many
   * clean ones, and must not be refused for that alone.
   */
  private countRecords(
    context: RequestContext,
    reply: FastifyReply,
    tally: TallyCounts,
  ): Promise<void> | undefined {
    const { records } = this.boundsOf(context)
    const left = this.take(records, context, reply, tally.records)
    const problems = problemsIn(tally)
    if (typeof left === 'number' && problems === 0) return undefined
    return this.takeProblems(records, left, problems)
  }

  private async takeProblems(
    bound: Bound | undefined,
    left: number | Promise<number>,
    problems: number,
  ): Promise<void> {
    const extra = Math.min(await left, RECORDS_PER_PROBLEM * problems)
    if (bound !== undefined && extra > 0) await this.limiter.take(bound.counter, bound.limit, extra)
  }

  /** Returns what is left. */
  private take(
    bound: Bound | undefined,
    context: RequestContext,
    reply: FastifyReply,
    amount: number,
  ): number | Promise<number> {
    if (bound === undefined || amount === 0) return 0
    const { limit, counter } = bound
    if (amount > limit) {
      throw new AppError(
        'TOO_MANY_RECORDS',
        `The body holds ${amount} records; the API key may send ${limit} in a minute.`,
      )
    }
    const atHand = this.limiter.takeAtHand(counter, amount)
    if (atHand !== undefined) return leftOf(atHand, bound, context, reply)
    return this.limiter.take(counter, limit, amount).then((taken) => leftOf(taken, bound, context, reply))
  }

  private refuseUsedUp(bound: Bound | undefined, reply: FastifyReply): void {
    const waitMs = bound === undefined ? 0 : this.limiter.exhaustedMs(bound.counter)
    if (waitMs === 0) return
    reply.header('retry-after', String(seconds(waitMs)))
    throw new AppError('RATE_LIMITED')
  }

  private boundsOf({ key, deployment }: RequestContext): Bounds {
    if (key === undefined || deployment === undefined) throw new Error('quota is counted after the key check')
    const known = this.bounds.get(key)?.get(deployment)
    if (known !== undefined) return known
    const bounds = {
      requests: boundOf(key, deployment, 'requests'),
      records: boundOf(key, deployment, 'records'),
    }
    const ofKey = this.bounds.get(key) ?? new Map<Deployment, Bounds>()
    this.bounds.set(key, ofKey.set(deployment, bounds))
    return bounds
  }
}

/** The headers of draft-ietf-httpapi-ratelimit-headers: what the key has left, and until when. Call when all is counted. */
export function writeLimits({ limitPolicy, limitLeft }: RequestContext, reply: FastifyReply): void {
  if (limitLeft === '') return
  reply.header('ratelimit-policy', limitPolicy).header('ratelimit', limitLeft)
}

/** Notes for the headers what is left, and refuses what was not granted. */
function leftOf(
  { isGranted, remaining, resetsInMs }: Taken,
  { kind, policy }: Bound,
  context: RequestContext,
  reply: FastifyReply,
): number {
  const waitS = seconds(resetsInMs)
  const { isStreaming } = context
  if (!isStreaming) {
    const separator = context.limitLeft === '' ? '' : ', '
    context.limitPolicy += separator + policy
    context.limitLeft += `${separator}"${kind}";r=${remaining};t=${waitS}`
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

/** A key's own limit counts over all deployments; a deployment's limit counts for each key separately. */
function boundOf(key: StoredKey, deployment: Deployment, kind: keyof Bounds): Bound | undefined {
  const name = kind === 'requests' ? 'requestsPerMinute' : 'recordsPerMinute'
  const own = key.limits[name]
  const limit = own === undefined ? deployment.limits[name] : own
  if (limit === null) return undefined
  const counter = own === undefined ? `${key.id} ${deployment.name} ${kind}` : `${key.id} ${kind}`
  return { kind, limit, counter, policy: `"${kind}";q=${limit};w=${WINDOW_S}` }
}

function problemsIn({ problems }: TallyCounts): number {
  let count = 0
  for (const kinds of problems.values()) {
    for (const each of kinds.values()) count += each
  }
  return count
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000))
}
