/** A published risk for each group of scores. */
import type { StrataDefinition } from '../../../definition/link.ts'
import type { Link } from './link.ts'

export function compileStrata({ strata }: StrataDefinition): Link {
  return (score) => strata.find(({ from, to }) => score >= from && score <= to)?.risk ?? Number.NaN
}
