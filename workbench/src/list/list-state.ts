/** A list on its way from a file to a sorted table. It lives in memory and is gone with the page. */
import type { ApiFailure } from '../api.ts'
import { createState } from '../state.ts'
import { cellText } from './convert-cell.ts'
import { ListResults } from './list-results.ts'
import { IDENTIFIER, type Match } from './match-columns.ts'
import { BY_RISK, NO_FILTER, type Filter, type Order } from './order-rows.ts'
import type { Cell, Sheet } from './sheet.ts'

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

export function textOfCell(sheet: Sheet, row: number, column: number): string {
  return cellText(sheet.rows[row]?.[column])
}

export function identifierOf(state: ListState, row: number): string {
  const column = state.matches.indexOf(IDENTIFIER)
  return column < 0 || state.sheet === undefined ? '' : textOfCell(state.sheet, row, column)
}

/** Puts a cell right. What was no record, or gave this name twice, is a record like any other from then on. */
export function setCell(sheet: Sheet, row: number, column: number, cell: Cell): void {
  const cells = sheet.rows[row]
  if (cells === undefined) return
  cells[column] = cell
  sheet.strays.delete(row)
  sheet.repeated.get(row)?.delete(sheet.columns[column] ?? '')
}
