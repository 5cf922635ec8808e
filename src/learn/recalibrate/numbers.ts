/** The numbers that a recalibration found, as its report gives them. */
import type { ModelDefinition } from '../../definition/model.ts'
import type { RecalibrationReport } from '../report/report.ts'
import type { Choice } from './choose.ts'

export function numbersOf(
  model: ModelDefinition,
  { method, candidates: { intercept, slope, refit, moving } }: Choice,
): Pick<RecalibrationReport, 'intercept' | 'slope' | 'weights'> {
  if (method === 'none') return { intercept: 0 }
  if (method === 'intercept') return { intercept: intercept.coefficients[0] as number }
  if (method === 'slope') {
    return { intercept: slope.coefficients[0] as number, slope: slope.coefficients[1] as number }
  }
  const size = refit.coefficients.length
  return {
    intercept: refit.coefficients[0] as number,
    weights: moving.map((index, k) => {
      const term = model.terms[index]
      return {
        term: term?.label ?? (term?.kind === 'count' ? 'count' : (term?.field ?? '')),
        weight: refit.coefficients[k + 1] as number,
        error: Math.sqrt(refit.covariance[(k + 1) * size + k + 1] as number),
      }
    }),
  }
}
