/**
 * How many patients a model needs, by the criteria of Riley and others (Statistics in Medicine 2019, 38:1276; BMJ 2020,
 * 368:m441), and the least with which a fit is made at all.
 */
import { DataError } from '../../tables/data-error.ts'
import { type Labels, eventsOf, NORMAL_95 } from '@patient-risk/statistics'

type Name = 'rSquared' | 'maximumRSquared' | 'patients' | 'events' | 'eventsPerParameter'
export interface SamplePlan extends Readonly<Record<Name, number>> {
  readonly criteria: readonly { readonly name: string; readonly patients: number }[]
}

const SHRINKAGE = 0.9
const NAGELKERKE_OPTIMISM = 0.05
const RISK_MARGIN = 0.05
const MEAN_ERROR = 0.05
/** The formula of the mean error was made from simulations with at most so many. */
export const MOST_PARAMETERS = 30
const USUAL_SHARE = 0.15

/**
 * `prevalence` is the share of patients with the outcome, `parameters` the number of estimates without the intercept, and
 * `expected` the R² of Cox and Snell: 15 % of its maximum when it is not known.
 */
export function planSample(prevalence: number, parameters: number, expected?: number): SamplePlan {
  const logNull = prevalence * Math.log(prevalence) + (1 - prevalence) * Math.log(1 - prevalence)
  const maximumRSquared = 1 - Math.exp(2 * logNull)
  const rSquared = expected ?? USUAL_SHARE * maximumRSquared
  if (!(rSquared > 0 && rSquared < maximumRSquared))
    throw new DataError([
      `an R² of ${rSquared} cannot be reached: at a prevalence of ${prevalence} it lies between 0 and ${maximumRSquared.toFixed(4)}`,
    ])
  const forShrinkage = (shrinkage: number): number =>
    parameters / ((shrinkage - 1) * Math.log(1 - rSquared / shrinkage))
  const forOptimism = rSquared / (rSquared + NAGELKERKE_OPTIMISM * maximumRSquared)
  // Van Smeden and others, Statistical Methods in Medical Research 2019, 28:2455. It holds for the rarer of both outcomes.
  const rarer = Math.log(Math.min(prevalence, 1 - prevalence))
  const forMeanError = Math.exp(
    (-0.508 + 0.259 * rarer + 0.504 * Math.log(parameters) - Math.log(MEAN_ERROR)) / 0.544,
  )
  const criteria = Object.entries({
    [`shrinkage of at least ${SHRINKAGE}`]: forShrinkage(SHRINKAGE),
    [`optimism of Nagelkerke's R² of at most ${NAGELKERKE_OPTIMISM}`]: forShrinkage(forOptimism),
    [`overall risk within ± ${RISK_MARGIN}`]: (NORMAL_95 / RISK_MARGIN) ** 2 * prevalence * (1 - prevalence),
    [`mean absolute error of a risk of at most ${MEAN_ERROR}`]: forMeanError,
  }).map(([name, patients]) => ({ name, patients: Math.ceil(patients) }))
  const patients = Math.max(...criteria.map((each) => each.patients))
  const events = Math.ceil(patients * prevalence)
  const eventsPerParameter = (patients * prevalence) / parameters
  return { rSquared, maximumRSquared, criteria, patients, events, eventsPerParameter }
}

/** Fewer rows of the rarer outcome than this, in all or for each estimate, are refused. */
const FEWEST_EVENTS = 20
const FEWEST_EACH = 3

/** `estimates` is the number of coefficients without a penalty, `each` the events that each of them needs. */
export function refuseSmallSample(path: string, labels: Labels, estimates: number, each = FEWEST_EACH): void {
  const events = eventsOf(labels)
  const rarer = Math.min(events, labels.outcomes.length - events)
  const needed = Math.max(FEWEST_EVENTS, each * estimates)
  if (rarer >= needed) return
  throw new DataError([
    `${path}: ${rarer} rows have the rarer outcome, and at least ${needed} are required for ${estimates === 0 ? 'this' : `${estimates} estimates`} (${FEWEST_EVENTS} in all, ${each} for each estimate without a penalty); collect more data, use fewer terms, or add --allow-small-sample to continue anyway`,
  ])
}
