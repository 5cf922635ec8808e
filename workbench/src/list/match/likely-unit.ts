/**
 * Which unit the numbers of a column are probably written in. One value cannot tell: 8.1 is a normal haemoglobin in mmol/L
 * and a severe anaemia in g/dL. The median of many can. The command line and the drift figures follow the same rule.
 */
import type { Field } from '../../shapes/fields.ts'
import type { Sheet } from '../read/sheet.ts'
import { convertCell, type Reading } from './convert-cell.ts'

/** With fewer values a median may be far off by chance. */
const FEWEST_VALUES = 50
/** A median within this factor of the usual range is not suspicious. */
const MARGIN = Math.log(1.15)

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
  /** How far the median lies outside the usual range if it is in this unit, as the logarithm of a ratio. */
  const distance = (each: string): number => {
    const own = median / (otherUnits[each] ?? 1)
    return Math.max(0, Math.log(usual.from / own), Math.log(own / usual.to))
  }
  if (distance(received) <= MARGIN) return undefined
  const likely = [unit, ...Object.keys(otherUnits)].find((each) => each !== received && distance(each) === 0)
  return likely === undefined ? undefined : { values: numbers.length, median, received, likely }
}
