/** A coefficient times the reading, counted in units of `per`. */
import type { LinearDefinition } from '../../../definition/term.ts'
import type { FieldNames, Term } from './term.ts'

export function compileLinear(definition: LinearDefinition, names: FieldNames): Term {
  const slot = names.slotOf(definition.field)
  const { coefficient, per = 1 } = definition
  return {
    kind: 'linear',
    label: definition.label ?? definition.field,
    slots: [slot],
    points: (values) => coefficient * ((values[slot] as number) / per),
  }
}
