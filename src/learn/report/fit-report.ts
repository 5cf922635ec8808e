/** The estimates of a fit as a report shows them. */
import type { Estimates } from '../fit/estimate.ts'
import { isRobust } from '../fit/logistic.ts'
import { NORMAL_95, normalTail } from '../numbers/chi-square.ts'
import type { FitReport } from './report.ts'

export function methodOf({ ridge }: Pick<Estimates, 'ridge'>): string {
  if (ridge === undefined) return 'maximum likelihood without penalty'
  return `penalised maximum likelihood (ridge, penalty ${ridge.penalty.toPrecision(3)} chosen by ${ridge.folds}-fold cross-validation of patients)`
}

export function fitReport(estimates: Estimates): FitReport {
  const { fit, ridge, covariance, draft, design } = estimates
  const size = fit.coefficients.length
  return {
    method: methodOf(estimates),
    iterations: fit.iterations,
    logLikelihood: fit.logLikelihood,
    ...(ridge === undefined ? {} : { penalty: ridge.penalty }),
    clustered: isRobust(design),
    coefficients: ['Intercept', ...draft.columns].map((name, index) => {
      const estimate = fit.coefficients[index] as number
      const error = Math.sqrt(covariance[index * size + index] as number)
      return {
        name,
        estimate,
        error,
        from: estimate - NORMAL_95 * error,
        to: estimate + NORMAL_95 * error,
        pValue: normalTail(estimate / error),
      }
    }),
  }
}
