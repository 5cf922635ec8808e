/** Another link's risk on the scale of log odds, stretched and shifted to local outcomes. */
import type { RecalibratedDefinition } from '../../../definition/link.ts'
import type { Link } from './link.ts'

export function compileRecalibrated({ intercept, slope }: RecalibratedDefinition, original: Link): Link {
  return (score) => {
    const risk = original(score)
    return 1 / (1 + Math.exp(-(intercept + slope * Math.log(risk / (1 - risk)))))
  }
}
