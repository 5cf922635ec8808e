/** From estimates for centred and scaled columns to those for the columns as they were given. */
import type { ColumnRange } from './column-range.ts'

/** The matrix that turns estimates for standardised columns into those for the columns as they were. */
export function backTransform(ranges: readonly ColumnRange[]): Float64Array {
  const size = ranges.length + 1
  const matrix = new Float64Array(size * size)
  matrix[0] = 1
  ranges.forEach(({ mean, scale }, column) => {
    matrix[column + 1] = -mean / scale
    matrix[(column + 1) * size + column + 1] = 1 / scale
  })
  return matrix
}

/** Coefficients of the columns as they were given, intercept first, as those of the standardised columns. */
export function toStandard(ranges: readonly ColumnRange[], coefficients: ArrayLike<number>): Float64Array {
  const standard = new Float64Array(ranges.length + 1)
  standard[0] = coefficients[0] as number
  ranges.forEach(({ mean, scale }, column) => {
    const value = coefficients[column + 1] as number
    standard[0] = (standard[0] as number) + value * mean
    standard[column + 1] = value * scale
  })
  return standard
}

/** A matrix times a vector. */
export function applied(matrix: Float64Array, vector: Float64Array): Float64Array {
  const size = vector.length
  return vector.map((_value, row) => {
    let sum = 0
    for (let k = 0; k < size; k++) sum += (matrix[row * size + k] as number) * (vector[k] as number)
    return sum
  })
}
