/** What a row of a table is, so that it can be compared with what it was: its key, and its cells as one number. */
import { literal } from '../../tables/engine.ts'
import type { Table } from '../../tables/table.ts'

/** Of a row in its part: the cell of the key column, and what its cells are. */
export const ROW_KEY = 'row key'
export const ROW_CELLS = 'row cells'

/** What the cells of these columns are, in one number. Another name or type of a column counts as another cell. */
export function cellsSql({ columns }: Pick<Table, 'columns'>, used: ReadonlySet<string>): string {
  const read = columns.filter(({ name }) => used.has(name))
  const names = literal(JSON.stringify(read.map(({ name, type }) => [name, type])))
  return fingerprintSql([names, ...read.map(({ sql }) => sql)])
}

/** Half of an MD5: that two rows of one key share it by chance has a probability of 2^-64. */
export function fingerprintSql(values: readonly string[]): string {
  const texts = values.map((value) => `CAST(${value} AS VARCHAR)`)
  // With its length before it, no text can be mistaken for two.
  return `md5_number_lower(concat(${texts.map((text) => `coalesce(strlen(${text}) || ':' || ${text}, '-')`).join(', ')}))`
}
