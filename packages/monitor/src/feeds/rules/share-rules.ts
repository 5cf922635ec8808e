/** Questions about the share of a code, or of yes. */
import { CELL } from '../feed-counts.ts'
import type { FeedFieldPlan } from '../feed-plan.ts'
import { type Evidence, RANK } from './evidence.ts'

export function askShares(
  evidence: Evidence,
  place: number,
  { shares }: FeedFieldPlan,
  counts: Uint32Array,
): void {
  const read = counts[CELL.read] as number
  for (const { number, least, most } of shares) {
    const such = counts[CELL.codes + number] as number
    const isConstant = such === 0 || such === read
    const finding = { places: [place], doubt: isConstant ? 'constant' : 'share', rank: RANK.share } as const
    if (most < 1) evidence.most(such, read, most, finding)
    if (least > 0) evidence.least(such, read, least, finding)
  }
}
