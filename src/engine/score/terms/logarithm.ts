/** A coefficient times the natural logarithm of the reading plus a constant. */
import type { LogarithmDefinition } from '../../../definition/term.ts'
import type { FieldNames, Term } from './term.ts'

export function compileLogarithm(definition: LogarithmDefinition, names: FieldNames): Term {
  const slot = names.slotOf(definition.field)
  const { coefficient, plus } = definition
  return {
    kind: 'logarithm',
    label: definition.label ?? `${definition.field}, logarithm`,
    slots: [slot],
    points: (values) => coefficient * Math.log(plus + (values[slot] as number)),
  }
}
