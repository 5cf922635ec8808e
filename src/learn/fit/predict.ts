/** The risks that coefficients give to the rows of a design. */
import type { Predictions } from '../figures/predictions.ts'
import type { Design } from './design.ts'

/** For coefficients of the standardised columns, intercept first. */
export function predict(design: Design, standard: Float64Array): Predictions {
  design.standardise()
  const width = design.columns.length
  const risks = new Float64Array(design.rows)
  const outcomes = new Uint8Array(design.rows)
  const clusters = new Int32Array(design.rows)
  const weights = design.blocks[0]?.weights === undefined ? undefined : new Float64Array(design.rows)
  let place = 0
  for (const block of design.blocks) {
    for (let row = 0; row < block.rows; row++) {
      let eta = standard[0] as number
      for (let k = 0; k < width; k++) {
        eta += (standard[k + 1] as number) * (block.values[row * width + k] as number)
      }
      risks[place] = 1 / (1 + Math.exp(-eta))
      outcomes[place] = block.outcomes[row] as number
      if (weights !== undefined) weights[place] = block.weights?.[row] ?? 1
      clusters[place++] = block.clusters[row] as number
    }
  }
  return { risks, outcomes, clusters, ...(weights === undefined ? {} : { weights }) }
}
