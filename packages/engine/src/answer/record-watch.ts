/**
 * Looks at records while their values lie in the slots, so that the feed of a sender can be watched without reading a body a second
 * time. It sees values and never an idx, and it changes nothing in the answer.
 */
import type { Slots } from '../plan/slots.ts'

/** What is said of a record besides its slots. A record that was not scored has no risk. */
export interface WatchedResult {
  readonly blocked: boolean
  readonly risk: number
}

/** Which records of a body are seen: one of `every`, and the `first`th before all others. */
export interface WatchSample {
  readonly every: number
  readonly first: number
}

export interface RecordWatch {
  /** A body, or some lines of a stream, begin; a body may begin a second time, and then what was seen of it before does not count. */
  begin(): void
  /** One of `every` records, of those that were in order and of the others alike. */
  see(slots: Slots, result: WatchedResult): void
  /** Every record with a value that was refused. */
  seeRefused(slots: Slots): void
}

/** Records of about so many bytes of a body are seen: enough to judge a feed by, and few enough to cost little. */
const SEEN_BYTES = 65_536

/** One of so many records of a body is seen, so that the cost does not grow with it. */
export function watchEvery(bytes: number): number {
  return Math.max(1, Math.round(bytes / SEEN_BYTES))
}

/** Chooses the records of one body that are seen. */
export class WatchedBody {
  readonly every: number
  /** The first record that is seen, counted from 1. */
  readonly first: number
  private readonly watch: RecordWatch
  private left: number

  constructor(watch: RecordWatch, bytes: number, sample?: WatchSample) {
    this.watch = watch
    this.every = Math.max(sample?.every ?? 1, watchEvery(bytes))
    this.first = sample?.first ?? 1
    this.left = this.first
    watch.begin()
  }

  /** A record that the reference has judged. */
  judged(slots: Slots, result: WatchedResult): void {
    if (slots.faulty) this.watch.seeRefused(slots)
    if (--this.left > 0) return
    this.left = this.every
    this.watch.see(slots, result)
  }

  /** A record that was chosen already, and that has no problem. */
  scored(slots: Slots, risk: number): void {
    this.watch.see(slots, { blocked: false, risk })
  }
}
