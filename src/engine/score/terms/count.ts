/** Points by how many of several readings lie below their limits: dependent activities, for example. */
import type { CountDefinition } from '../../../definition/term.ts'
import { pointsFor } from './banded.ts'
import type { FieldNames, Term } from './term.ts'

export function compileCount(definition: CountDefinition, names: FieldNames): Term {
  const limits = Object.entries(definition.below).map(([field, limit]) => ({
    slot: names.slotOf(field),
    limit,
  }))
  return {
    kind: 'count',
    label: definition.label ?? `count of ${limits.length} fields`,
    slots: limits.map(({ slot }) => slot),
    points: (values) =>
      pointsFor(
        definition.bands,
        limits.filter(({ slot, limit }) => (values[slot] as number) < limit).length,
      ),
  }
}
