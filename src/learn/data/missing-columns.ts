/** Columns that are asked for and that a file does not have. */
import { DataError } from './data-error.ts'

export function missingColumns(path: string, wanted: readonly string[], known: readonly string[]): DataError {
  const lost = [...new Set(wanted)].filter((column) => !known.includes(column))
  return new DataError(
    lost.map((column) => `${path}: there is no column ${column}; there are ${known.join(', ')}`),
  )
}
