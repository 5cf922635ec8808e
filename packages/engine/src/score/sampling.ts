/** The uncertainty of a risk that comes from the size of the data behind it. It says nothing about the patient. */
import type { ModelDefinition } from '../definition/model.ts'
import type { Plan } from '../plan/plan.ts'
import type { Slots } from '../plan/slots.ts'
import { compileLink, roundRisk } from './link.ts'
import { compileTerms } from './model.ts'

export interface Sampling {
  readonly low: number
  readonly high: number
  readonly level: number
  /** The counts behind a group of scores, or the covariance of the coefficients. */
  readonly from: 'stratum' | 'coefficients'
}

const LEVEL = 0.95
/** The standard normal quantile of that level, two-sided. */
const Z = 1.959963984540054

/** Compiles the interval for the record in the slots; null where the model does not state what it needs. */
export function compileSampling(
  { link, estimates }: Pick<ModelDefinition, 'link' | 'estimates'>,
  plan: Plan,
): (slots: Slots, score: number) => Sampling | null {
  if (link.kind === 'strata') return (_slots, score) => stratumInterval(link, score)
  if (link.kind !== 'logistic' || estimates === undefined) return () => null
  const columns = compileTerms(estimates.columns, plan)
  const probability = compileLink(link)
  return ({ values, states }, score) => {
    const row = [1, ...columns.map((column) => column.points(values, states))]
    // The variance of the log odds: the row times the covariance times the row.
    let variance = 0
    estimates.covariance.forEach((covariances, i) => {
      covariances.forEach((covariance, j) => {
        variance += (i === j ? 1 : 2) * (row[i] as number) * (row[j] as number) * covariance
      })
    })
    const half = Z * Math.sqrt(Math.max(0, variance))
    return intervalOf(probability(score - half), probability(score + half), 'coefficients')
  }
}

function stratumInterval(
  { strata }: Extract<ModelDefinition['link'], { kind: 'strata' }>,
  score: number,
): Sampling | null {
  const { events, of } = strata.find(({ from, to }) => score >= from && score <= to) ?? {}
  if (events === undefined || of === undefined) return null
  const [low, high] = wilson(events, of)
  return intervalOf(low, high, 'stratum')
}

function intervalOf(low: number, high: number, from: Sampling['from']): Sampling {
  return { low: roundRisk(low), high: roundRisk(high), level: LEVEL, from }
}

/** Wilson's interval for a share, which stays within 0 and 1 also for few events. */
function wilson(events: number, of: number): readonly [number, number] {
  const share = events / of
  const square = (Z * Z) / of
  const middle = (share + square / 2) / (1 + square)
  const half = (Z * Math.sqrt((share * (1 - share)) / of + (Z * Z) / (4 * of * of))) / (1 + square)
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}
