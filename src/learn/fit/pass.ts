/** One pass over all rows at given coefficients: log likelihood, gradient and information. */
import type { Design } from './design.ts'

export interface Pass {
  readonly logLikelihood: number
  /** Intercept first. */
  readonly gradient: Float64Array
  /** Row by row, both triangles. */
  readonly information: Float64Array
}

/** Coefficients are those of the standardised columns, intercept first. Weights are by cluster. */
export function passOver(
  design: Design,
  coefficients: Float64Array,
  weights: ArrayLike<number> | undefined,
): Pass {
  const width = design.columns.length
  const size = width + 1
  const gradient = new Float64Array(size)
  const information = new Float64Array(size * size)
  const intercept = coefficients[0] as number
  const slopes = coefficients.subarray(1)
  let logLikelihood = 0
  for (const { values, outcomes, clusters, offsets, rows } of design.blocks) {
    for (let row = 0; row < rows; row++) {
      const times = weights === undefined ? 1 : (weights[clusters[row] as number] as number)
      if (times === 0) continue
      const start = row * width
      let eta = intercept + (offsets === undefined ? 0 : (offsets[row] as number))
      for (let k = 0; k < width; k++) eta += (slopes[k] as number) * (values[start + k] as number)
      const outcome = outcomes[row] as number
      const small = Math.exp(-Math.abs(eta))
      const probability = eta > 0 ? 1 / (1 + small) : small / (1 + small)
      // ln(1 + e^|eta|) by its small part, so that no term overflows.
      logLikelihood += times * ((outcome === 1 ? eta : 0) - (eta > 0 ? eta : 0) - Math.log1p(small))
      const residual = times * (outcome - probability)
      const weight = times * probability * (1 - probability)
      gradient[0] = (gradient[0] as number) + residual
      information[0] = (information[0] as number) + weight
      for (let k = 0; k < width; k++) {
        const value = values[start + k] as number
        const weighted = weight * value
        const place = (k + 1) * size
        gradient[k + 1] = (gradient[k + 1] as number) + residual * value
        information[place] = (information[place] as number) + weighted
        for (let j = 0; j <= k; j++) {
          information[place + j + 1] =
            (information[place + j + 1] as number) + weighted * (values[start + j] as number)
        }
      }
    }
  }
  for (let row = 0; row < size; row++) {
    for (let column = row + 1; column < size; column++) {
      information[row * size + column] = information[column * size + row] as number
    }
  }
  return { logLikelihood, gradient, information }
}
