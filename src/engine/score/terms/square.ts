/** A coefficient times the square of the reading, counted in units of `per`. */
import type { SquareDefinition } from '../../../definition/term.ts'
import type { FieldNames, Term } from './term.ts'

export function compileSquare(definition: SquareDefinition, names: FieldNames): Term {
  const slot = names.slotOf(definition.field)
  const { coefficient, per = 1 } = definition
  return {
    kind: 'square',
    label: definition.label ?? `${definition.field}, squared`,
    slots: [slot],
    points(values) {
      // A product, not a power: Math.pow differs in the last place between versions of the runtime.
      const reading = (values[slot] as number) / per
      return coefficient * (reading * reading)
    },
  }
}
