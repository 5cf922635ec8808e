/**
 * Risks that an answer gives, as counts by bin. They travel with the audit row of the answer: both are one entry of the queue, which is
 * durable as a whole, and are taken from it in one transaction. So a process that is killed loses neither or both, and no answer waits for
 * the tables of counts. A single risk is in the queue until it is chained, some 50 ms, and in no audit row.
 */
import { parseJson } from 'patient-risk-engine/read'
import { flagOf } from 'patient-risk-engine/outcomes'

/** Where risks are counted. */
export interface ScoredPlace {
  readonly deployment: string
  readonly digest: string
  /** As in 2026-11. */
  readonly month: string
  /** Empty where the caller names none. */
  readonly group: string
  /** From which risk on the answer is Yes; undefined where it is a number. */
  readonly yesFrom?: number | undefined
}

/** The width of a bin of risks, in ten-thousandths; that of outcomes. */
const BIN_UNITS = 10
const LAST_BIN = 1_000
/** A No has the bin −1, a Yes −2. */
const BINS_OF_ANSWERS = 2
const BINS = BINS_OF_ANSWERS + LAST_BIN + 1
/** Bin, number and sum. */
const PARTS = 3
/** An audit row is an object, and begins with another character. */
const LINE_START = '['

/**
 * Adds up by bin, with an element for every bin, because a large answer has risks in hundreds of them: that takes a tenth of the time
 * of a map. One serves all answers, so nothing is awaited between `begin` and `take`.
 */
class BinSums {
  private readonly numbers = new Float64Array(BINS)
  private readonly units = new Float64Array(BINS)
  private first = BINS
  private last = -1

  begin(counts: readonly number[]): void {
    // What a call has left that failed between.
    if (this.last >= 0) this.take()
    this.addCounts(counts)
  }

  add(bin: number, number: number, units: number): void {
    const at = bin + BINS_OF_ANSWERS
    this.numbers[at] = (this.numbers[at] as number) + number
    this.units[at] = (this.units[at] as number) + units
    if (at < this.first) this.first = at
    if (at > this.last) this.last = at
  }

  addCounts(counts: readonly number[]): void {
    for (let at = 0; at + 2 < counts.length; at += PARTS)
      this.add(counts[at] as number, counts[at + 1] as number, counts[at + 2] as number)
  }

  /** Bin, number and sum of each bin that has any, in the order of the bins. */
  take(): readonly number[] {
    const { numbers, units, first, last } = this
    const counts: number[] = []
    for (let at = first; at <= last; at++)
      if (numbers[at] !== 0) counts.push(at - BINS_OF_ANSWERS, numbers[at] as number, units[at] as number)
    numbers.fill(0, first, last + 1)
    units.fill(0, first, last + 1)
    this.first = BINS
    this.last = -1
    return counts
  }
}

const SUMS = new BinSums()

export class ScoredRisks {
  readonly place: ScoredPlace
  /** How many risks. */
  total = 0
  /** Bin, number and sum in ten-thousandths of each bin, one after the other. */
  private sums: readonly number[] = []
  /** Whether risks were taken away, perhaps before they were added. */
  private mayBeNegative = false

  constructor(place: ScoredPlace) {
    this.place = place
  }

  get size(): number {
    return this.sums.length / PARTS
  }

  /** Risks in ten-thousandths; −1 where there is none. With −1 times they are taken away again. */
  addAll(risks: Iterable<number>, times = 1): void {
    const { yesFrom } = this.place
    let total = 0
    SUMS.begin(this.sums)
    for (const units of risks) {
      if (units < 0) continue
      total += times
      const bin = yesFrom === undefined ? Math.floor(units / BIN_UNITS) : -1 - flagOf(units, yesFrom)
      SUMS.add(bin, times, times * units)
    }
    this.sums = SUMS.take()
    this.total += total
    if (times < 0) this.mayBeNegative = true
  }

  /** What `counts` of others gave. */
  addCounts(...others: readonly (readonly number[])[]): void {
    SUMS.begin(this.sums)
    for (const counts of others) {
      SUMS.addCounts(counts)
      for (let at = 1; at < counts.length; at += PARTS) this.total += counts[at] as number
    }
    this.sums = SUMS.take()
  }

  /** Bin, number and sum of each bin, one after the other, in the order of the bins: those who write rows always lock them in one order. */
  counts(): readonly number[] {
    const { sums } = this
    if (!this.mayBeNegative) return sums
    return sums.filter((_part, at) => (sums[at - (at % PARTS) + 1] as number) > 0)
  }

  *cells(): Generator<readonly [bin: number, number: number, units: number]> {
    const counts = this.counts()
    for (let at = 0; at < counts.length; at += PARTS)
      yield [counts[at] as number, counts[at + 1] as number, counts[at + 2] as number]
  }

  /** A line of the queue, beside those of audit rows. */
  toLine(): string {
    const { deployment, digest, month, group } = this.place
    return JSON.stringify([deployment, digest, month, group, this.counts()])
  }
}

/** Counts of the same place together, in one order of places. */
export function mergeScored(all: Iterable<ScoredRisks>): readonly ScoredRisks[] {
  const places = new Map<string, ScoredRisks[]>()
  for (const each of all) {
    if (each.total === 0) continue
    const { deployment, digest, month, group } = each.place
    const key = `${deployment}\n${digest}\n${month}\n${group}`
    const same = places.get(key)
    if (same === undefined) places.set(key, [each])
    else same.push(each)
  }
  return [...places].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, same]) => sumOf(same))
}

/** The counts of an answer stay as they are. */
function sumOf(same: readonly ScoredRisks[]): ScoredRisks {
  const [first, ...others] = same as readonly [ScoredRisks, ...ScoredRisks[]]
  if (others.length === 0) return first
  const sum = new ScoredRisks(first.place)
  sum.addCounts(...same.map((each) => each.counts()))
  return sum
}

export function isScoredLine(text: string): boolean {
  return text.startsWith(LINE_START)
}

export function scoredOf(line: string): ScoredRisks {
  const [deployment, digest, month, group, numbers] = parseJson(line) as [
    string,
    string,
    string,
    string,
    readonly number[],
  ]
  const scored = new ScoredRisks({ deployment, digest, month, group })
  scored.addCounts(numbers)
  return scored
}
