/** The lowest and highest score that a model's terms can add up to. */
import { type Domains, type Range, rangeOf } from './domain.ts'
import { compileCurve, isBent } from './curve.ts'
import type { ModelDefinition } from './model.ts'
import type { TermDefinition } from './term.ts'
import { type TreeNode, isSplit, treeExtremes } from './trees.ts'

export interface ScoreRange extends Range {
  /** Whether every term gives whole points only. Only then does the range say which scores can be reached. */
  readonly isWhole: boolean
}

export function scoreRange(model: Pick<ModelDefinition, 'terms'>, inputs: Domains): ScoreRange {
  let from = 0
  let to = 0
  let isWhole = true
  for (const term of model.terms) {
    const points = extremes(term, inputs)
    from += Math.min(...points)
    to += Math.max(...points)
    isWhole &&= givesWhole(term, inputs) && points.every(Number.isInteger)
  }
  return { from, to, isWhole }
}

/** Whether the points between a term's extremes are whole when the extremes are. */
function givesWhole(term: TermDefinition, inputs: Domains): boolean {
  if (term.kind === 'product') return term.factors.every((factor) => givesWhole(factor, inputs))
  if (isBent(term)) return false
  if (term.kind === 'trees')
    return term.combine === 'sum' && term.trees.every((tree) => tree.every(givesWholePoints))
  if (term.kind !== 'linear') return true
  const domain = inputs.get(term.field)
  const readsWhole = domain?.kind === 'integer' || (domain?.kind === 'list' && domain.whole)
  return readsWhole && Number.isInteger(term.coefficient / (term.per ?? 1))
}

function givesWholePoints(node: TreeNode): boolean {
  return isSplit(node) || Number.isInteger(node)
}

/** Points that include a term's lowest and highest. Of a curve, which never gives whole points only, those at the ends. */
function extremes(term: TermDefinition, inputs: Domains): readonly number[] {
  switch (term.kind) {
    case 'banded':
    case 'count':
      return term.bands.map(({ points }) => points)
    case 'category':
      return Object.values(term.points)
    case 'flag':
    case 'absent':
      return [0, term.points]
    case 'product': {
      // The bounds of a product are among the products of its factors' bounds.
      let products: readonly number[] = [term.coefficient]
      for (const factor of term.factors) {
        const points = extremes(factor, inputs)
        const bounds = [Math.min(...points), Math.max(...points)]
        products = products.flatMap((product) => bounds.map((bound) => product * bound))
      }
      return products
    }
    case 'trees':
      return treeExtremes(term)
    default: {
      const { from, to } = rangeOf(inputs.get(term.field)) ?? { from: 0, to: 0 }
      const points = compileCurve(term, 0)
      return [from, to].map((end) => points(Float64Array.of(end)))
    }
  }
}
