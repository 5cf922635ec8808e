/** The feed of one file: counted as it is scored, in one thread or in several, and looked at once. */
import type { Codes, WatchSample } from 'patient-risk-engine'
import type { SeenCode } from '../feeds/foreign-codes.ts'
import { FeedCounts, type FeedCountsData } from '../feeds/feed-counts.ts'
import type { FeedDoubt } from '../feeds/feed-doubt.ts'
import { doubtsOfFile } from '../feeds/feed.ts'
import { type CollectorSource, type Observed, RecordCollector } from './record-collector.ts'

/** What a run that is interrupted keeps. */
export interface FileFeedState {
  readonly counts: FeedCountsData
  readonly codes: readonly SeenCode[]
}

/** The first records of a file are all seen, of the others one of so many. */
const ALL_RECORDS = 10_000
const LATER_EVERY = 64

export class FileFeed {
  /** For records that are read in this thread. */
  readonly collector: RecordCollector
  private readonly counts: FeedCounts
  private readonly mapped: Codes
  private readonly codes = new Map<string, SeenCode>()

  /** Fields with a mapping have no foreign codes. */
  constructor(source: CollectorSource & { readonly codes?: Codes | undefined }, from?: FileFeedState) {
    this.collector = new RecordCollector(source)
    this.mapped = source.codes ?? {}
    this.counts = new FeedCounts(this.collector.plan, from?.counts)
    this.addCodes(from?.codes ?? [])
  }

  add({ seen, codes }: Observed): void {
    this.counts.observeBody(seen)
    this.collector.reuse(seen)
    this.addCodes(codes)
  }

  /** Which records of the next part are seen: so many come before it. */
  static sample(before: number): WatchSample {
    return { all: Math.max(0, ALL_RECORDS - before), every: LATER_EVERY, first: 1 + (before % LATER_EVERY) }
  }

  /** Texts and numbers of a field of codes that were found in another way. Returns the foreign code that this one is. */
  addText(field: string, given: string): readonly SeenCode[] {
    const found = this.collector.foreignCode(field, given)
    if (found === undefined) return []
    this.addCodes([found])
    return [found]
  }

  state(): FileFeedState {
    return { counts: this.counts.data(), codes: [...this.codes.values()] }
  }

  doubts(): readonly FeedDoubt[] {
    const isMapped = (field: string): boolean => Object.hasOwn(this.mapped, field)
    const names = new Set(
      [...this.codes.values()].map(([field]) => field).filter((field) => !isMapped(field)),
    )
    const others = doubtsOfFile(this.counts).filter(({ field }) => !names.has(field))
    return [...[...names].map((field) => ({ field, doubt: 'codes' }) as const), ...others]
  }

  private addCodes(codes: readonly SeenCode[]): void {
    for (const code of codes) this.codes.set(code.join(' '), code)
  }
}
