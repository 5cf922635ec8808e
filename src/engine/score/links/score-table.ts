/** A published table with one risk for each whole score. */
import type { ScoreTableDefinition } from '../../../definition/link.ts'
import type { Link } from './link.ts'

export function compileScoreTable({ from, risks }: ScoreTableDefinition): Link {
  return (score) => risks[score - from] ?? Number.NaN
}
