/** Standard errors that allow for several rows of one patient: the cluster-robust sandwich. */
import { sandwich } from '../numbers/cholesky.ts'
import { backTransform } from './back-transform.ts'
import type { Design } from './design.ts'
import type { LogisticFit } from './logistic.ts'

/** The covariance of the coefficients, rows of one cluster counted as one, with the factor G ÷ (G − 1). */
export function robustCovariance(design: Design, fit: LogisticFit): Float64Array {
  const width = design.columns.length
  const size = width + 1
  const scores = new Float64Array(design.clusters * size)
  const seen = new Uint8Array(design.clusters)
  const slopes = fit.standard.subarray(1)
  for (const { values, outcomes, clusters, offsets, weights, rows } of design.blocks) {
    for (let row = 0; row < rows; row++) {
      const start = row * width
      let eta = (fit.standard[0] as number) + (offsets?.[row] ?? 0)
      for (let k = 0; k < width; k++) eta += (slopes[k] as number) * (values[start + k] as number)
      const residual = ((outcomes[row] as number) - 1 / (1 + Math.exp(-eta))) * (weights?.[row] ?? 1)
      const cluster = clusters[row] as number
      seen[cluster] = 1
      const place = cluster * size
      scores[place] = (scores[place] as number) + residual
      for (let k = 0; k < width; k++) {
        scores[place + k + 1] = (scores[place + k + 1] as number) + residual * (values[start + k] as number)
      }
    }
  }
  const groups = seen.reduce((sum, one) => sum + one, 0)
  const meat = crossProducts(scores, size).map((sum) => (sum * groups) / (groups - 1))
  const standard = sandwich(fit.standardCovariance, meat, size)
  return sandwich(backTransform(design.standardise()), standard, size)
}

/** The same fit, with its covariance by cluster in place of that for independent rows. */
export function withRobustErrors(design: Design, fit: LogisticFit): LogisticFit {
  return { ...fit, covariance: robustCovariance(design, fit) }
}

function crossProducts(scores: Float64Array, size: number): Float64Array {
  const sums = new Float64Array(size * size)
  for (let start = 0; start < scores.length; start += size) {
    for (let row = 0; row < size; row++) {
      const value = scores[start + row] as number
      if (value === 0) continue
      for (let column = 0; column < size; column++) {
        const place = row * size + column
        sums[place] = (sums[place] as number) + value * (scores[start + column] as number)
      }
    }
  }
  return sums
}
