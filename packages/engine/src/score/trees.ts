/**
 * Decision trees as tables. Every split is one comparison of a feature with an edge, so that all splits are walked by the same
 * loop: a value, a value with its sign turned, or whether a value is one of a set.
 */
import type { Domain } from '../definition/domain.ts'
import type { SplitDefinition, TreesDefinition } from '../definition/term.ts'
import { edgeOf, isSplit, membersOf, nextUp } from '../definition/trees.ts'

/** The number that splits compare with their edges. What is absent is not a number, and goes to the second branch. */
interface Feature {
  readonly slot: number
  /** 1 for the value, −1 where an absent value belongs to the lower ones; 0 for membership. */
  readonly sign: 1 | -1 | 0
  /** Of a set: 1 at the number of each member. A member gives 0 and any other value 1. */
  readonly members: Uint8Array
  /** Of a set: what an absent value gives. */
  readonly whenAbsent: 0 | 1
}

export interface TreeTable {
  readonly slots: readonly number[]
  readonly features: readonly Feature[]
  /** The first node of each tree. */
  readonly roots: Int32Array
  /** The first branch of each node, which the second one follows; 0 for a leaf. */
  readonly branches: Int32Array
  /** The feature that a node compares. A number below the edge goes to the first branch. */
  readonly compared: Int32Array
  /** The edge of a split, the points of a leaf. */
  readonly edges: Float64Array
  /** What the sum of the leaves is divided by. */
  readonly parts: number
  /** Fills in the features of a record. */
  readonly fill: (values: Float64Array, features: Float64Array) => void
  readonly points: (values: Float64Array) => number
}

interface TreeFields {
  slotOf(field: string): number
  domainOf(field: string): Domain
}

export function compileTrees(term: TreesDefinition, fields: TreeFields): TreeTable {
  const count = term.trees.reduce((sum, tree) => sum + tree.length, 0)
  const roots = new Int32Array(term.trees.length)
  const branches = new Int32Array(count)
  const compared = new Int32Array(count)
  const edges = new Float64Array(count)
  const features: Feature[] = []
  const known = new Map<string, number>()
  const placeOf = (name: string, make: () => Feature): number => {
    const place = known.get(name) ?? features.push(make()) - 1
    known.set(name, place)
    return place
  }
  /** Puts a split into the table, and returns its branches in the order of the table. */
  const enter = (split: SplitDefinition, at: number): readonly [number, number] => {
    const { field, absent } = split
    const slot = fields.slotOf(field)
    if (split.oneOf !== undefined) {
      const numbers = [...membersOf(split, fields.domainOf(field))].sort((a, b) => a - b)
      const whenAbsent = absent === 'then' ? 0 : 1
      compared[at] = placeOf(`${slot} in ${numbers.join()} ${whenAbsent}`, () => {
        const members = new Uint8Array(Math.max(0, ...numbers) + 1)
        for (const number of numbers) members[number] = 1
        return { slot, sign: 0, members, whenAbsent }
      })
      edges[at] = 1
      return [split.then, split.else]
    }
    const edge = edgeOf(split, term.rounding)
    const sign = absent === 'then' ? -1 : 1
    compared[at] = placeOf(`${slot} ${sign}`, () => ({ slot, sign, members: NO_MEMBERS, whenAbsent: 1 }))
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
    for (const place of order) {
      const node = tree[place] as (typeof tree)[number]
      const at = places[place] as number
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
  const parts = term.combine === 'mean' ? term.trees.length : 1
  const record = new Float64Array(features.length)
  const fill = fillerOf(features)
  return {
    slots: [...new Set(features.map(({ slot }) => slot))],
    ...{ features, roots, branches, compared, edges, parts, fill },
    points(values) {
      fill(values, record)
      return sumOfLeaves(roots, branches, compared, edges, record) / parts
    },
  }
}

const NO_MEMBERS = new Uint8Array(0)

function fillerOf(features: readonly Feature[]): TreeTable['fill'] {
  return (values, record) => {
    for (let place = 0; place < features.length; place++) {
      const { slot, sign, members, whenAbsent } = features[place] as Feature
      const value = values[slot] as number
      if (sign !== 0) record[place] = sign * value
      else if (Number.isNaN(value)) record[place] = whenAbsent
      else record[place] = members[value] === 1 ? 0 : 1
    }
  }
}

/** Added in the order of the trees. */
function sumOfLeaves(
  roots: Int32Array,
  branches: Int32Array,
  compared: Int32Array,
  edges: Float64Array,
  record: Float64Array,
): number {
  let sum = 0
  for (const root of roots) {
    let node = root
    let first = branches[node] as number
    while (first !== 0) {
      // Added as a number, which the processor need not guess: twice as fast as a choice between the branches.
      const isBelow = (record[compared[node] as number] as number) < (edges[node] as number)
      node = first + 1 - Number(isBelow)
      first = branches[node] as number
    }
    sum += edges[node] as number
  }
  return sum
}
