/** Points when a yes/no input is yes. */
import type { FlagDefinition } from '../../../definition/term.ts'
import type { FieldNames, Term } from './term.ts'

export function compileFlag(definition: FlagDefinition, names: FieldNames): Term {
  const slot = names.slotOf(definition.field)
  return {
    kind: 'flag',
    label: definition.label ?? definition.field,
    slots: [slot],
    points: (values) => (values[slot] === 1 ? definition.points : 0),
  }
}
