/** Neighbours of a number among those of 64 bits. */
const doubles = new Float64Array(1)
const bits = new BigInt64Array(doubles.buffer)

/** The next larger number of 64 bits; infinity has no next one. */
export function nextUp(value: number): number {
  if (value === Infinity) return value
  if (value === 0) return Number.MIN_VALUE
  doubles[0] = value
  bits[0] = (bits[0] as bigint) + (value > 0 ? 1n : -1n)
  return doubles[0]
}

/** The next smaller number of 64 bits; minus infinity has no next one. */
export function nextDown(value: number): number {
  return -nextUp(-value)
}
