/** Questions about one field of numbers: where its values lie, which one is too common, and its digits. */
import { CELL, VALUE_BINS } from '../feed-counts.ts'
import type { FeedFieldPlan } from '../feed-plan.ts'
import type { DoubtKind } from '../feed-doubt.ts'
import { MISSING_CODES } from '../knowledge/missing-codes.ts'
import type { UsualNumbers } from '../knowledge/usual-numbers.ts'
import { type Evidence, RANK } from './evidence.ts'

/** A value that comes in nearly every record is a constant. */
const CONSTANT = 0.97
const OTHER = 'another unit, or another quantity'

export function askNumbers(
  evidence: Evidence,
  place: number,
  field: FeedFieldPlan,
  counts: Uint32Array,
  { highest, hasPast }: { readonly highest: number; readonly hasPast: boolean },
): void {
  const { usual } = field
  if (usual === undefined) return
  const read = counts[CELL.read] as number
  if (read === 0) return
  const common = commonest(counts)
  askLevel(evidence, place, field, usual, counts)
  askCodes(evidence, place, field, usual, { counts, read, hasPast })
  const isConstant = common >= CONSTANT * read
  const isHighest = (counts[CELL.atHighest] as number) >= common
  const kind: DoubtKind = isConstant ? 'constant' : isHighest ? 'limit' : 'missing-code'
  evidence.most(common, read, usual.commonest, {
    places: [place],
    doubt: kind,
    rank: isConstant ? RANK.constant : RANK.common,
  })
  if (usual.limit !== undefined && highest < usual.limit.open) {
    const at = counts[CELL.atHighest] as number
    const { hazard, weight = 1 } = usual.limit
    evidence.most(at, at, hazard, { places: [place], doubt: 'limit', rank: RANK.common, weight })
  }
  if (field.isAsWritten) askDigits(evidence, place, usual, counts, read)
}

function askLevel(
  evidence: Evidence,
  place: number,
  { cuts, unit }: FeedFieldPlan,
  usual: UsualNumbers,
  counts: Uint32Array,
): void {
  const bins = counts.subarray(CELL.bins, CELL.bins + cuts.length + 1)
  const total = bins.reduce((sum, count) => sum + count, 0)
  const belowOf = (value: number): number => {
    const end = cuts.indexOf(value) + 1
    return bins.subarray(0, end).reduce((sum, count) => sum + count, 0)
  }
  const likely = likelyUnit(cuts, bins, total, unit)
  const doubt = likely !== undefined ? 'unit' : usual.isPeriod === true ? 'period' : 'quantity'
  const told =
    usual.isPeriod === true ? {} : { likely: likely === undefined ? OTHER : `${likely}, or another quantity` }
  const finding = { places: [place], doubt, ...told, rank: RANK.level } as const
  const below = [...(usual.below ?? [])]
  const above = [...(usual.above ?? [])]
  if (usual.median !== undefined) {
    below.push([usual.median[0], 0.5])
    above.push([usual.median[1], 0.5])
  }
  for (const [value, most] of below) evidence.most(belowOf(value), total, most, finding)
  for (const [value, most] of above) evidence.most(total - belowOf(value), total, most, finding)
  for (const [value, least] of usual.fewBelow ?? []) evidence.least(belowOf(value), total, least, finding)
  for (const [value, least] of usual.fewFrom ?? [])
    evidence.least(total - belowOf(value), total, least, finding)
}

/** The other unit that the median fits; never a certain one, since another quantity may lie there too. */
function likelyUnit(
  cuts: readonly number[],
  bins: Uint32Array,
  total: number,
  unit: FeedFieldPlan['unit'],
): string | undefined {
  if (unit === undefined) return undefined
  let seen = 0
  const middle = bins.findIndex((count) => (seen += count) * 2 >= total)
  const from = (cuts[middle - 1] ?? 0) / 1.25
  const to = (cuts[middle] ?? Infinity) * 1.25
  const fitting = unit.others.filter(([, ratio]) => unit.median * ratio >= from && unit.median * ratio <= to)
  return fitting.length === 1 ? fitting[0]?.[0] : undefined
}

/** How many values lie from one edge to another. */
function around(
  cuts: readonly number[],
  counts: Uint32Array,
  { from, below }: { readonly from: number; readonly below: number },
): number {
  const bins = counts.subarray(CELL.bins + cuts.indexOf(from) + 1, CELL.bins + cuts.indexOf(below) + 1)
  return bins.reduce((sum, count) => sum + count, 0)
}

function askCodes(
  evidence: Evidence,
  place: number,
  { cuts }: FeedFieldPlan,
  { heap, codes = [] }: UsualNumbers,
  {
    counts,
    read,
    hasPast,
  }: { readonly counts: Uint32Array; readonly read: number; readonly hasPast: boolean },
): void {
  for (const [value, most] of codes) {
    const at = MISSING_CODES.indexOf(value as 0)
    const such = counts[CELL.missing + at] as number
    const isConstant = such >= CONSTANT * read
    const isHeap = heap?.code === value
    if (isHeap && such <= heap.most * around(cuts, counts, heap)) continue
    evidence.most(such, read, isHeap && !hasPast ? heap.first : most, {
      places: [place],
      doubt: isConstant ? 'constant' : 'missing-code',
      rank: RANK.code,
    })
  }
}

/** How often the commonest number came, or at least the commonest bin. */
function commonest(counts: Uint32Array): number {
  let most = 0
  for (let at = CELL.values; at < CELL.values + VALUE_BINS; at++) most = Math.max(most, counts[at] as number)
  return most
}

function askDigits(
  evidence: Evidence,
  place: number,
  { whole, fives, tens }: UsualNumbers,
  counts: Uint32Array,
  read: number,
): void {
  const finding = { places: [place], doubt: 'digits', rank: RANK.digits } as const
  const tensRead = counts[CELL.tens] as number
  if (whole !== undefined) evidence.most(counts[CELL.whole] as number, read, whole, finding)
  if (fives !== undefined) evidence.most(tensRead + (counts[CELL.fives] as number), read, fives, finding)
  if (tens !== undefined) evidence.most(tensRead, read, tens, finding)
}
