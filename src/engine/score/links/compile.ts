/** One compiled link for each kind that a model may name. */
import type { LinkDefinition } from '../../../definition/link.ts'
import type { Link } from './link.ts'
import { compileLogistic } from './logistic.ts'
import { compileRecalibrated } from './recalibrated.ts'
import { compileScoreTable } from './score-table.ts'
import { compileStrata } from './strata.ts'
import { compileSurvival } from './survival.ts'

export function compileLink(definition: LinkDefinition): Link {
  switch (definition.kind) {
    case 'logistic':
      return compileLogistic(definition)
    case 'scoreTable':
      return compileScoreTable(definition)
    case 'strata':
      return compileStrata(definition)
    case 'survival':
      return compileSurvival(definition)
    case 'recalibrated':
      return compileRecalibrated(definition, compileLink(definition.of))
  }
}
