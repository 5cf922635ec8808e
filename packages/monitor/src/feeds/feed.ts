/**
 * One feed: what one key sends to one deployment. It is looked at after 25, 50, 100 and 200 records, then every 200, and every 1,000
 * together. Each look has its share of the level, and all of them together have the whole: it is not exceeded however long a feed lasts.
 */
import type { WatchSample } from 'patient-risk-engine'
import { FeedCounts } from './feed-counts.ts'
import type { FeedDoubt } from './feed-doubt.ts'
import type { FeedPlan } from './feed-plan.ts'
import { findDoubts } from './find-doubts.ts'
import type { SeenRecords } from './seen-records.ts'

/** A right feed is doubted with at most this probability, in its whole life, as long as its values are what is stated as usual. */
export const LEVEL = 0.008
/** The shares of the level: little for the first looks, which see gross errors only, most for the first 200 records. */
const EARLY_SHARE = 0.02
const FIRST_SHARE = 0.4
const LATER_SHARE = 0.34
const LONG_SHARE = 0.2
const LOOKS_AT = [25, 50, 100] as const
const WINDOW = 200
/** Weak signs, such as a relation between two fields that has vanished, need more records. */
const LONG_WINDOW = 1_000
/** A feed is watched record by record at first. */
const LEARNED_RECORDS = 1_000
/**
 * Afterwards one record of so many is seen. In a small body a request costs more than its records, in a large one seeing a record costs
 * several times what answering it does: so about one record is seen of each KiB of a body, up to one of 128.
 */
const FEWEST_EVERY = 4
const MOST_EVERY = 128
const BYTES_FOR_EACH = 1_024
/** Of a generator of numbers that look random: a sender's own rhythm must not decide which records are seen. */
const TIMES = 1_664_525
const PLUS = 1_013_904_223

export class Feed {
  readonly plan: FeedPlan
  /** Records since the last full look. */
  private readonly window: FeedCounts
  /** Records since the last long look. */
  private long: FeedCounts
  private readonly found = new Map<string, FeedDoubt>()
  private shortLooks = 0
  private longLooks = 0
  /** The first long window, which later ones are compared with. */
  private past: FeedCounts | undefined
  private seen = 0
  private nextLook = 0
  private random = 1
  private readonly onDoubt: ((doubt: FeedDoubt) => void) | undefined

  constructor(plan: FeedPlan, onDoubt?: (doubt: FeedDoubt) => void) {
    this.plan = plan
    this.window = new FeedCounts(plan)
    this.long = new FeedCounts(plan)
    this.onDoubt = onDoubt
  }

  /**
   * Which records of the next body of so many bytes are seen. It is known before any of them is read, and each of them has the same chance
   * once the feed is learned.
   */
  sample(bytes: number): WatchSample {
    const all = Math.max(0, LEARNED_RECORDS - this.seen)
    const every = Math.min(MOST_EVERY, Math.max(FEWEST_EVERY, Math.round(bytes / BYTES_FOR_EACH)))
    this.random = (Math.imul(this.random, TIMES) + PLUS) >>> 0
    return { all, every, first: 1 + Math.floor((this.random / 2 ** 32) * every) }
  }

  /** The records of one body. */
  observeBody(seen: SeenRecords): void {
    this.window.observeBody(seen)
    this.seen += seen.records
    this.look()
  }

  /** At most one for each field, in the order in which they were found. */
  doubts(): readonly FeedDoubt[] {
    return [...this.found.values()]
  }

  /** Begins the test of a field again, after somebody has looked at its doubt. */
  restart(field: string): void {
    this.found.delete(field)
  }

  private look(): void {
    const { received: records } = this.window
    const isFull = records >= WINDOW
    if (isFull || records >= (LOOKS_AT[this.nextLook] ?? Infinity)) this.lookShort(records, isFull)
    // Bodies of any size come to a long look after the same number of records.
    if (!isFull && this.long.received + records < LONG_WINDOW) return
    this.long.merge(this.window.data())
    this.window.clear()
    if (this.long.received >= LONG_WINDOW) this.lookLong()
  }

  private lookShort(records: number, isFull: boolean): void {
    while (this.nextLook < LOOKS_AT.length && records >= (LOOKS_AT[this.nextLook] as number)) this.nextLook++
    this.note(findDoubts(this.window, LEVEL * (isFull ? this.nextShare() : EARLY_SHARE), this.past))
  }

  private nextShare(): number {
    const later = this.shortLooks++
    return later === 0 ? FIRST_SHARE : LATER_SHARE / (later * (later + 1))
  }

  private lookLong(): void {
    const number = ++this.longLooks
    this.note(findDoubts(this.long, (LEVEL * LONG_SHARE) / (number * (number + 1)), this.past))
    if (this.past === undefined) {
      this.past = this.long
      this.long = new FeedCounts(this.plan)
    } else this.long.clear()
  }

  private note(doubts: readonly FeedDoubt[]): void {
    for (const doubt of doubts) {
      if (this.found.get(doubt.field)?.doubt === doubt.doubt) continue
      this.found.set(doubt.field, doubt)
      this.onDoubt?.(doubt)
    }
  }
}

/** The doubts of one file, or of one batch: the whole of it is the feed, and it is looked at once. */
export function doubtsOfFile(counts: FeedCounts): readonly FeedDoubt[] {
  return findDoubts(counts, LEVEL)
}
