/** Questions about two fields that go together in right records, or that must not be equal. */
import { COMPARISON_CELLS, type FeedCounts, PAIR_CELLS } from '../feed-counts.ts'
import { type Evidence, RANK } from './evidence.ts'

export function askPairs(evidence: Evidence, { plan, pairs, comparisons }: FeedCounts): void {
  plan.pairs.forEach(({ one, other, leastOdds, least, most }, at) => {
    const [neither = 0, onlyOther = 0, onlyOne = 0, both = 0] = pairs.subarray(
      PAIR_CELLS * at,
      PAIR_CELLS * at + 4,
    )
    const finding = { places: [one.place, other.place], doubt: 'misaligned', rank: RANK.pair } as const
    if (leastOdds !== undefined) evidence.odds([neither, onlyOther, onlyOne, both], leastOdds, finding)
    if (least !== undefined) evidence.least(both, onlyOne + both, least, finding)
    if (most !== undefined) evidence.most(both, onlyOne + both, most, finding)
  })
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
