/** The regression that calibration is read from, and a coefficient of any fit with its error. */
import { type Estimate, type Predictions, type Times, estimateWith, logOdds } from '../numbers/predictions.ts'
import { Design } from './design.ts'
import { type LogisticFit, fitByPatient } from './logistic.ts'

/** The regression of the outcome on the log odds of the risk: with the slope held at 1, or estimated. */
export function fitCalibration(rows: Predictions, kind: 'intercept' | 'slope', times?: Times): LogisticFit {
  const odds = (row: number): number => logOdds(rows.risks[row] as number)
  if (kind === 'intercept') return fitByPatient(Design.over(rows, [], odds), { times })
  const design = Design.over(rows, [odds])
  // Most models are not far from intercept 0 and slope 1.
  return fitByPatient(design, { start: design.toStandard([0, 1]), times })
}

/** A coefficient of a fit with its error; intercept first. */
export function estimateAt(fit: LogisticFit | undefined, index: number): Estimate {
  if (fit === undefined) return estimateWith(Number.NaN, Number.NaN)
  const variance = fit.covariance[index * fit.coefficients.length + index] as number
  return estimateWith(fit.coefficients[index] as number, Math.sqrt(variance))
}
