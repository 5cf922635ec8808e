/**
 * Rows on their way into the chain. They are durable as soon as they stand in the ring of this process; from there the
 * thread of the store takes them into SQLite, many at a time. Whoever opens the store after a crash finds them.
 */
import { StoreError } from '../../store.ts'
import { withinLimit } from '../../within-limit.ts'
import { MOST_RINGS, RING_BYTES, type RingClaim, ringPath } from './claim.ts'
import { RingLock } from './lock.ts'
import { RingWriter } from './writer.ts'

/** What the thread of the store does for a ring. */
export interface RingKeeper {
  /** Takes over what a former owner has left in the ring, and makes it ready for new rows. */
  adoptRing(slot: number): Promise<RingClaim>
  /** Takes the rows of a ring into the chain; tells up to where. Fails where the ring is no longer this era's. */
  takeRing(slot: number, era: bigint): Promise<number>
}

/** Longest that an answer waits for its row. */
const LIMIT_MS = 1_000
/** How long rows wait in the ring for others, while there is room. */
const GATHER_MS = 50
const MUCH_BYTES = RING_BYTES / 4
/** The chain is being written by somebody else: the rows wait. */
const BUSY = 'database is locked'

export class Ring {
  private readonly storePath: string
  private readonly keeper: RingKeeper
  private lock: RingLock | undefined
  private slot = -1
  private writer: RingWriter | undefined
  private taking: Promise<void> | undefined
  private timer: NodeJS.Timeout | undefined
  /** Whether rows could not be taken into the chain, so that more of them must not pile up. */
  private isTroubled = false
  private turn: Promise<unknown> = Promise.resolve()
  private isClosed = false

  constructor(storePath: string, keeper: RingKeeper) {
    this.storePath = storePath
    this.keeper = keeper
  }

  async open(): Promise<void> {
    this.writer = await this.claim()
  }

  /** Resolves when the rows are durable. */
  append(text: string): Promise<void> {
    if (this.isClosed) return Promise.reject(new StoreError('the store is closed'))
    const deadline = performance.now() + LIMIT_MS
    const writing = this.turn.then(() => this.write(text, deadline))
    this.turn = writing.catch(() => undefined)
    return withinLimit(writing, LIMIT_MS, 'the store did not answer in time')
  }

  /** Takes in what waits, and gives the ring back. */
  async close(): Promise<void> {
    this.isClosed = true
    await this.turn
    await this.taking?.catch(() => undefined)
    await this.take().catch(() => undefined)
    this.release()
  }

  /** Gives the ring back as it is. Only when the thread of the store does nothing for it any more. */
  release(): void {
    this.isClosed = true
    clearTimeout(this.timer)
    if (this.writer !== undefined) this.giveUp(this.writer)
    this.lock?.release()
    this.lock = undefined
  }

  private async write(text: string, deadline: number): Promise<void> {
    assertInTime(deadline)
    if (this.isTroubled) await this.take()
    const writer = (this.writer ??= await this.claim())
    if (!writer.hasRoomFor(text)) await this.take()
    assertInTime(deadline)
    try {
      await writer.append(text)
    } catch (error) {
      // What is whole in the ring is taken in when it is claimed anew.
      if (writer.isSpoilt) this.giveUp(writer)
      throw error
    }
    this.takeSoon(writer)
  }

  private async claim(): Promise<RingWriter> {
    // Once held, it is kept: the thread may still be at work on a claim that nobody waits for any more.
    if (this.lock === undefined) this.takeLock()
    return new RingWriter(await this.keeper.adoptRing(this.slot))
  }

  private takeLock(): void {
    for (let slot = 0; slot < MOST_RINGS; slot++) {
      this.lock = RingLock.take(ringPath(this.storePath, slot))
      this.slot = slot
      if (this.lock !== undefined) return
    }
    throw new StoreError(`more than ${MOST_RINGS} processes serve from this store`)
  }

  private giveUp(writer: RingWriter): void {
    if (this.writer === writer) this.writer = undefined
    try {
      writer.close()
    } catch {
      // It is given up in any case.
    }
  }

  private takeSoon(writer: RingWriter): void {
    if (writer.waitingBytes >= MUCH_BYTES) this.take().catch(() => undefined)
    else this.takeLater()
  }

  private takeLater(): void {
    if (this.isClosed) return
    this.timer ??= setTimeout(() => {
      this.take().catch(() => undefined)
    }, GATHER_MS).unref()
  }

  /** Takes what waits into the chain. Those who ask meanwhile wait for the same. */
  private take(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    return (this.taking ??= this.takeNow())
  }

  private async takeNow(): Promise<void> {
    const { writer } = this
    try {
      if (writer !== undefined) writer.release(await this.keeper.takeRing(this.slot, writer.era))
      this.isTroubled = false
    } catch (error) {
      this.isTroubled = (error as Error).message !== BUSY
      throw error
    } finally {
      this.taking = undefined
      // What came in meanwhile, or could not be taken in yet.
      if (writer !== undefined && writer.waitingBytes > 0) this.takeLater()
    }
  }
}

/** Where nobody waits for a row any more, it must not be recorded as given. */
function assertInTime(deadline: number): void {
  if (performance.now() > deadline) throw new StoreError('late')
}
