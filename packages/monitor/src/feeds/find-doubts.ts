/** What the counts of a feed, or of a file, say about its fields. */
import { type FeedCounts, CELL } from './feed-counts.ts'
import type { FeedDoubt } from './feed-doubt.ts'

/** Doubts of one look at counts, at most one for each field. `level` is the share of looks at right counts that any one test may fail. */
export function findDoubts(counts: FeedCounts, level: number): readonly FeedDoubt[] {
  return counts.plan.fields.flatMap(({ name, unit, cuts }, place): FeedDoubt[] => {
    const own = counts.fields[place]
    if (own === undefined || unit === undefined) return []
    const bins = own.subarray(CELL.bins)
    const total = bins.reduce((sum, count) => sum + count, 0)
    let below = 0
    for (let at = 0; at < cuts.length; at++) {
      below += bins[at] as number
      const isUnder = (cuts[at] as number) < unit.median
      const beyond = isUnder ? below : total - below
      // Hoeffding: at most half of the values lie beyond the middle.
      const excess = Math.max(0, beyond / Math.max(1, total) - 0.5)
      if (Math.exp(-2 * total * excess * excess) <= level)
        return [
          {
            field: name,
            doubt: 'unit',
            received: unit.received,
            likely: 'another unit, or another quantity',
          },
        ]
    }
    return []
  })
}
