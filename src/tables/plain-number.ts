/** A number as tables write most of them: digits with at most one point, read from its bytes without making a text. */

const ZERO = 0x30
const MINUS = 0x2d
const POINT = 0x2e
/** So many digits are exact in a double, and so is each of the powers: their quotient is the nearest number. */
const MOST_DIGITS = 15
const POWERS = Float64Array.from({ length: MOST_DIGITS + 1 }, (_each, power) => 10 ** power)

/** NaN for everything else: signs of plus, exponents, spaces, text. None of them is refused here. */
export function plainNumber(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  const isNegative = bytes[at] === MINUS
  if (isNegative) at++
  const first = at
  let mantissa = 0
  let point = -1
  for (; at < end; at++) {
    const digit = (bytes[at] as number) - ZERO
    if (digit >= 0 && digit <= 9) mantissa = mantissa * 10 + digit
    else if (bytes[at] === POINT && point < 0 && at > first) point = at
    else return Number.NaN
  }
  const digits = end - first - (point < 0 ? 0 : 1)
  if (digits <= 0 || digits > MOST_DIGITS || point === end - 1) return Number.NaN
  const value = point < 0 ? mantissa : mantissa / (POWERS[end - point - 1] as number)
  return isNegative ? -value : value
}
