/** Where the wanted columns stand in a file. Each must be there, and once. */
import { DataError } from './data-error.ts'

export function placesOf(
  path: string,
  wanted: readonly string[],
  known: readonly string[],
): readonly number[] {
  const faults = wanted.flatMap((column) => {
    const count = known.filter((name) => name === column).length
    if (count === 0) return [`${path}: there is no column ${column}; there are ${known.join(', ')}`]
    return count === 1
      ? []
      : [`${path}: there are ${count} columns called ${column}; rename or remove the others`]
  })
  if (faults.length > 0) throw new DataError(faults)
  return wanted.map((column) => known.indexOf(column))
}
