/**
 * Shapley values of trees against one reference record, exactly. A leaf counts in those mixtures of the two records that take some
 * inputs from the record and others from the reference; its points are shared between these inputs, and no mixture is tried.
 */
import type { TreeTable } from '../score/trees.ts'
import type { WorkMeter } from '../work-meter.ts'

const FROM_REFERENCE = 1
const FROM_RECORD = 2

/** What each input adds to the points of the reference, by slot. */
export function treeShares(
  table: TreeTable,
  record: Float64Array,
  reference: Float64Array,
  meter: WorkMeter,
): ReadonlyMap<number, number> {
  const { features, branches, compared, edges, slots } = table
  const own = new Float64Array(features.length)
  const others = new Float64Array(features.length)
  table.fill(record, own)
  table.fill(reference, others)
  const places = new Map(slots.map((slot, place) => [slot, place]))
  const inputs = features.map(({ slot }) => places.get(slot) as number)
  /** Where each input comes from on the path; 0 while both records take the same way. */
  const origins = new Uint8Array(slots.length)
  /** The inputs on the path that come from one of the two. */
  const told: number[] = []
  const shares = new Float64Array(slots.length)
  const weights = orders(slots.length)

  const share = (points: number, fromRecord: number, fromReference: number): void => {
    if (fromRecord + fromReference === 0) return
    const gain = fromRecord === 0 ? 0 : points * weights(fromRecord - 1, fromReference)
    const loss = fromReference === 0 ? 0 : points * weights(fromRecord, fromReference - 1)
    for (const input of told) {
      const change = origins[input] === FROM_RECORD ? gain : -loss
      shares[input] = (shares[input] as number) + change
    }
  }

  const walk = (node: number, fromRecord: number, fromReference: number): void => {
    const first = branches[node] as number
    const edge = edges[node] as number
    meter.count(first === 0 ? told.length + 1 : 1)
    if (first === 0) {
      share(edge, fromRecord, fromReference)
      return
    }
    const feature = compared[node] as number
    const input = inputs[feature] as number
    const ownBranch = (own[feature] as number) < edge ? first : first + 1
    const otherBranch = (others[feature] as number) < edge ? first : first + 1
    const origin = origins[input]
    if (ownBranch === otherBranch || origin === FROM_RECORD) walk(ownBranch, fromRecord, fromReference)
    else if (origin === FROM_REFERENCE) walk(otherBranch, fromRecord, fromReference)
    else {
      told.push(input)
      origins[input] = FROM_RECORD
      walk(ownBranch, fromRecord + 1, fromReference)
      origins[input] = FROM_REFERENCE
      walk(otherBranch, fromRecord, fromReference + 1)
      origins[input] = 0
      told.pop()
    }
  }

  for (const root of table.roots) walk(root, 0, 0)
  return new Map(slots.map((slot, place) => [slot, (shares[place] as number) / table.parts]))
}

/** The share of all orders of inputs in which so many come before one of them and so many after it. */
export function orders(most: number): (before: number, after: number) => number {
  const factorials = [1]
  for (let number = 1; number <= most; number++) factorials.push((factorials[number - 1] as number) * number)
  return (before, after) =>
    ((factorials[before] as number) * (factorials[after] as number)) /
    (factorials[before + after + 1] as number)
}
