/** Walks expressions: what a node is made of, and what it reads. */
import { deepestWay } from './forest.ts'
import type { Node } from './node.ts'

/** The nodes that a node is made of, from left to right. */
export function partsOfNode(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'number':
    case 'none':
    case 'value':
    case 'today':
    case 'forest':
    case 'stateIn':
      return []
    case 'add':
    case 'multiply':
    case 'min':
    case 'max':
    case 'and':
    case 'or':
      return node.of
    case 'subtract':
    case 'divide':
    case 'compare':
      return [node.left, node.right]
    case 'sqrt':
    case 'log':
    case 'floor':
    case 'round':
    case 'lookup':
    case 'steps':
    case 'not':
      return [node.of]
    case 'choose':
      return [...node.branches.flatMap(({ when, then }) => [when, then]), node.otherwise]
  }
}

/** Every node of these expressions, each once, with how many others use it. */
export function countUses(roots: readonly Node[], uses = new Map<Node, number>()): Map<Node, number> {
  for (const root of roots) {
    const known = uses.get(root) ?? 0
    uses.set(root, known + 1)
    if (known === 0) countUses(partsOfNode(root), uses)
  }
  return uses
}

/**
 * The most steps that these expressions take for one record, each from anew: a node evaluated, a node of a tree visited. What is shared is
 * counted wherever it is used, and looked at once.
 */
export function stepsOf(roots: readonly Node[], known = new Map<Node, number>()): number {
  let sum = 0
  for (const root of roots) {
    const own = root.kind === 'forest' ? deepestWay(root.forest) : 1
    const steps = known.get(root) ?? own + stepsOf(partsOfNode(root), known)
    known.set(root, steps)
    sum += steps
  }
  return sum
}

/** What an expression reads of a record. */
export interface Reads {
  /** The slots whose values it reads. */
  readonly values: ReadonlySet<number>
  /** Whether it reads nothing else: no state and no date. */
  readonly isOfValues: boolean
}

export function readsOf(root: Node): Reads {
  const values = new Set<number>()
  let isOfValues = true
  for (const node of countUses([root]).keys()) {
    if (node.kind === 'value') values.add(node.slot)
    else if (node.kind === 'forest') for (const slot of node.forest.named) values.add(slot)
    else if (node.kind === 'stateIn' || node.kind === 'today') isOfValues = false
  }
  return { values, isOfValues }
}

/** Whether a node of this kind is in the expression. */
export function contains(root: Node, kind: Node['kind']): boolean {
  for (const node of countUses([root]).keys()) if (node.kind === kind) return true
  return false
}
