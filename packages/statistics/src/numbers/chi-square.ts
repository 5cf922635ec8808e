/** Tail probabilities of the chi-square distribution; with one degree, of the square of a normal value. */

/** Two-sided 95 % of the normal distribution. */
export const NORMAL_95 = 1.959963984540054

const ENOUGH = 1e-17
const MOST_STEPS = 10_000

/**
 * The probability of a chi-square at least this large: that for one or two degrees, and a term for each two degrees more,
 * x^(k/2) · e^(−x) ÷ Γ(k/2 + 1) with half of the statistic as x.
 */
export function chiSquareTail(statistic: number, degrees: number): number {
  if (!(statistic > 0)) return 1
  const x = statistic / 2
  const isOdd = degrees % 2 === 1
  let tail = isOdd ? oneDegreeTail(x) : Math.exp(-x)
  let term = isOdd ? Math.exp(-x) * Math.sqrt(x / Math.PI) * 2 : Math.exp(-x) * x
  for (let from = isOdd ? 1 : 2; from < degrees; from += 2) {
    tail += term
    term *= x / (from / 2 + 1)
  }
  return tail
}

/** The chi-square that is exceeded with this probability. */
export function chiSquareLimit(probability: number, degrees: number): number {
  return leastFor((statistic) => chiSquareTail(statistic, degrees) <= probability)
}

/** A shift beyond it makes every test significant, and its first weight would be 0. */
const LARGEST_SHIFT = 1_000

/** The same tail if the normal values have means whose squares add up to the shift: a mixture by Poisson's weights. */
export function noncentralTail(statistic: number, degrees: number, shift: number): number {
  if (shift > LARGEST_SHIFT) return 1
  let weight = Math.exp(-shift / 2)
  let tail = 0
  let rest = 1
  for (let step = 0; rest > 1e-12 && step < MOST_STEPS; step++) {
    tail += weight * chiSquareTail(statistic, degrees + 2 * step)
    rest -= weight
    weight *= shift / 2 / (step + 1)
  }
  return tail
}

/** The shift with which a chi-square exceeds a limit with this probability. */
export function noncentralFor(probability: number, limit: number, degrees: number): number {
  return leastFor((shift) => noncentralTail(limit, degrees, shift) >= probability)
}

/** The least number for which a condition holds that holds for all larger ones. */
function leastFor(holds: (value: number) => boolean): number {
  let low = 0
  let high = 1
  while (!holds(high)) high *= 2
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (holds(middle)) high = middle
    else low = middle
  }
  return high
}

/** The tail for one degree of freedom, erfc(√x): by its series near 0, and by its continued fraction beyond. */
function oneDegreeTail(x: number): number {
  const scale = Math.exp(-x) * Math.sqrt(x / Math.PI)
  if (x < 2) {
    let term = 2
    let sum = term
    for (let step = 1; step < MOST_STEPS && term > sum * ENOUGH; step++) {
      term *= x / (step + 0.5)
      sum += term
    }
    return 1 - scale * sum
  }
  // From the far end, where the rest no longer matters.
  let fraction = 0
  for (let step = 200; step > 0; step--) fraction = (step * (step - 0.5)) / (x + 2 * step + 0.5 - fraction)
  return scale / (x + 0.5 - fraction)
}
