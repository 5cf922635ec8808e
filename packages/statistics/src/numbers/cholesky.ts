/** Symmetric positive matrices, row by row in one array: Cholesky's factor, solutions and inverses. */

export interface Factor {
  readonly size: number
  /** The lower triangle L with L·Lᵀ the matrix; the upper triangle is not used. Dependent rows are left out. */
  readonly lower: Float64Array
  readonly rank: number
  /** The first row that follows from the rows before it, with the weight of each of them. */
  readonly dependence?: { readonly row: number; readonly weights: Float64Array } | undefined
}

/** Pivots are judged against the matrix's own diagonal. */
export function factorise(matrix: Float64Array, size: number, limit = 1e-12): Factor {
  const lower = new Float64Array(size * size)
  let rank = 0
  let dependence: Factor['dependence']
  for (let row = 0; row < size; row++) {
    const start = row * size
    for (let column = 0; column <= row; column++) {
      let sum = at(matrix, start + column)
      for (let k = 0; k < column; k++) sum -= at(lower, start + k) * at(lower, column * size + k)
      if (column < row) lower[start + column] = sum / at(lower, column * size + column)
      else if (sum > limit * at(matrix, start + row)) {
        lower[start + row] = Math.sqrt(sum)
        rank++
      } else {
        // The regression of the row on those before it: Lᵀ·weights equals the part of the row that was eliminated.
        dependence ??= { row, weights: backward(lower, lower.slice(start, start + row), row, size) }
        // Such a pivot takes the row out of every solution.
        lower.fill(0, start, start + row)
        lower[start + row] = Infinity
      }
    }
  }
  return { size, lower, rank, dependence }
}

export function solve({ size, lower }: Factor, right: Float64Array): Float64Array {
  const solution = Float64Array.from(right)
  for (let row = 0; row < size; row++) {
    let sum = at(solution, row)
    for (let k = 0; k < row; k++) sum -= at(lower, row * size + k) * at(solution, k)
    solution[row] = sum / at(lower, row * size + row)
  }
  return backward(lower, solution, size, size)
}

export function inverse(factor: Factor): Float64Array {
  const { size } = factor
  const result = new Float64Array(size * size)
  for (let column = 0; column < size; column++) {
    const unit = new Float64Array(size)
    unit[column] = 1
    // The inverse is symmetric, so its columns are its rows.
    result.set(solve(factor, unit), column * size)
  }
  return result
}

/** vᵀ·M⁻¹·v for a non-negative matrix M. Rows that follow from earlier ones are left out; `rank` counts the others. */
export function quadraticForm(
  matrix: Float64Array,
  vector: Float64Array,
): { readonly value: number; readonly rank: number } {
  const factor = factorise(matrix, vector.length, 1e-9)
  const value = solve(factor, vector).reduce((sum, each, k) => sum + each * at(vector, k), 0)
  return { value, rank: factor.rank }
}

/** A square matrix times a vector. */
export function applied(matrix: Float64Array, vector: Float64Array): Float64Array {
  const size = vector.length
  return vector.map((_value, row) =>
    vector.reduce((sum, value, k) => sum + at(matrix, row * size + k) * value, 0),
  )
}

/** left · middle · leftᵀ for square matrices of the same size. */
export function sandwich(left: Float64Array, middle: Float64Array, size: number): Float64Array {
  const product = (rowOf: Float64Array, cell: (k: number, column: number) => number): Float64Array =>
    rowOf.map((_cell, place) => {
      const column = place % size
      let sum = 0
      for (let k = 0; k < size; k++) sum += at(rowOf, place - column + k) * cell(k, column)
      return sum
    })
  const half = product(left, (k, column) => at(middle, k * size + column))
  return product(half, (k, column) => at(left, column * size + k))
}

function backward(lower: Float64Array, solution: Float64Array, rows: number, size: number): Float64Array {
  for (let row = rows - 1; row >= 0; row--) {
    let sum = at(solution, row)
    for (let k = row + 1; k < rows; k++) sum -= at(lower, k * size + row) * at(solution, k)
    solution[row] = sum / at(lower, row * size + row)
  }
  return solution
}

function at(array: Float64Array, index: number): number {
  return array[index] as number
}
