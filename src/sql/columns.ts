/** The columns of a table: which field each one holds, and what the table's type says of its values. */
import type { Domain } from '../definition/domain.ts'

/**
 * What a column holds. `cell` is a text that stands for any value, as in CSV: an empty one is absent, and a number is written
 * as in JSON. All others are typed values: a `text` is never a number.
 */
export const COLUMN_TYPES = [
  'cell',
  'text',
  'integer',
  'number',
  'decimal',
  'boolean',
  'date',
  'other',
] as const
export type ColumnType = (typeof COLUMN_TYPES)[number]

export interface Column {
  /** The name in the table. */
  readonly name: string
  readonly type: ColumnType
}

/** Columns by the name of the field that they hold; `idx` among them. */
export type Columns = ReadonlyMap<string, Column>

/** The type that a table usually has for a field. */
export function usualType(domain: Domain): ColumnType {
  switch (domain.kind) {
    case 'integer':
    case 'decimal':
    case 'list':
      return 'number'
    case 'code':
      return 'text'
    case 'yesNo':
      return 'boolean'
    case 'date':
      return 'date'
  }
}
