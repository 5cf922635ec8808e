/** Points by code. The definition check has proved that every permitted code has its points. */
import type { CategoryDefinition } from '../../../definition/term.ts'
import type { FieldNames, Term } from './term.ts'

export function compileCategory(definition: CategoryDefinition, names: FieldNames): Term {
  const slot = names.slotOf(definition.field)
  const pointsByNumber: number[] = []
  for (const [code, number] of names.codesOf(definition.field)) {
    pointsByNumber[number] = definition.points[code] ?? Number.NaN
  }
  return {
    kind: 'category',
    label: definition.label ?? definition.field,
    slots: [slot],
    points: (values) => pointsByNumber[values[slot] as number] ?? Number.NaN,
  }
}
