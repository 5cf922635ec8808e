/** Tail probabilities of the chi-square and the normal distribution. */

/** Two-sided 95 % of the normal distribution. */
export const NORMAL_95 = 1.959963984540054

const SMALLEST = 1e-300
const ENOUGH = 1e-15
const MOST_STEPS = 10_000

/** The probability of a chi-square at least this large. */
export function chiSquareTail(statistic: number, degrees: number): number {
  if (!(statistic > 0)) return 1
  const shape = degrees / 2
  const x = statistic / 2
  return x < shape + 1 ? 1 - lowerSeries(shape, x) : upperFraction(shape, x)
}

/** The probability of a normal value at least this far from 0, on either side. */
export function normalTail(z: number): number {
  return chiSquareTail(z * z, 1)
}

/** The regularised incomplete gamma function from below, by its series. */
function lowerSeries(shape: number, x: number): number {
  let term = 1 / shape
  let sum = term
  for (let step = 1; step < MOST_STEPS && term > sum * ENOUGH; step++) {
    term *= x / (shape + step)
    sum += term
  }
  return sum * Math.exp(shape * Math.log(x) - x - logGamma(shape))
}

/** The same from above, by Lentz's continued fraction. */
function upperFraction(shape: number, x: number): number {
  let b = x + 1 - shape
  let c = 1 / SMALLEST
  let d = 1 / b
  let fraction = d
  for (let step = 1; step < MOST_STEPS; step++) {
    const a = -step * (step - shape)
    b += 2
    d = 1 / notZero(a * d + b)
    c = notZero(b + a / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < ENOUGH) break
  }
  return fraction * Math.exp(shape * Math.log(x) - x - logGamma(shape))
}

function notZero(value: number): number {
  return Math.abs(value) < SMALLEST ? SMALLEST : value
}

/** ln Γ for halves and wholes, the only arguments that occur: by recurrence from Γ(1/2) and Γ(1). */
function logGamma(shape: number): number {
  let sum = Number.isInteger(shape) ? 0 : Math.log(Math.PI) / 2
  for (let at = Number.isInteger(shape) ? 1 : 0.5; at < shape; at++) sum += Math.log(at)
  return sum
}
