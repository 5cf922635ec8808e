/** Questions about neighbours in a body: values that are copied from record to record, and columns that are sorted alone. */
import { CELL, VALUE_BINS } from '../feed-counts.ts'
import type { FeedFieldPlan } from '../feed-plan.ts'
import { type Evidence, LIGHT, RANK } from './evidence.ts'

/** Neighbours agree by chance; beyond that at most in this share of the pairs. */
const COPIED = 0.35
/** Of neighbours that differ at most this share rises: a body may be in the order of any field, but hardly in that of a measurement. */
const RISING = 0.8

export function askOrder(evidence: Evidence, place: number, field: FeedFieldPlan, counts: Uint32Array): void {
  const { usual, kind } = field
  if (usual === undefined) return
  const same = counts[CELL.same] as number
  const higher = counts[CELL.higher] as number
  const lower = counts[CELL.lower] as number
  const byChance = agreement(counts)
  evidence.most(same, same + higher + lower, byChance + COPIED * (1 - byChance), {
    places: [place],
    doubt: 'copied',
    rank: RANK.order,
    weight: LIGHT,
  })
  if (kind !== 'decimal') return
  evidence.most(Math.max(higher, lower), higher + lower, RISING, {
    places: [place],
    doubt: 'misaligned',
    rank: RANK.order,
    weight: LIGHT,
  })
}

/** The probability that two values agree. */
function agreement(counts: Uint32Array): number {
  const read = counts[CELL.read] as number
  let sum = 0
  for (let at = CELL.values; at < CELL.values + VALUE_BINS; at++) sum += (counts[at] as number) ** 2
  return read === 0 ? 0 : sum / read ** 2
}
