/** Symmetric positive matrices, row by row in one array: Cholesky's factor, solutions and inverses. */

export interface Factor {
  readonly size: number
  /** The lower triangle L with L·Lᵀ the matrix; the upper triangle is not used. */
  readonly lower: Float64Array
}

/** A row whose pivot falls below the limit: it follows from the rows before it. */
export interface Dependence {
  readonly row: number
  /** How the row follows from each row before it. */
  readonly weights: Float64Array
}

/** The factor, or the first row that depends on earlier ones. Pivots are judged against the matrix's own diagonal. */
export function factorise(
  matrix: Float64Array,
  size: number,
  limit = 1e-12,
): { readonly factor?: Factor; readonly dependence?: Dependence } {
  const lower = new Float64Array(size * size)
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = at(matrix, row * size + column)
      for (let k = 0; k < column; k++) sum -= at(lower, row * size + k) * at(lower, column * size + k)
      if (column < row) lower[row * size + column] = sum / at(lower, column * size + column)
      else if (sum > limit * at(matrix, row * size + row)) lower[row * size + row] = Math.sqrt(sum)
      else return { dependence: { row, weights: weightsOf(lower, row, size) } }
    }
  }
  return { factor: { size, lower } }
}

/** Solves for one right-hand side. */
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
    const solution = solve(factor, unit)
    for (let row = 0; row < size; row++) result[row * size + column] = at(solution, row)
  }
  return result
}

/** vᵀ·M⁻¹·v for a non-negative matrix M. Rows that follow from earlier ones are left out; `rank` counts the others. */
export function quadraticForm(
  matrix: Float64Array,
  vector: Float64Array,
  limit = 1e-9,
): { readonly value: number; readonly rank: number } {
  const size = vector.length
  const lower = new Float64Array(size * size)
  const half = new Float64Array(size)
  let value = 0
  let rank = 0
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < row; column++) {
      if (at(lower, column * size + column) === 0) continue
      let sum = at(matrix, row * size + column)
      for (let k = 0; k < column; k++) sum -= at(lower, row * size + k) * at(lower, column * size + k)
      lower[row * size + column] = sum / at(lower, column * size + column)
    }
    let pivot = at(matrix, row * size + row)
    let rest = at(vector, row)
    for (let k = 0; k < row; k++) {
      pivot -= at(lower, row * size + k) ** 2
      rest -= at(lower, row * size + k) * at(half, k)
    }
    if (!(pivot > limit * at(matrix, row * size + row))) continue
    lower[row * size + row] = Math.sqrt(pivot)
    half[row] = rest / Math.sqrt(pivot)
    value += at(half, row) ** 2
    rank++
  }
  return { value, rank }
}

/** left · middle · leftᵀ for square matrices of the same size. */
export function sandwich(left: Float64Array, middle: Float64Array, size: number): Float64Array {
  const half = multiply(left, middle, size)
  const result = new Float64Array(size * size)
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      let sum = 0
      for (let k = 0; k < size; k++) sum += at(half, row * size + k) * at(left, column * size + k)
      result[row * size + column] = sum
    }
  }
  return result
}

function multiply(left: Float64Array, right: Float64Array, size: number): Float64Array {
  const result = new Float64Array(size * size)
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      let sum = 0
      for (let k = 0; k < size; k++) sum += at(left, row * size + k) * at(right, k * size + column)
      result[row * size + column] = sum
    }
  }
  return result
}

/** The regression of a row on those before it: Lᵀ·weights equals the part of the row that was eliminated. */
function weightsOf(lower: Float64Array, row: number, size: number): Float64Array {
  return backward(lower, lower.slice(row * size, row * size + row), row, size)
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
