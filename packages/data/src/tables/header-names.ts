/** The names of columns, from the cells of a header. */
import { BadFile } from './bad-file.ts'
import { trimCell } from './csv-scanner.ts'

/** An empty name becomes the place of the column. Throws where a name comes twice: it would be unclear which column is meant. */
export function headerNames(cells: readonly string[], line: number): readonly string[] {
  const names = cells.map((cell, place) => trimCell(cell) || `column ${place + 1}`)
  const second = names.findIndex((name, place) => names.indexOf(name) !== place)
  if (second < 0) return names
  const first = names.indexOf(names[second] as string)
  throw new BadFile(`columns ${first + 1} and ${second + 1} of the header have the same name`, { line })
}
