/** Estimates as a model's file holds them, and the risks that they give. */
import type { Predictions } from '../figures/predictions.ts'
import { toStandard } from './back-transform.ts'
import type { Design } from './design.ts'
import { predict } from './predict.ts'

export interface RoundedFit {
  readonly intercept: number
  /** One for each column of the draft. */
  readonly coefficients: readonly number[]
}

/** The estimates as the file will hold them. */
export function roundFit(estimates: Float64Array, decimals: number | undefined): RoundedFit {
  const [intercept = 0, ...coefficients] = Array.from(estimates, (value) =>
    decimals === undefined ? value : Number(value.toFixed(decimals)),
  )
  return { intercept, coefficients }
}

/** For coefficients of the columns as they were given, rounded as the model's file holds them. */
export function predictRounded(design: Design, { intercept, coefficients }: RoundedFit): Predictions {
  return predict(design, toStandard(design.standardise(), [intercept, ...coefficients]))
}
