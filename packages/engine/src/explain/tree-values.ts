/** Values of an input between which trees change: on each piece between two edges the points of the trees are the same. */
import { type Domain, steppedValues } from '../definition/domain.ts'
import { nextUp } from '../expression/double.ts'
import type { TreeTable } from '../score/trees.ts'

/** More values than this are not tried one by one. */
const MOST_VALUES = 10_000

/** Compiles the values of an open input: the first and the last of each piece. Undefined if they are too many. */
export function compileTreeValues(
  tables: readonly TreeTable[],
): (slot: number, domain: Domain) => readonly number[] | undefined {
  const edgesOf = new Map<number, Set<number>>()
  for (const table of tables) enterEdges(table, edgesOf)
  return (slot, domain) => {
    if (domain.kind === 'list') return domain.values
    if (domain.kind === 'code') return [...domain.codes.values()]
    if (domain.kind === 'yesNo') return [0, 1]
    if (domain.kind === 'date') return undefined
    const { step } = domain
    if (step !== undefined)
      return (domain.to - domain.from) / step <= MOST_VALUES ? steppedValues(domain, step) : undefined
    // The ends of the usual values need not be values themselves.
    const from = domain.kind === 'integer' ? Math.ceil(domain.from) : domain.from
    const to = domain.kind === 'integer' ? Math.floor(domain.to) : domain.to
    if (from > to) return []
    const values = new Set([from, to])
    for (const edge of edgesOf.get(slot) ?? []) {
      const first = domain.kind === 'integer' ? Math.ceil(edge) : edge
      const last = domain.kind === 'integer' ? first - 1 : -nextUp(-edge)
      if (first > from && first <= to) values.add(first)
      if (last > from && last <= to) values.add(last)
    }
    return [...values]
  }
}

/** The numbers at which the trees change: the way of a number below one is another than that of the number itself. */
function enterEdges(
  { features, branches, compared, edges }: TreeTable,
  edgesOf: Map<number, Set<number>>,
): void {
  branches.forEach((first, node) => {
    const feature = features[compared[node] as number]
    if (first === 0 || feature === undefined) return
    const known = edgesOf.get(feature.slot) ?? new Set()
    edgesOf.set(feature.slot, known)
    const { sign, members } = feature
    const edge = edges[node] as number
    if (sign === 1) known.add(edge)
    // With the sign turned, the numbers above minus the edge take the first branch.
    if (sign === -1) known.add(nextUp(-edge))
    if (sign !== 0) return
    members.forEach((isMember, number) => {
      if (isMember === 1) known.add(number).add(nextUp(number))
    })
  })
}
