/**
 * The idx of every record so far, to detect a repeated one in a stream that is too long to keep in memory.
 * Numbers are kept as bits in pages of 64, so that records with consecutive numbers take a quarter of a byte
 * each. It is exact, and its memory is bounded: when the bound is reached it throws instead of forgetting.
 */
import { EngineError } from '../read/engine-error.ts'
import type { LinesAnswer } from './lines.ts'

const PAGE = 64
const WORD = 32
const FEWEST_SLOTS = 1 << 8

/**
 * Odd multipliers of the hash. A caller who knows them can choose numbers that all collide, and each then costs a step
 * per earlier one. So untrusted callers get random multipliers.
 */
export type Spread = Readonly<{ high: number; low: number }>

export const PLAIN_SPREAD: Spread = { high: 0x85ebca6b, low: 0x9e3779b1 }

/** The kept numbers, in a form that can be stored and read again. */
export type SeenState = Readonly<{ pages: Float64Array; bits: Uint32Array }>

export class SeenIdx {
  private readonly maxPages: number
  private readonly spread: Spread
  private pages = new Float64Array(FEWEST_SLOTS).fill(Number.NaN)
  private bits = new Uint32Array(2 * FEWEST_SLOTS)
  private count = 0
  private lastPage = Number.NaN
  private lastSlot = 0

  /** A page takes 16 bytes, and 32 just after the table has grown. */
  constructor(maxPages: number, spread: Spread = PLAIN_SPREAD) {
    this.maxPages = maxPages
    this.spread = spread
  }

  /** Notes a number. Returns whether it is new. */
  add(idx: number): boolean {
    const page = Math.floor(idx / PAGE)
    // Stryker disable next-line ConditionalExpression: finding the page again gives the same slot, only later.
    if (page !== this.lastPage) {
      this.lastSlot = this.slotOf(page)
      this.lastPage = page
    }
    const place = idx - page * PAGE
    const word = 2 * this.lastSlot + (place >= WORD ? 1 : 0)
    const before = this.bits[word] as number
    const after = (before | (1 << (place % WORD))) >>> 0
    this.bits[word] = after
    return after !== before
  }

  has(idx: number): boolean {
    const page = Math.floor(idx / PAGE)
    const slot = this.find(page)
    const place = idx - page * PAGE
    const word = this.bits[2 * slot + (place >= WORD ? 1 : 0)] as number
    return this.pages[slot] === page && ((word >>> (place % WORD)) & 1) === 1
  }

  /** Notes the numbers of lines that start at the position `first`. Returns the positions of repeated numbers. */
  addLines(
    { idxs, ambiguousIdxs }: Pick<LinesAnswer, 'idxs' | 'ambiguousIdxs'>,
    first: number,
  ): ReadonlySet<number> {
    const found = new Set<number>()
    idxs.forEach((idx, place) => {
      if (Number.isNaN(idx)) for (const each of ambiguousIdxs.get(place) ?? []) this.add(each)
      else if (!this.add(idx)) found.add(first + place)
    })
    return found
  }

  state(): SeenState {
    const pages = new Float64Array(this.count)
    const bits = new Uint32Array(2 * this.count)
    let at = 0
    this.pages.forEach((page, slot) => {
      if (Number.isNaN(page)) return
      pages[at] = page
      bits.set(this.bits.subarray(2 * slot, 2 * slot + 2), 2 * at)
      at++
    })
    return { pages, bits }
  }

  restore({ pages, bits }: SeenState): void {
    pages.forEach((page, index) => {
      // The slot comes first: finding it may put a larger table in the place of this one.
      const slot = this.slotOf(page)
      this.bits.set(bits.subarray(2 * index, 2 * index + 2), 2 * slot)
    })
    this.lastPage = Number.NaN
  }

  /** The slot of a page, which is added if needed. The table grows when three quarters of it are in use. */
  private slotOf(page: number): number {
    let slot = this.find(page)
    if (this.pages[slot] === page) return slot
    if (this.count >= this.maxPages) throw new EngineError('IDX_SCATTERED')
    // Stryker disable next-line EqualityOperator: a table that grows one page sooner holds the same pages.
    if ((this.count + 1) * 4 > this.pages.length * 3) {
      const kept = this.state()
      this.pages = new Float64Array(2 * this.pages.length).fill(Number.NaN)
      this.bits = new Uint32Array(2 * this.bits.length)
      this.count = 0
      this.restore(kept)
      slot = this.find(page)
    }
    this.count++
    this.pages[slot] = page
    return slot
  }

  /** Where a page stands, or the free slot where it would. */
  private find(page: number): number {
    const { pages, spread } = this
    const mask = pages.length - 1
    let slot = firstSlot(page, mask, spread)
    // Stryker disable next-line ArithmeticOperator: a search in the other direction finds the same pages.
    while (!Number.isNaN(pages[slot]) && pages[slot] !== page) slot = (slot + 1) & mask
    return slot
  }
}

/** Where the search for a page begins, in a table of `mask` + 1 places, which is a power of two. */
export function firstSlot(page: number, mask: number, { high, low }: Spread): number {
  const mixed = Math.imul(page ^ Math.imul(Math.floor(page / 2 ** WORD), high), low)
  // The upper bits of a product depend on all bits of what was multiplied, the lower ones do not.
  return mixed >>> Math.clz32(mask)
}
