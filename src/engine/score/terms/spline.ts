/** A smooth curve over the reading: a restricted cubic spline. */
import { splineAt } from '../../../definition/spline.ts'
import type { SplineDefinition } from '../../../definition/term.ts'
import type { FieldNames, Term } from './term.ts'

export function compileSpline(definition: SplineDefinition, names: FieldNames): Term {
  const slot = names.slotOf(definition.field)
  const { knots, coefficients } = definition
  return {
    kind: 'spline',
    label: definition.label ?? `${definition.field}, curve`,
    slots: [slot],
    points: (values) => splineAt(knots, coefficients, values[slot] as number),
  }
}
