/** Groups of rising risk at the horizon: what was predicted in each, and what was observed. */
import { orderOf, subset } from '../numbers/predictions.ts'
import { type DeathIs, type FollowUp } from './follow-up.ts'
import { type Followed, followedOf, horizonOf } from './horizon.ts'
import { type HorizonMeans, horizonMeans } from './horizon-figures.ts'

const GROUPS = 5

export interface HorizonGroup extends HorizonMeans, Followed {
  readonly rows: number
  readonly lowest: number
  readonly highest: number
}

/** Rows of the same risk stay together, so a score of few values gives fewer groups. */
export function horizonGroups(rows: FollowUp, day: number, deathIs: DeathIs): readonly HorizonGroup[] {
  const { risks } = rows
  const order = orderOf(risks)
  const riskAt = (place: number): number => risks[order[place] as number] as number
  const groups: HorizonGroup[] = []
  for (let start = 0, end = 0; start < order.length; start = end) {
    end = Math.max(start + 1, Math.round(((groups.length + 1) * order.length) / GROUPS))
    while (end < order.length && riskAt(end) === riskAt(end - 1)) end++
    const lowest = riskAt(start)
    const highest = riskAt(end - 1)
    const isIn = (row: number): boolean =>
      (risks[row] as number) >= lowest && (risks[row] as number) <= highest
    const part = horizonOf(subset(rows, isIn), day, deathIs)
    groups.push({ rows: end - start, lowest, highest, ...followedOf(part), ...horizonMeans(part) })
  }
  return groups
}
