/** Choices between ranges of one number, which many terms and figures are: they can be tried without evaluating each condition. */
import { nextDown, nextUp } from './double.ts'
import type { ConditionNode, NumberNode, NumberOfKind } from './node.ts'

export interface Bands {
  readonly of: NumberNode
  /** The first and the last number of each band, and what it gives. */
  readonly first: Float64Array
  readonly last: Float64Array
  readonly gives: Float64Array
  readonly otherwise: number
}

/** A choice as bands; undefined where it is something else. */
export function bandsIn({ branches, otherwise }: NumberOfKind<'choose'>): Bands | undefined {
  const otherNumber = constantOf(otherwise)
  const of = comparedIn(branches[0]?.when)
  if (of === undefined || otherNumber === undefined) return undefined
  const first = new Float64Array(branches.length)
  const last = new Float64Array(branches.length)
  const gives = new Float64Array(branches.length)
  for (const [place, { when, then }] of branches.entries()) {
    const range = rangeIn(when, of)
    const points = constantOf(then)
    if (range === undefined || points === undefined) return undefined
    first[place] = range[0]
    last[place] = range[1]
    gives[place] = points
  }
  return { of, first, last, gives, otherwise: otherNumber }
}

function constantOf(node: NumberNode): number | undefined {
  if (node.kind === 'none') return Number.NaN
  return node.kind === 'number' ? node.value : undefined
}

/** What the first comparison of a condition is about. */
function comparedIn(condition: ConditionNode | undefined): NumberNode | undefined {
  if (condition?.kind === 'and') return comparedIn(condition.of[0])
  return condition?.kind === 'compare' ? condition.left : undefined
}

/** The numbers for which a condition about one number holds; undefined where they are no range. */
function rangeIn(condition: ConditionNode, of: NumberNode): readonly [number, number] | undefined {
  if (condition.kind === 'and') {
    if (condition.of.length === 0) return undefined
    let from = -Infinity
    let to = Infinity
    for (const part of condition.of) {
      const range = rangeIn(part, of)
      if (range === undefined) return undefined
      from = Math.max(from, range[0])
      to = Math.min(to, range[1])
    }
    return [from, to]
  }
  if (condition.kind !== 'compare' || condition.left !== of) return undefined
  const { operator, right } = condition
  if (right === of) return operator === '=' ? [-Infinity, Infinity] : undefined
  if (right.kind !== 'number') return undefined
  const edge = right.value
  switch (operator) {
    case '<':
      return edge === -Infinity ? undefined : [-Infinity, nextDown(edge)]
    case '<=':
      return [-Infinity, edge]
    case '>':
      return edge === Infinity ? undefined : [nextUp(edge), Infinity]
    case '>=':
      return [edge, Infinity]
    case '=':
      return [edge, edge]
  }
}
