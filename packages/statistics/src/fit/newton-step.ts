/** What a step of Newton's method needs from all rows at given coefficients: log likelihood, gradient and information. */
import { type Times, weightOf } from '../numbers/predictions.ts'
import type { Design } from './design.ts'

export interface NewtonStep {
  readonly logLikelihood: number
  /** Intercept first. */
  readonly gradient: Float64Array
  /** Row by row. */
  readonly information: Float64Array
}

/** Rows whose products are added up together: few enough for their columns to stay in the processor's cache. */
const BLOCK = 128

/** `standard` are coefficients of the standardised columns, intercept first. With a stride n, only every n-th row counts. */
export function newtonStepAt(design: Design, standard: Float64Array, draws?: Times, stride = 1): NewtonStep {
  const { values, offsets, rows, labels } = design
  const width = design.columns.length
  const size = width + 1
  // The columns of a block one after the other: as they are, with a 1 for the intercept; and weighted, with the residuals
  // after them. The products of the former with the latter are the information and, in the last row, the gradient.
  const all = size + 1 + ((size + 1) % 2)
  const plain = new Float64Array(all * BLOCK).fill(1, 0, BLOCK)
  const weighted = new Float64Array(all * BLOCK)
  const products = new Float64Array(all * all)
  const residuals = weighted.subarray(size * BLOCK, (size + 1) * BLOCK)
  let logLikelihood = 0
  for (let row = 0; row < rows;) {
    let count = 0
    for (; count < BLOCK && row < rows; row += stride) {
      const times = weightOf(labels, row, draws)
      if (times === 0) continue
      const start = row * width
      let eta = (standard[0] as number) + (offsets === undefined ? 0 : (offsets[row] as number))
      for (let k = 0; k < width; k++) {
        const value = values[start + k] as number
        eta += (standard[k + 1] as number) * value
        plain[(k + 1) * BLOCK + count] = value
      }
      const outcome = labels.outcomes[row] as number
      const small = Math.exp(-Math.abs(eta))
      const probability = eta > 0 ? 1 / (1 + small) : small / (1 + small)
      // ln(1 + e^|eta|) by its small part, so that no term overflows.
      logLikelihood += times * ((outcome === 1 ? eta : 0) - (eta > 0 ? eta : 0) - Math.log1p(small))
      residuals[count] = times * (outcome - probability)
      weighted[count] = times * probability * (1 - probability)
      count++
    }
    // Unused places of the last block count nothing.
    residuals.fill(0, count)
    weighted.fill(0, count, BLOCK)
    for (let k = 1; k < size; k++)
      for (let place = 0; place < BLOCK; place++)
        weighted[k * BLOCK + place] = (weighted[place] as number) * (plain[k * BLOCK + place] as number)
    addProducts(products, plain, weighted, all)
  }
  const information = new Float64Array(size * size).map((_cell, place) => {
    const row = Math.floor(place / size)
    const column = place % size
    return products[Math.max(row, column) * all + Math.min(row, column)] as number
  })
  return { logLikelihood, gradient: products.subarray(size * all, size * all + size), information }
}

/** Adds the products of the columns of a block to the lower triangle: four at a time, so that a number is loaded for two of them. */
function addProducts(sums: Float64Array, plain: Float64Array, weighted: Float64Array, size: number): void {
  for (let row = 0; row < size; row += 2) {
    for (let column = 0; column <= row; column += 2) {
      const left = row * BLOCK
      const right = column * BLOCK
      let a = 0
      let b = 0
      let c = 0
      let d = 0
      for (let place = 0; place < BLOCK; place++) {
        const w0 = weighted[left + place] as number
        const w1 = weighted[left + BLOCK + place] as number
        const p0 = plain[right + place] as number
        const p1 = plain[right + BLOCK + place] as number
        a += w0 * p0
        b += w0 * p1
        c += w1 * p0
        d += w1 * p1
      }
      const first = row * size + column
      const second = first + size
      sums[first] = (sums[first] as number) + a
      sums[first + 1] = (sums[first + 1] as number) + b
      sums[second] = (sums[second] as number) + c
      sums[second + 1] = (sums[second + 1] as number) + d
    }
  }
}
