/** Logistic regression by maximum likelihood: Newton's method with step control, and an optional ridge penalty. */
import { type Times, clusterCount, eventsOf, patientsOf, weightOf } from '../numbers/predictions.ts'
import { applied, factorise, inverse, sandwich, solve } from '../numbers/cholesky.ts'
import type { Design } from './design.ts'
import { type NewtonStep, newtonStepAt } from './newton-step.ts'

type Arrays = 'coefficients' | 'covariance' | 'standard' | 'standardCovariance'
/** Coefficients, intercept first, on the scale of the columns as they were given; `standard` refers to the standardised columns. */
export interface LogisticFit extends Readonly<Record<Arrays, Float64Array>> {
  readonly logLikelihood: number
  readonly iterations: number
  /** Whether the covariance is by patient. */
  readonly isByPatient: boolean
}

export interface LogisticOptions {
  readonly times?: Times | undefined
  /** Half of this times each squared coefficient of a standardised column is taken from the log likelihood. */
  readonly penalty?: number
  /** Standardised coefficients to start from. */
  readonly start?: Float64Array | undefined
  /** Only every n-th row counts. */
  readonly stride?: number
}

/** The estimates diverge: some columns separate the outcome perfectly. */
export class NotEstimable extends Error {
  override readonly name = 'NotEstimable'
  /** Indexes of the columns whose estimates diverge. */
  readonly columns: readonly number[]

  constructor(columns: readonly number[] = []) {
    super('the estimates do not settle')
    this.columns = columns
  }
}

/** Undefined where something in the work cannot be estimated. */
export function ifEstimable<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof NotEstimable) return undefined
    throw error
  }
}

const MOST_ITERATIONS = 60
/** A step that still brings no gain when it is cut to this share is taken as it is. */
const SHORTEST_STEP = 1e-9
/** Twice the gain in log likelihood that one more step could bring. */
const SETTLED = 1e-14
/** A gain below this is within the rounding error of a sum over a million rows, so such a step is kept. */
const NOISE = 1e-5
/** A normal fit converges in fewer steps; after them, coefficients are checked for divergence. */
const SOUND_ITERATIONS = 12
/** After that, a coefficient whose step still moves a row this far is diverging. */
const RUNAWAY_STEP = 0.2

/** The fewest rows in an eighth of the data for which that eighth is fitted first. */
const STRIDE = 8
const FEWEST_ROWS = 15_000

export function fitLogistic(design: Design, options: LogisticOptions = {}): LogisticFit {
  const { penalty = 0, times, stride = 1 } = options
  const size = design.columns.length + 1
  const at = (standard: Float64Array): NewtonStep => {
    const pass = newtonStepAt(design, standard, times, stride)
    let { logLikelihood } = pass
    for (let k = 1; k < size && penalty > 0; k++) {
      const value = standard[k] as number
      logLikelihood -= (penalty / 2) * value * value
      pass.gradient[k] = (pass.gradient[k] as number) - penalty * value
      pass.information[k * size + k] = (pass.information[k * size + k] as number) + penalty
    }
    return { ...pass, logLikelihood }
  }
  let coefficients = options.start ?? startingPoint(design, options)
  let pass = at(coefficients)
  for (let iteration = 1; iteration <= MOST_ITERATIONS; iteration++) {
    const factor = factorise(pass.information, size)
    if (factor.dependence !== undefined) throw new NotEstimable(largest(coefficients))
    const step = solve(factor, pass.gradient)
    const { gradient } = pass
    const decrement = step.reduce((sum, value, k) => sum + value * (gradient[k] as number), 0)
    // The last step moves nothing by more than a ten-millionth of its error, so the information stays good.
    if (decrement < SETTLED) {
      const standard = moved(coefficients, step, 1)
      const standardCovariance = inverse(factor)
      const back = design.backTransform()
      return {
        coefficients: applied(back, standard),
        covariance: sandwich(back, standardCovariance, size),
        logLikelihood: pass.logLikelihood,
        iterations: iteration,
        isByPatient: false,
        standard,
        standardCovariance,
      }
    }
    const before = pass
    const from = coefficients
    for (let scale = 1; scale > SHORTEST_STEP; scale /= 2) {
      coefficients = moved(from, step, scale)
      pass = at(coefficients)
      if (decrement <= NOISE || pass.logLikelihood >= before.logLikelihood) break
    }
    const runaway = iteration < SOUND_ITERATIONS ? [] : runaways(step, design)
    if (runaway.length > 0) throw new NotEstimable(runaway)
  }
  throw new NotEstimable(largest(coefficients))
}

/** The same; for a fit on all rows, the covariance is by patient where patients repeat or rows have weights. */
export function fitByPatient(design: Design, options: LogisticOptions = {}): LogisticFit {
  const fit = fitLogistic(design, options)
  const { labels, rows } = design
  const isPlain = labels.counts !== undefined || (labels.weights === undefined && patientsOf(labels) === rows)
  if (options.times !== undefined || isPlain) return fit
  return { ...fit, covariance: robustCovariance(design, fit), isByPatient: true }
}

/** The cluster-robust sandwich: rows of one cluster counted as one, with the factor G ÷ (G − 1). */
export function robustCovariance(design: Design, fit: LogisticFit): Float64Array {
  const size = design.columns.length + 1
  const groups = patientsOf(design.labels)
  const meat = scoreSquares(design, fit.standard).map((sum) => (sum * groups) / (groups - 1))
  return sandwich(design.backTransform(), sandwich(fit.standardCovariance, meat, size), size)
}

/** The sum over patients of g·gᵀ, where g is a patient's own gradient at coefficients of the standardised columns. */
export function scoreSquares(design: Design, standard: Float64Array, times?: Times): Float64Array {
  const { outcomes } = design.labels
  const { risks } = design.predict(standard)
  const residual = (row: number): number => (outcomes[row] as number) - (risks[row] as number)
  return patientSquares(design, (row) => residual(row) * weightOf(design.labels, row), times)
}

/** The sum over patients of s·sᵀ, where s adds up the standardised columns of a patient's rows, each times the row's own factor. */
export function patientSquares(
  design: Design,
  factorOf: (row: number) => number,
  times?: Times,
): Float64Array {
  const { clusters } = design.labels
  const width = design.columns.length
  const size = width + 1
  const patients = clusterCount(clusters)
  const added = new Float64Array(patients * size)
  for (let row = 0; row < design.rows; row++) {
    const factor = factorOf(row)
    const place = (clusters[row] as number) * size
    for (let k = 0; k <= width; k++) {
      const value = k === 0 ? 1 : (design.values[row * width + k - 1] as number)
      added[place + k] = (added[place + k] as number) + factor * value
    }
  }
  const sums = new Float64Array(size * size)
  for (let patient = 0; patient < patients; patient++) {
    const start = patient * size
    for (let row = 0; row < size; row++) {
      const value = (added[start + row] as number) * (times?.[patient] ?? 1)
      for (let k = 0; k < size; k++)
        sums[row * size + k] = (sums[row * size + k] as number) + value * (added[start + k] as number)
    }
  }
  return sums
}

/** The estimates from an eighth of the rows where those are enough to come near: most steps are then made on few rows. */
function startingPoint(design: Design, options: LogisticOptions): Float64Array {
  const { columns, labels, rows, offsets } = design
  const stride = STRIDE * (options.stride ?? 1)
  const near =
    rows / stride < FEWEST_ROWS
      ? undefined
      : ifEstimable(() => fitLogistic(design, { ...options, stride }).standard)
  if (near !== undefined) return near
  // The share of events for everybody.
  const start = new Float64Array(columns.length + 1)
  const events = eventsOf(labels)
  if (offsets === undefined) start[0] = Math.log(events / (rows - events))
  return start
}

function moved(from: Float64Array, step: Float64Array, scale: number): Float64Array {
  return from.map((value, k) => value + scale * (step[k] as number))
}

/** Columns whose step still moves some row far, from one end of the column to the other. */
function runaways(step: Float64Array, design: Design): readonly number[] {
  return design.ranges.flatMap(({ width, scale }, column) =>
    (Math.abs(step[column + 1] as number) * width) / scale > RUNAWAY_STEP ? [column] : [],
  )
}

/** The column with the largest coefficient, which most likely diverges. */
function largest(coefficients: Float64Array): readonly number[] {
  const sizes = Array.from(coefficients.subarray(1), Math.abs)
  return sizes.length === 0 ? [] : [sizes.indexOf(Math.max(...sizes))]
}
