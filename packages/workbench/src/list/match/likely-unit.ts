/** Which unit the numbers of a column are probably written in, by the rule of the engine: the median of many tells, one value cannot. */
import { FEWEST_VALUES, likelyUnit } from 'patient-risk-engine'
import type { Field } from '../../shapes/fields.ts'
import type { Sheet } from '../read/sheet.ts'
import { convertCell, type Reading } from './convert-cell.ts'

export interface UnitHint {
  readonly values: number
  readonly median: number
  /** The unit that the column is read in, and the one that fits better. */
  readonly received: string
  readonly likely: string
}

export function unitHint(
  sheet: Sheet,
  column: number,
  field: Field | undefined,
  reading: Reading,
): UnitHint | undefined {
  if (field?.unit === undefined || field.usual === undefined) return undefined
  const { unit, otherUnits = {}, usual } = field
  const numbers = sheet.rows.flatMap((cells) => {
    const converted = convertCell(field, cells[column], reading)
    return 'value' in converted && typeof converted.value === 'number' && converted.value > 0
      ? [converted.value]
      : []
  })
  if (numbers.length < FEWEST_VALUES) return undefined
  const median = numbers.sort((a, b) => a - b)[Math.ceil(numbers.length / 2) - 1] ?? 0
  const received = reading.unit === '' ? unit : reading.unit
  // A field states how much of another unit makes one of its own; the engine how much of its own makes one of the other.
  const source = ''
  const others = Object.fromEntries(Object.entries(otherUnits).map(([each, per]) => [each, { per, source }]))
  const own = median / (otherUnits[received] ?? 1)
  const likely = likelyUnit({ unit, usual, source, others }, received, own)
  return likely === undefined ? undefined : { values: numbers.length, median, received, likely }
}
