/** The uncertainty of a risk that comes from the size of the data behind it. It says nothing about the patient. */
import type { ModelDefinition } from '../../definition/model.ts'
import { roundRisk } from '../score/link.ts'

export interface Sampling {
  readonly low: number
  readonly high: number
  readonly level: number
  /** The counts behind a group of scores, or the standard errors of the coefficients. */
  readonly from: 'stratum' | 'coefficients'
}

const LEVEL = 0.95
/** The standard normal quantile of that level, two-sided. */
const Z = 1.959963984540054

/** The interval for a score; null where the model does not state the counts behind its risk. */
export function samplingOf({ link }: Pick<ModelDefinition, 'link'>, score: number): Sampling | null {
  if (link.kind !== 'strata') return null
  const { events, of } = link.strata.find(({ from, to }) => score >= from && score <= to) ?? {}
  if (events === undefined || of === undefined) return null
  const [low, high] = wilson(events, of)
  return { low: roundRisk(low), high: roundRisk(high), level: LEVEL, from: 'stratum' }
}

/** Wilson's interval for a share, which stays within 0 and 1 also for few events. */
function wilson(events: number, of: number): readonly [number, number] {
  const share = events / of
  const square = (Z * Z) / of
  const middle = (share + square / 2) / (1 + square)
  const half = (Z * Math.sqrt((share * (1 - share)) / of + (Z * Z) / (4 * of * of))) / (1 + square)
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}
