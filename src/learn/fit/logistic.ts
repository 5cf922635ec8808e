/** Logistic regression by maximum likelihood: Newton's method with step control, and an optional ridge penalty. */
import { factorise, inverse, sandwich, solve } from '../numbers/cholesky.ts'
import { applied, backTransform } from './back-transform.ts'
import type { ColumnRange } from './column-range.ts'
import type { Design } from './design.ts'
import { NotEstimable, largest, runaways } from './not-estimable.ts'
import { type Pass, passOver } from './pass.ts'

export interface LogisticFit {
  /** Intercept first, on the scale of the columns as they were given. */
  readonly coefficients: Float64Array
  readonly covariance: Float64Array
  readonly logLikelihood: number
  readonly iterations: number
  /** The same estimates for the standardised columns. */
  readonly standard: Float64Array
  readonly standardCovariance: Float64Array
}

export interface LogisticOptions {
  /** How often each cluster counts. */
  readonly times?: ArrayLike<number>
  /** Half of this times each squared coefficient of a standardised column is taken from the log likelihood. */
  readonly penalty?: number
  /** Standardised coefficients to start from. */
  readonly start?: Float64Array
}

const MOST_ITERATIONS = 60
/** A step that still brings no gain when it is cut to this share is taken as it is. */
const SHORTEST_STEP = 1e-9
/** Of so many blocks one gives the starting point. */
const EVERY_BLOCK = 16
/** Twice the gain in log likelihood that one more step could bring. */
const SETTLED = 1e-14
/** A gain below this drowns in the rounding of a sum over a million rows, so such a step is never taken back. */
const NOISE = 1e-5
/** A sound fit settles in fewer steps; after them, coefficients are watched for running away. */
const SOUND_ITERATIONS = 12

export function fitLogistic(design: Design, options: LogisticOptions = {}): LogisticFit {
  const ranges = design.standardise()
  const { penalty = 0, times } = options
  const size = design.columns.length + 1
  const at = (coefficients: Float64Array): Pass =>
    penalised(passOver(design, coefficients, times), coefficients, penalty)
  let coefficients = options.start ?? startingPoint(design, options)
  let pass = at(coefficients)
  for (let iteration = 1; iteration <= MOST_ITERATIONS; iteration++) {
    const { factor } = factorise(pass.information, size)
    if (factor === undefined) throw new NotEstimable(largest(coefficients))
    const step = solve(factor, pass.gradient)
    let decrement = 0
    for (let k = 0; k < size; k++) decrement += (step[k] as number) * (pass.gradient[k] as number)
    let next = moved(coefficients, step, 1)
    // The last step moves nothing by more than a ten-millionth of its error, so the information stays good.
    if (decrement < SETTLED) return finish(ranges, next, pass, iteration)
    let nextPass = at(next)
    for (let scale = 0.5; decrement > NOISE && scale > SHORTEST_STEP; scale /= 2) {
      if (nextPass.logLikelihood >= pass.logLikelihood) break
      next = moved(coefficients, step, scale)
      nextPass = at(next)
    }
    coefficients = next
    pass = nextPass
    if (iteration >= SOUND_ITERATIONS) {
      const runaway = runaways(step, ranges)
      if (runaway.length > 0) throw new NotEstimable(runaway)
    }
  }
  throw new NotEstimable(largest(coefficients))
}

/** The share of events for everybody; for very many rows, the estimates of a few blocks of them. */
function startingPoint(design: Design, { times, penalty = 0 }: LogisticOptions): Float64Array {
  const start = new Float64Array(design.columns.length + 1)
  if (design.blocks[0]?.offsets === undefined) {
    start[0] = Math.log(design.events / (design.rows - design.events))
  }
  if (design.blocks.length < 2 * EVERY_BLOCK) return start
  try {
    const part = design.everyBlock(EVERY_BLOCK)
    return fitLogistic(part, { start, penalty, ...(times === undefined ? {} : { times }) }).standard
  } catch (error) {
    // What cannot be told from a part may still be told from the whole.
    if (error instanceof NotEstimable) return start
    throw error
  }
}

function penalised(pass: Pass, coefficients: Float64Array, penalty: number): Pass {
  if (penalty === 0) return pass
  const size = coefficients.length
  let { logLikelihood } = pass
  for (let k = 1; k < size; k++) {
    const value = coefficients[k] as number
    logLikelihood -= (penalty / 2) * value * value
    pass.gradient[k] = (pass.gradient[k] as number) - penalty * value
    pass.information[k * size + k] = (pass.information[k * size + k] as number) + penalty
  }
  return { ...pass, logLikelihood }
}

function moved(from: Float64Array, step: Float64Array, scale: number): Float64Array {
  return from.map((value, k) => value + scale * (step[k] as number))
}

function finish(
  ranges: readonly ColumnRange[],
  standard: Float64Array,
  pass: Pass,
  iterations: number,
): LogisticFit {
  const size = standard.length
  const { factor } = factorise(pass.information, size)
  if (factor === undefined) throw new NotEstimable(largest(standard))
  const standardCovariance = inverse(factor)
  const back = backTransform(ranges)
  return {
    coefficients: applied(back, standard),
    covariance: sandwich(back, standardCovariance, size),
    logLikelihood: pass.logLikelihood,
    iterations,
    standard,
    standardCovariance,
  }
}
