/**
 * Looks at records while their values lie in the slots, so that the feed of a sender can be watched without reading a body a second
 * time. It sees values and never an idx, and it changes nothing in the answer.
 */
import type { Problem } from '../judge/problem.ts'
import type { Slots } from '../plan/slots.ts'

/** What is said of a record besides its slots. A record that was not scored has no risk. */
export interface WatchedResult {
  readonly blocked: boolean
  readonly risk: number
  readonly problems: readonly Problem[]
}

/** Which records of a body are seen. It is chosen before the body is read. */
export interface WatchSample {
  /** So many are seen one after the other. */
  readonly all: number
  /** After these one of so many. */
  readonly every: number
  /** Where `all` is 0: the first that is seen, counted from 1. */
  readonly first: number
}

export interface RecordWatch {
  /** A body, or some lines of a stream, begin; a body may begin a second time, and then what was seen of it before does not count. */
  begin(): void
  /** A record that is seen, in order or not. */
  see(slots: Slots, result: WatchedResult): void
  /** Every record with a value that was refused. */
  seeRefused(slots: Slots): void
}

const EVERY_RECORD: WatchSample = { all: Infinity, every: 1, first: 1 }
const NO_PROBLEMS: readonly Problem[] = []

/** Chooses the records of one body that are seen. */
export class WatchedBody {
  private readonly watch: RecordWatch
  private readonly every: number
  private all: number
  /** Of records that the byte reader has not scored, the next one that is seen. */
  private left: number
  /** The result of a record that was scored. */
  private readonly scoredResult = { blocked: false, risk: 0, problems: NO_PROBLEMS }

  constructor(watch: RecordWatch, { all, every, first }: WatchSample = EVERY_RECORD) {
    this.watch = watch
    this.all = all
    this.every = every
    this.left = all > 0 ? 1 : first
    watch.begin()
  }

  /** The number, counted from 1, of the first record that is seen of those that the byte reader scores. */
  get first(): number {
    return this.left
  }

  /** A record that the reference has judged. */
  judged(slots: Slots, result: WatchedResult): void {
    if (slots.faulty) this.watch.seeRefused(slots)
    if (--this.left > 0) return
    this.watch.see(slots, result)
    this.left = this.next()
  }

  /** A record that was chosen already, and that has no problem. Returns after how many records the next one is seen. */
  scored(slots: Slots, risk: number): number {
    this.scoredResult.risk = risk
    this.watch.see(slots, this.scoredResult)
    return this.next()
  }

  private next(): number {
    return --this.all > 0 ? 1 : this.every
  }
}
