/** How an expression changes with the value of one slot: where it may jump or bend, and whether it is straight between these places. */
import type { Node, NumberNode } from './node.ts'
import { countUses, partsOfNode } from './walk.ts'

export interface Shape {
  /** Values at which a comparison changes its answer, in no order. */
  readonly edges: readonly number[]
  /** Whether it need not be straight between the edges, so that it may turn or jump there. What is not understood is bent. */
  readonly isBent: boolean
}

/** The shape of the sum of these expressions. */
export function shapeOf(nodes: readonly NumberNode[], slot: number): Shape {
  return {
    edges: [...countUses(nodes).keys()].flatMap((node) => edgesOf(node, slot)),
    isBent: !nodes.every((node) => isStraight(node, slot)),
  }
}

function edgesOf(node: Node, slot: number): readonly number[] {
  if (node.kind !== 'compare') return []
  const left = lineOf(node.left, slot)
  const right = lineOf(node.right, slot)
  if (left === undefined || right === undefined || left.slope === right.slope) return []
  return [(right.start - left.start) / (left.slope - right.slope)]
}

/** A number that is `slope` times the slot's value, and `start` more. */
interface Line {
  readonly slope: number
  readonly start: number
}

/** The line that a node is; undefined where it is none, or reads other slots. */
function lineOf(node: NumberNode, slot: number): Line | undefined {
  switch (node.kind) {
    case 'number':
      return { slope: 0, start: node.value }
    case 'value':
      return node.slot === slot ? { slope: 1, start: 0 } : undefined
    case 'subtract': {
      const left = lineOf(node.left, slot)
      const right = lineOf(node.right, slot)
      return left && right && { slope: left.slope - right.slope, start: left.start - right.start }
    }
    default:
      return undefined
  }
}

/** Whether it stays the same between the edges. */
function isFlat(node: Node, slot: number): boolean {
  if (node.kind === 'value') return node.slot !== slot
  if (node.kind === 'forest') return !node.forest.named.includes(slot)
  if (node.kind === 'compare' && lineOf(node.left, slot) && lineOf(node.right, slot)) return true
  return partsOfNode(node).every((part) => isFlat(part, slot))
}

function isStraight(node: Node, slot: number): boolean {
  if (isFlat(node, slot)) return true
  switch (node.kind) {
    case 'value':
      return true
    case 'add':
      return node.of.every((each) => isStraight(each, slot))
    case 'subtract':
      return isStraight(node.left, slot) && isStraight(node.right, slot)
    case 'multiply': {
      const [only, second] = node.of.filter((each) => !isFlat(each, slot))
      return only !== undefined && second === undefined && isStraight(only, slot)
    }
    case 'divide':
      return isFlat(node.right, slot) && isStraight(node.left, slot)
    case 'choose':
      return (
        node.branches.every(({ when, then }) => isFlat(when, slot) && isStraight(then, slot)) &&
        isStraight(node.otherwise, slot)
      )
    default:
      return false
  }
}
