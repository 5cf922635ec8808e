/** The feed that a call belongs to: who watches its records, which doubts about it are open, and how its answer says them. */
import { type FeedWatch, type Observed, feedDoubtHeader, noticeOf } from '@patient-risk/monitor'
import type { Deployment } from '@patient-risk/catalog'
import type { Call, Codes, FeedNotice, WatchSample } from 'patient-risk-engine'
import type { FastifyReply } from 'fastify'
import type { RequestContext } from '../request/request-context.ts'
import type { Service } from '../service.ts'
import type { FeedOfBody } from './scoring-dispatcher.ts'

/** The page explains a patient again after every change: the same one over and over says nothing about a feed. */
const FEWEST_EXPLAINED = 2

export class FeedOfCaller {
  private readonly watch: FeedWatch | undefined
  private readonly keyId: string
  private readonly codes: Codes | undefined

  /** A feed is what one sender sends to one deployment, and a sender has a key. `codes` are those of the key. */
  constructor({ feeds }: Service, { name }: Deployment, { key }: RequestContext, codes?: Codes) {
    this.watch = feeds.get(name)
    this.keyId = key?.id ?? ''
    this.codes = codes
  }

  /** What is known before a body is answered. Only calls that say what an answer rests on give notices. */
  before(call: Call, bytes: number): FeedOfBody {
    const collector = call === 'validate' ? undefined : this.watch?.collector
    if (call === 'explain') return { collector, notices: this.notices() }
    return { collector, sample: this.sample(bytes) }
  }

  /** Which of the records of the next body are seen, known before it is read. */
  sample(bytes: number): WatchSample | undefined {
    return this.watch?.sampleOf(this.keyId, bytes)
  }

  notices(): readonly FeedNotice[] {
    return this.doubts().map(noticeOf)
  }

  /** Counts what was taken of a body. Returns whether it has raised a doubt that its own answer could not know. */
  count(call: Call | undefined, observed: Observed | undefined): boolean {
    if (observed === undefined || this.watch === undefined) return false
    if (call === 'explain' && observed.seen.records < FEWEST_EXPLAINED) return false
    // Only an explanation says more once it is known.
    const before = call === 'explain' ? this.doubts().length : Infinity
    this.watch.count(this.keyId, observed)
    return before !== Infinity && this.doubts().length > before
  }

  writeHeaders(reply: FastifyReply): void {
    const doubts = feedDoubtHeader(this.doubts())
    if (doubts !== undefined) reply.header('risk-feed-doubt', doubts)
    const unit = this.watch?.unitDoubt(this.keyId)
    if (unit !== undefined) reply.header('risk-unit-doubt', unit)
  }

  private doubts(): ReturnType<FeedWatch['doubts']> {
    return this.watch?.doubts(this.keyId, this.codes) ?? []
  }
}
