/** Where the wanted columns stand in a file. Each must be there, and once. */
import { DataError } from './data-error.ts'

export function placesOf(
  path: string,
  wanted: readonly string[],
  known: readonly string[],
): readonly number[] {
  const countOf = (column: string): number => known.filter((name) => name === column).length
  const lost = wanted.filter((column) => countOf(column) === 0)
  const faults = wanted.flatMap((column) =>
    countOf(column) < 2
      ? []
      : [`${path}: there are ${countOf(column)} columns called ${column}; rename or remove the others`],
  )
  if (lost.length > 0) {
    faults.unshift(
      `${path}: there is no column ${lost.join(', ')}; there are ${known.join(', ')}. A specification says which column gives which field`,
    )
  }
  if (faults.length > 0) throw new DataError(faults)
  return wanted.map((column) => known.indexOf(column))
}
