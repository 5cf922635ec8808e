/** Chooses the method and works out the changed model's risks; and how much that choice flatters itself. */
import type { ModelDefinition } from '../../definition/model.ts'
import { compileModel } from '../../engine/score/model.ts'
import { type OnStep, type Optimism, optimismOf } from '../figures/optimism.ts'
import type { Predictions } from '../figures/predictions.ts'
import { type Candidates, candidatesFor, termWeights } from './candidates.ts'
import { changedParts } from './changed-parts.ts'
import type { Method } from './closed-test.ts'
import type { SeenRows } from './seen-rows.ts'

export interface Choice {
  readonly method: Method
  readonly candidates: Candidates
  readonly parts: Pick<ModelDefinition, 'terms' | 'link'>
  readonly after: Predictions
}

/** Each call goes the whole way anew, the closed test too, with every patient counted so many times. */
export function chooserFor(
  model: ModelDefinition,
  wanted: Method | 'auto',
  rows: SeenRows,
): (weights?: ArrayLike<number>) => Choice {
  const terms = rows.compiled.terms.length
  const estimateAll = candidatesFor(rows.predictions, rows.points, terms)
  return (weights) => {
    const candidates = estimateAll(weights)
    const method = wanted === 'auto' ? candidates.test.chosen : wanted
    const parts = changedParts(model, method, candidates)
    const risks = risksAfter({ ...model, ...parts }, rows, termWeights(method, candidates, terms))
    return { method, candidates, parts, after: { ...rows.predictions, risks } }
  }
}

export function recalibrationOptimism(
  choose: (weights?: ArrayLike<number>) => Choice,
  options: { readonly samples: number; readonly seed: number },
  onStep: OnStep,
): Optimism | undefined {
  if (options.samples === 0) return undefined
  return optimismOf(
    (weights) => ({ predictions: choose(weights).after }),
    { of: 'recalibration', ...options },
    onStep,
  )
}

/** The new risks of the rows, from the points that their terms gave. */
function risksAfter(model: ModelDefinition, { plan, points }: SeenRows, weights: Float64Array): Float64Array {
  const width = weights.length
  const compiled = compileModel(model, plan)
  return Float64Array.from({ length: points.length / width }, (_each, row) => {
    let score = 0
    for (let term = 0; term < width; term++) {
      score += (weights[term] as number) * (points[row * width + term] as number)
    }
    return compiled.probability(score)
  })
}
