/** How often the patient with the earlier event has the higher risk, among events by the horizon. */
import type { Remaining } from './censoring.ts'
import { CENSORED, DIED_FIRST, EVENT, type FollowUp, type Timeline, rowsOn } from './follow-up.ts'

export interface Concordance {
  /** Every pair counts the same (Harrell). It depends on how long people were followed. */
  readonly harrell: number
  /** Pairs are weighted against censoring (Uno). */
  readonly uno: number
  /** Who died first by the day of the event counts as never having it (Wolbers). */
  readonly wolbers: number
}

/** The rank of each risk, and how many different ones there are. Equal risks have the same rank. */
export interface Ranks {
  readonly rankOf: Uint32Array
  readonly size: number
}

export function ranksOf(risks: Float64Array): Ranks {
  const values = [...new Set(risks)].sort((a, b) => a - b)
  const places = new Map(values.map((value, place) => [value, place]))
  return { rankOf: Uint32Array.from(risks, (risk) => places.get(risk) as number), size: values.length }
}

/**
 * Pairs are an event by the horizon and a row that is later, or censored on the same day; for Wolbers also a row that died first by that
 * day. Equal risks count half. NaN where there is no pair. It takes rows × log(risks) steps.
 */
export function concordanceOf(
  rows: FollowUp,
  timeline: Timeline,
  ranks: Ranks,
  weights: Float64Array,
  remaining: Remaining,
): Concordance {
  const { before, after } = remaining
  const { ends } = rows
  const harrell = new Share()
  const uno = new Share()
  const wolbers = new Share()
  const later = new RankSums(ranks)
  const weightOf = (row: number): number => weights[row] as number
  const days = timeline.starts.length - 1
  for (let place = days - 1; place >= 0; place--) {
    const own = rowsOn(timeline, place)
    for (const row of own) if (ends[row] === CENSORED) later.add(row, weightOf(row))
    if (place < timeline.within) {
      const here = before[place] as number
      const beyond = after[place] as number
      for (const row of own) {
        if (ends[row] !== EVENT) continue
        const wins = later.below(row)
        harrell.add(weightOf(row), wins, later.total)
        uno.add(weightOf(row) / here ** 2, wins, later.total)
        if (beyond > 0) wolbers.add(weightOf(row) / (here * beyond), wins, later.total)
      }
    }
    for (const row of own) if (ends[row] !== CENSORED) later.add(row, weightOf(row))
  }
  const died = new RankSums(ranks)
  for (let place = 0; place < timeline.within; place++) {
    const own = rowsOn(timeline, place)
    const here = before[place] as number
    for (const row of own) if (ends[row] === DIED_FIRST) died.add(row, weightOf(row) / here)
    if (died.total === 0) continue
    for (const row of own)
      if (ends[row] === EVENT) wolbers.add(weightOf(row) / here, died.below(row), died.total)
  }
  return { harrell: harrell.value, uno: uno.value, wolbers: wolbers.value }
}

class Share {
  private wins = 0
  private pairs = 0

  add(weight: number, wins: number, pairs: number): void {
    this.wins += weight * wins
    this.pairs += weight * pairs
  }

  get value(): number {
    return this.wins / this.pairs
  }
}

/** Sums of weights by rank, as a Fenwick tree: adding a row and asking for all lower ones take log(ranks) steps each. */
class RankSums {
  private readonly ranks: Ranks
  private readonly tree: Float64Array
  private readonly own: Float64Array
  total = 0

  constructor(ranks: Ranks) {
    this.ranks = ranks
    this.tree = new Float64Array(ranks.size + 1)
    this.own = new Float64Array(ranks.size)
  }

  add(row: number, weight: number): void {
    if (weight === 0) return
    const rank = this.ranks.rankOf[row] as number
    this.own[rank] = (this.own[rank] as number) + weight
    this.total += weight
    for (let at = rank + 1; at < this.tree.length; at += at & -at)
      this.tree[at] = (this.tree[at] as number) + weight
  }

  /** The weight of all lower risks, and half of that of equal ones. */
  below(row: number): number {
    const rank = this.ranks.rankOf[row] as number
    let sum = (this.own[rank] as number) / 2
    for (let at = rank; at > 0; at -= at & -at) sum += this.tree[at] as number
    return sum
  }
}
