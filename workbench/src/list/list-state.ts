/** A list on its way from a file to a sorted table. It lives in memory and is gone with the page. */
import type { ApiFailure } from '../api.ts'
import type { Field, Value } from '../shapes/fields.ts'
import { createState } from '../state.ts'
import { cellText, convertCell } from './convert-cell.ts'
import { ListResults } from './list-results.ts'
import { IDENTIFIER, NOT_USED, type Match } from './match-columns.ts'
import { BY_RISK, NO_FILTER, type Filter, type Order } from './order-rows.ts'
import type { Cell, Sheet } from './read-sheet.ts'

export interface Progress {
  readonly done: number
  readonly total: number
  readonly startedAt: number
  /** Seconds until the next try, while the service does not answer. */
  readonly waitS: number | undefined
}

export interface ListState {
  readonly stage: 'empty' | 'reading' | 'matching' | 'scoring' | 'results'
  readonly sheet: Sheet | undefined
  readonly matches: readonly Match[]
  readonly results: ListResults
  /** Counts changes of results and cells, which are changed in place. */
  readonly version: number
  readonly progress: Progress | undefined
  readonly isCancelled: boolean
  /** Why scoring stopped, when it was not by a button. */
  readonly failure: ApiFailure | undefined
  readonly deployment: string
  readonly filter: Filter
  readonly order: Order
  readonly openRow: number | undefined
}

export const EMPTY_LIST: ListState = {
  stage: 'empty',
  sheet: undefined,
  matches: [],
  results: new ListResults(0),
  version: 0,
  progress: undefined,
  isCancelled: false,
  failure: undefined,
  deployment: '',
  filter: NO_FILTER,
  order: BY_RISK,
  openRow: undefined,
}

export const list = createState<ListState>(EMPTY_LIST)

/** The columns that are sent, with the fields they mean. */
export interface SentColumn {
  readonly column: number
  readonly field: Field
}

export function sentColumns(matches: readonly Match[], fields: readonly Field[]): readonly SentColumn[] {
  const byName = new Map(fields.map((field) => [field.name, field]))
  return matches.flatMap((match, column) => {
    const field = match === NOT_USED || match === IDENTIFIER ? undefined : byName.get(match)
    return field === undefined ? [] : [{ column, field }]
  })
}

/** A row as the record that is sent. Its idx is its place in the list, so that no two are the same. */
export function recordOfRow(
  sheet: Sheet,
  row: number,
  columns: readonly SentColumn[],
): Readonly<Record<string, Value | object>> {
  const record: Record<string, Value | object> = { idx: row + 1 }
  const cells = sheet.rows[row] ?? []
  const hasDecimalComma = sheet.delimiter === ';'
  for (const { column, field } of columns) {
    const value = convertCell(field, cells[column], hasDecimalComma)
    if (value !== undefined) record[field.name] = value
  }
  return record
}

export function textOfCell(sheet: Sheet, row: number, column: number): string {
  return cellText(sheet.rows[row]?.[column])
}

export function identifierOf(state: ListState, row: number): string {
  const column = state.matches.indexOf(IDENTIFIER)
  return column < 0 || state.sheet === undefined ? '' : textOfCell(state.sheet, row, column)
}

export function setCell(sheet: Sheet, row: number, column: number, cell: Cell): void {
  const cells = sheet.rows[row]
  if (cells !== undefined) cells[column] = cell
}
