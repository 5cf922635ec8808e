/** The order of many risks, ascending and stable, in time that grows with their count alone. */

const DIGITS = 1 << 16

/** The indexes of the values from the lowest to the highest. No value may be NaN or below 0. */
export function orderOf(values: Float64Array): Uint32Array {
  const count = values.length
  // The bits of numbers from 0 on sort as the numbers do, in four digits, lowest first. Adding 0 turns −0 into 0.
  const keys = new Uint16Array(values.map((value) => value + 0).buffer)
  let order = new Uint32Array(values.keys())
  let next = new Uint32Array(count)
  const starts = new Uint32Array(DIGITS)
  for (let digit = 0; digit < 4; digit++) {
    starts.fill(0)
    for (let index = 0; index < count; index++) bump(starts, keys[index * 4 + digit] as number)
    if ((starts[keys[digit] as number] as number) === count) continue
    for (let key = 0, sum = 0; key < DIGITS; key++) {
      const own = starts[key] as number
      starts[key] = sum
      sum += own
    }
    for (let place = 0; place < count; place++) {
      const index = order[place] as number
      next[bump(starts, keys[index * 4 + digit] as number)] = index
    }
    ;[order, next] = [next, order]
  }
  return order
}

/** Adds one, and returns what was there. */
function bump(counts: Uint32Array, key: number): number {
  const before = counts[key] as number
  counts[key] = before + 1
  return before
}
