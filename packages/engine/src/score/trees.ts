/** The trees of a definition as tables. */
import type { Domain } from '../definition/domain.ts'
import type { SplitDefinition, TreesDefinition } from '../definition/term.ts'
import { edgeOf, fieldsOfTrees, isSplit, membersOf } from '../definition/trees.ts'
import { nextUp } from '../expression/double.ts'
import { type Feature, type Forest, compileForest, fillFeatures } from '../expression/forest.ts'

export interface TreeTable extends Forest {
  readonly slots: readonly number[]
  /** Fills in the features of a record. */
  readonly fill: (values: Float64Array, features: Float64Array) => void
  readonly points: (values: Float64Array) => number
}

interface TreeFields {
  slotOf(field: string): number
  domainOf(field: string): Domain
}

/** `place` is that of the term in its model. */
export function compileTrees(term: TreesDefinition, fields: TreeFields, place = 0): TreeTable {
  const count = term.trees.reduce((sum, tree) => sum + tree.length, 0)
  const roots = new Int32Array(term.trees.length)
  const branches = new Int32Array(count)
  const compared = new Int32Array(count)
  const edges = new Float64Array(count)
  const features: Feature[] = []
  const known = new Map<string, number>()
  const featureOf = (name: string, make: () => Feature): number => {
    const found = known.get(name) ?? features.push(make()) - 1
    known.set(name, found)
    return found
  }
  /** Puts a split into the table, and returns its branches in the order of the table. */
  const enter = (split: SplitDefinition, at: number): readonly [number, number] => {
    const { field, absent } = split
    const slot = fields.slotOf(field)
    if (split.oneOf !== undefined) {
      const numbers = [...membersOf(split, fields.domainOf(field))].sort((a, b) => a - b)
      const whenAbsent = absent === 'then' ? 0 : 1
      compared[at] = featureOf(`${slot} in ${numbers.join()} ${whenAbsent}`, () => {
        const members = new Uint8Array(Math.max(0, ...numbers) + 1)
        for (const number of numbers) members[number] = 1
        return { slot, sign: 0, members, whenAbsent }
      })
      edges[at] = 1
      return [split.then, split.else]
    }
    const edge = edgeOf(split, term.rounding)
    const sign = absent === 'then' ? -1 : 1
    compared[at] = featureOf(`${slot} ${sign}`, () => ({ slot, sign, members: NO_MEMBERS, whenAbsent: 1 }))
    // Not below the edge, with the sign turned: at most minus the edge.
    edges[at] = sign === 1 ? edge : nextUp(-edge)
    return sign === 1 ? [split.then, split.else] : [split.else, split.then]
  }
  let next = 0
  term.trees.forEach((tree, index) => {
    const places = new Int32Array(tree.length)
    const order = [0]
    roots[index] = next
    places[0] = next++
    // The list grows while it is read: level by level, so that two branches lie side by side.
    for (const own of order) {
      const node = tree[own] as (typeof tree)[number]
      const at = places[own] as number
      if (!isSplit(node)) edges[at] = node
      else {
        const [first, second] = enter(node, at)
        branches[at] = next
        places[first] = next++
        places[second] = next++
        order.push(first, second)
      }
    }
  })
  const forest: Forest = {
    place,
    named: fieldsOfTrees(term).map((field) => fields.slotOf(field)),
    features,
    roots,
    branches,
    compared,
    edges,
    parts: term.combine === 'mean' ? term.trees.length : 1,
  }
  return {
    ...forest,
    slots: [...new Set(features.map(({ slot }) => slot))],
    fill: (values, record) => fillFeatures(forest, values, record),
    points: compileForest(forest),
  }
}

const NO_MEMBERS = new Uint8Array(0)
