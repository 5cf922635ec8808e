/** Points decided by the band a reading falls in. */
import { bandHolds } from '../../../definition/cover.ts'
import type { BandedDefinition, PointsBandDefinition } from '../../../definition/term.ts'
import type { FieldNames, Term } from './term.ts'

export function compileBanded(definition: BandedDefinition, names: FieldNames): Term {
  const slot = names.slotOf(definition.field)
  return {
    kind: 'banded',
    label: definition.label ?? definition.field,
    slots: [slot],
    points: (values) => pointsFor(definition.bands, values[slot] as number),
  }
}

/** The points for a reading. Without a band that holds it there is no number, and the record is refused. */
export function pointsFor(bands: readonly PointsBandDefinition[], reading: number): number {
  for (const band of bands) if (bandHolds(band, reading)) return band.points
  return Number.NaN
}
