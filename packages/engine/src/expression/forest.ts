/**
 * Decision trees as tables. Every split is one comparison of a feature with an edge, so that all splits are walked by the same
 * loop: a value, a value with its sign turned, or whether a value is one of a set.
 */

/** The number that splits compare with their edges. What is absent is not a number, and goes to the second branch. */
export interface Feature {
  readonly slot: number
  /** 1 for the value, −1 where an absent value belongs to the lower ones; 0 for membership. */
  readonly sign: 1 | -1 | 0
  /** Of a set: 1 at the number of each member. A member gives 0 and any other value 1. */
  readonly members: Uint8Array
  /** Of a set: what an absent value gives. */
  readonly whenAbsent: 0 | 1
}

/** The trees of one term. */
export interface Forest {
  /** The place of the term in its model. */
  readonly place: number
  /** The slots that the definition names, in its order. */
  readonly named: readonly number[]
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
}

/** Fills in the features of a record. */
export function fillFeatures({ features }: Forest, values: Float64Array, record: Float64Array): void {
  for (let place = 0; place < features.length; place++) {
    const { slot, sign, members, whenAbsent } = features[place] as Feature
    const value = values[slot] as number
    if (sign !== 0) record[place] = sign * value
    else if (Number.isNaN(value)) record[place] = whenAbsent
    else record[place] = members[value] === 1 ? 0 : 1
  }
}

/** The most nodes that a record can visit, over all trees. */
export function deepestWay({ roots, branches }: Pick<Forest, 'roots' | 'branches'>): number {
  // Branches lead to later nodes, so each is looked at after the one that leads to it.
  const depths = new Int32Array(branches.length)
  const deepest = new Int32Array(roots.length)
  let tree = -1
  for (let node = 0; node < branches.length; node++) {
    if (node === roots[tree + 1]) tree++
    const depth = (depths[node] as number) + 1
    const first = branches[node] as number
    if (first !== 0) depths.fill(depth, first, first + 2)
    deepest[tree] = Math.max(deepest[tree] as number, depth)
  }
  return deepest.reduce((sum, each) => sum + each, 0)
}

/** Compiles the points of a record: the leaves that it reaches, added in the order of the trees. */
export function compileForest(forest: Forest): (values: Float64Array) => number {
  const { features, roots, branches, compared, edges, parts } = forest
  const record = new Float64Array(features.length)
  return (values) => {
    fillFeatures(forest, values, record)
    return sumOfLeaves(roots, branches, compared, edges, record) / parts
  }
}

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
