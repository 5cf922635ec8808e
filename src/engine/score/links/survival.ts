/** One minus a survival curve: baseline to the power of e^(rate × score). */
import type { SurvivalDefinition } from '../../../definition/link.ts'
import type { Link } from './link.ts'

export function compileSurvival({ baseline, rate }: SurvivalDefinition): Link {
  // exp and log agree between versions of the runtime where a power does not.
  const logBaseline = Math.log(baseline)
  return (score) => 1 - Math.exp(logBaseline * Math.exp(rate * score))
}
