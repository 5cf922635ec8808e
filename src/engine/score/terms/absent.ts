/** Points when an input is absent: the value that stands in for it is a guess, and its absence may mean something. */
import type { AbsentDefinition } from '../../../definition/term.ts'
import { STATE } from '../../read/slots.ts'
import type { FieldNames, Term } from './term.ts'

export function compileAbsent(definition: AbsentDefinition, names: FieldNames): Term {
  const slot = names.slotOf(definition.field)
  return {
    kind: 'absent',
    label: definition.label ?? `${definition.field}, absent`,
    slots: [slot],
    points: (_values, states) => (states[slot] === STATE.assumed ? definition.points : 0),
  }
}
