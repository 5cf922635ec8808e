/** Says before a fit, in words, why it could not come out: constant, collinear or separating columns. */
import { factorise } from '../numbers/cholesky.ts'
import type { Design } from './design.ts'

/** One minus the share of a column's variance that others explain, below which it adds nothing of its own. */
const COLLINEAR = 1e-9
const VISIBLE_WEIGHT = 1e-6

/** Everything that keeps the columns from being estimated. Empty when nothing does. A penalty settles all but constants. */
export function whyNotEstimable(design: Design, isPenalised: boolean): readonly string[] {
  const single = design.standardise().flatMap(({ lowest, highest }, column) => {
    const name = design.columns[column] ?? ''
    if (Math.min(...lowest) === Math.max(...highest)) {
      return [`“${name}” is the same in every row, so nothing can be learnt from it`]
    }
    // All values of one outcome lie at or below all values of the other.
    const separates = highest[0] <= lowest[1] || highest[1] <= lowest[0]
    if (isPenalised || !separates) return []
    return [
      `“${name}” tells the outcome perfectly on one side (perfect separation): every row beyond one of its values has the same outcome; leave it out or merge it with another, or ask for a ridge penalty`,
    ]
  })
  return single.length > 0 || isPenalised ? single : collinear(design)
}

function collinear(design: Design): readonly string[] {
  const { columns } = design
  const { dependence } = factorise(correlations(design), columns.length, COLLINEAR)
  if (dependence === undefined) return []
  const others = columns.filter((_name, k) => Math.abs(dependence.weights[k] ?? 0) > VISIBLE_WEIGHT)
  return [
    `“${columns[dependence.row] ?? ''}” follows from ${others.map((name) => `“${name}”`).join(', ')} (collinear); leave one of them out`,
  ]
}

/** The lower triangle. */
function correlations({ columns, values, rows }: Design): Float64Array {
  const size = columns.length
  const sums = new Float64Array(size * size)
  for (let start = 0; start < rows * size; start += size) {
    for (let k = 0; k < size; k++) {
      const value = (values[start + k] as number) / rows
      for (let j = 0; j <= k; j++) {
        sums[k * size + j] = (sums[k * size + j] as number) + value * (values[start + j] as number)
      }
    }
  }
  return sums
}
