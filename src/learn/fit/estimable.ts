/** Says before a fit, in words, why it could not come out: constant, collinear or separating columns. */
import { factorise } from '../numbers/cholesky.ts'
import type { ColumnRange } from './column-range.ts'
import type { Design } from './design.ts'

/** One minus the share of a column's variance that others explain, below which it adds nothing of its own. */
const COLLINEAR = 1e-9
const VISIBLE_WEIGHT = 1e-6

/** Everything that keeps the columns from being estimated. Empty when nothing does. A penalty settles all but constants. */
export function whyNotEstimable(design: Design, isPenalised: boolean): readonly string[] {
  const ranges = design.standardise()
  const single = design.columns.flatMap((name, column) => {
    const range = ranges[column] as ColumnRange
    if (isConstant(range)) return [`“${name}” is the same in every row, so nothing can be learnt from it`]
    if (!isPenalised && separates(range)) {
      return [
        `“${name}” tells the outcome perfectly on one side (perfect separation): every row beyond one of its values has the same outcome; leave it out or merge it with another, or ask for a ridge penalty`,
      ]
    }
    return []
  })
  return single.length > 0 || isPenalised ? single : collinear(design)
}

function isConstant({ lowest, highest }: ColumnRange): boolean {
  return Math.min(...lowest) === Math.max(...highest)
}

/** All values of one outcome lie at or below all values of the other. */
function separates({ lowest, highest }: ColumnRange): boolean {
  return highest[0] <= lowest[1] || highest[1] <= lowest[0]
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

function correlations(design: Design): Float64Array {
  const size = design.columns.length
  const sums = new Float64Array(size * size)
  for (const { values, rows } of design.blocks) {
    for (let row = 0; row < rows; row++) {
      for (let k = 0; k < size; k++) {
        const value = values[row * size + k] as number
        for (let j = 0; j <= k; j++) {
          sums[k * size + j] = (sums[k * size + j] as number) + value * (values[row * size + j] as number)
        }
      }
    }
  }
  return sums.map((sum) => sum / design.rows)
}
