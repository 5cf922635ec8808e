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
/** An audit row is an object, and begins with another character. */
const LINE_START = '['

export class ScoredRisks {
  readonly place: ScoredPlace
  /** How many risks. */
  total = 0
  /** The number and the sum, in ten-thousandths, of each bin. A No has the bin −1, a Yes −2. */
  private readonly bins = new Map<number, [number: number, units: number]>()

  constructor(place: ScoredPlace) {
    this.place = place
  }

  get size(): number {
    return this.bins.size
  }

  /** Risks in ten-thousandths; −1 where there is none. With −1 times they are taken away again. */
  addAll(risks: Iterable<number>, times = 1): void {
    const { yesFrom } = this.place
    for (const units of risks) {
      if (units < 0) continue
      this.total += times
      const bin = yesFrom === undefined ? Math.floor(units / BIN_UNITS) : -1 - flagOf(units, yesFrom)
      this.add(bin, times, times * units)
    }
  }

  /** What `counts` of another one gave. */
  addCounts(counts: readonly number[]): void {
    for (let at = 0; at + 2 < counts.length; at += 3) {
      const number = counts[at + 1] as number
      this.add(counts[at] as number, number, counts[at + 2] as number)
      this.total += number
    }
  }

  /** Bin, number and sum of each bin, one after the other. */
  counts(): readonly number[] {
    const counts: number[] = []
    for (const [bin, number, units] of this.cells()) counts.push(bin, number, units)
    return counts
  }

  add(bin: number, number: number, units: number): void {
    const known = this.bins.get(bin)
    if (known === undefined) this.bins.set(bin, [number, units])
    else {
      known[0] += number
      known[1] += units
    }
  }

  merge(other: ScoredRisks): void {
    this.total += other.total
    for (const [bin, [number, units]] of other.bins) this.add(bin, number, units)
  }

  /** In the order of the bins, so that those who write rows always lock them in one order. */
  *cells(): Generator<readonly [bin: number, number: number, units: number]> {
    // Numbers in an array of their own are sorted several times as fast as pairs.
    for (const bin of Int32Array.from(this.bins.keys()).sort()) {
      const [number, units] = this.bins.get(bin) as [number, number]
      if (number > 0) yield [bin, number, units]
    }
  }

  /** A line of the queue, beside those of audit rows. */
  toLine(): string {
    const { deployment, digest, month, group } = this.place
    return JSON.stringify([deployment, digest, month, group, this.counts()])
  }
}

/** Counts of the same place together, in one order of places. */
export function mergeScored(all: Iterable<ScoredRisks>): readonly ScoredRisks[] {
  const places = new Map<string, ScoredRisks>()
  const merged = new Set<ScoredRisks>()
  for (const each of all) {
    if (each.total === 0) continue
    const { deployment, digest, month, group } = each.place
    const key = `${deployment}\n${digest}\n${month}\n${group}`
    const known = places.get(key)
    if (known === undefined) places.set(key, each)
    else {
      // The counts of an answer stay as they are.
      const sum = merged.has(known) ? known : new ScoredRisks(known.place)
      if (sum !== known) sum.merge(known)
      sum.merge(each)
      places.set(key, sum)
      merged.add(sum)
    }
  }
  if (places.size < 2) return [...places.values()]
  return [...places].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each)
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
