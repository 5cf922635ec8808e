/** One pass over all rows at given coefficients: log likelihood, gradient and information. */
import { type Times, weightOf } from '../figures/predictions.ts'
import type { Design } from './design.ts'

export interface Pass {
  readonly logLikelihood: number
  /** Intercept first. */
  readonly gradient: Float64Array
  /** Row by row; only the lower triangle is filled. */
  readonly information: Float64Array
}

/** Rows that enter the information together, so that each of its cells is loaded and stored once for all of them. */
const TOGETHER = 4

/** Coefficients are those of the standardised columns, intercept first. */
export function passOver(design: Design, coefficients: Float64Array, draws?: Times): Pass {
  const width = design.columns.length
  const size = width + 1
  const gradient = new Float64Array(size)
  const information = new Float64Array(size * size)
  const intercept = coefficients[0] as number
  const slopes = coefficients.subarray(1)
  // The rows that wait: each with a 1 for the intercept, once as it is and once weighted.
  const plain = new Float64Array(TOGETHER * size)
  const weighted = new Float64Array(TOGETHER * size)
  let waiting = 0
  let logLikelihood = 0
  const { values, offsets, rows, labels } = design
  for (let row = 0; row < rows; row++) {
    const times = weightOf(labels, row, draws)
    if (times === 0) continue
    const start = row * width
    let eta = intercept + (offsets === undefined ? 0 : (offsets[row] as number))
    for (let k = 0; k < width; k++) eta += (slopes[k] as number) * (values[start + k] as number)
    const outcome = labels.outcomes[row] as number
    const small = Math.exp(-Math.abs(eta))
    const probability = eta > 0 ? 1 / (1 + small) : small / (1 + small)
    // ln(1 + e^|eta|) by its small part, so that no term overflows.
    logLikelihood += times * ((outcome === 1 ? eta : 0) - (eta > 0 ? eta : 0) - Math.log1p(small))
    const residual = times * (outcome - probability)
    const weight = times * probability * (1 - probability)
    gradient[0] = (gradient[0] as number) + residual
    const place = waiting * size
    plain[place] = 1
    weighted[place] = weight
    for (let k = 0; k < width; k++) {
      const value = values[start + k] as number
      gradient[k + 1] = (gradient[k + 1] as number) + residual * value
      plain[place + k + 1] = value
      weighted[place + k + 1] = weight * value
    }
    if (++waiting === TOGETHER) {
      addTogether(information, plain, weighted, size)
      waiting = 0
    }
  }
  // Places that no row has taken this time count nothing.
  weighted.fill(0, waiting * size)
  addTogether(information, plain, weighted, size)
  return { logLikelihood, gradient, information }
}

/** Adds the products of four rows to the lower triangle. */
function addTogether(sums: Float64Array, plain: Float64Array, weighted: Float64Array, size: number): void {
  const [b, c, d] = [size, 2 * size, 3 * size]
  for (let row = 0; row < size; row++) {
    const w0 = weighted[row] as number
    const w1 = weighted[b + row] as number
    const w2 = weighted[c + row] as number
    const w3 = weighted[d + row] as number
    const place = row * size
    for (let column = 0; column <= row; column++) {
      sums[place + column] =
        (sums[place + column] as number) +
        w0 * (plain[column] as number) +
        w1 * (plain[b + column] as number) +
        w2 * (plain[c + column] as number) +
        w3 * (plain[d + column] as number)
    }
  }
}
