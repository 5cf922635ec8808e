/** The logistic curve over intercept and points. */
import type { LogisticDefinition } from '../../../definition/link.ts'
import type { Link } from './link.ts'

export function compileLogistic({ intercept }: LogisticDefinition): Link {
  return (score) => 1 / (1 + Math.exp(-(intercept + score)))
}
