/** Questions about two fields that go together in right records, or that must not be equal. */
import { COMPARISON_CELLS, type FeedCounts, PAIR_CELLS } from '../feed-counts.ts'
import { type Evidence, RANK, logOdds } from './evidence.ts'

export function askPairs(evidence: Evidence, { plan, pairs, comparisons }: FeedCounts): void {
  const scores = new Map<number, number[]>()
  plan.pairs.forEach(({ one, other, leastOdds, least, most }, at) => {
    const [neither = 0, onlyOther = 0, onlyOne = 0, both = 0] = pairs.subarray(
      PAIR_CELLS * at,
      PAIR_CELLS * at + 4,
    )
    const finding = { places: [one.place, other.place], doubt: 'misaligned', rank: RANK.pair } as const
    if (leastOdds !== undefined) {
      const cells = [neither, onlyOther, onlyOne, both] as const
      evidence.odds(cells, leastOdds, finding)
      const { log, variance } = logOdds(cells)
      if (neither + onlyOther + onlyOne + both === 0) return
      for (const { place } of [one, other])
        scores.set(place, [...(scores.get(place) ?? []), -log / Math.sqrt(variance)])
    }
    if (least !== undefined) evidence.least(both, onlyOne + both, least, finding)
    if (most !== undefined) evidence.most(both, onlyOne + both, most, finding)
  })
  for (const [place, each] of scores)
    evidence.together(each, { places: [place], doubt: 'misaligned', rank: RANK.pair })
  plan.comparisons.forEach(({ one, other, equal, higher }, at) => {
    const [of = 0, same = 0, more = 0] = comparisons.subarray(
      COMPARISON_CELLS * at,
      COMPARISON_CELLS * at + 3,
    )
    const finding = {
      places: [one, other],
      doubt: 'quantity',
      likely: 'another of the two quantities, or another period',
      rank: RANK.pair,
    } as const
    if (equal < 1) evidence.most(same, of, equal, finding)
    if (higher < 1) evidence.most(more, Math.max(of, more), higher, finding)
  })
}
