/** One compiled term for each kind that a model may name. */
import type { TermDefinition } from '../../../definition/term.ts'
import { compileAbsent } from './absent.ts'
import { compileBanded } from './banded.ts'
import { compileCategory } from './category.ts'
import { compileCount } from './count.ts'
import { compileFlag } from './flag.ts'
import { compileLinear } from './linear.ts'
import { compileLogarithm } from './logarithm.ts'
import { compileSpline } from './spline.ts'
import { compileSquare } from './square.ts'
import type { FieldNames, Term } from './term.ts'

export function compileTerm(definition: TermDefinition, names: FieldNames): Term {
  switch (definition.kind) {
    case 'linear':
      return compileLinear(definition, names)
    case 'square':
      return compileSquare(definition, names)
    case 'logarithm':
      return compileLogarithm(definition, names)
    case 'category':
      return compileCategory(definition, names)
    case 'banded':
      return compileBanded(definition, names)
    case 'flag':
      return compileFlag(definition, names)
    case 'count':
      return compileCount(definition, names)
    case 'spline':
      return compileSpline(definition, names)
    case 'absent':
      return compileAbsent(definition, names)
  }
}
