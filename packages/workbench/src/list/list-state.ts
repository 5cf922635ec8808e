/** A list on its way from a file to a sorted table. It is kept in memory only. */
import type { ApiFailure } from '../api.ts'
import type { Loaded } from '../session.ts'
import type { DeploymentSummary } from '../shapes/answers.ts'
import { createState } from '../state.ts'
import { cellText, type Reading } from './match/convert-cell.ts'
import { NO_HISTORY, type History, type Part } from './history/history-shape.ts'
import { markOf, ROW_STATES, type Marks } from './history/marks.ts'
import { ListResults } from './score/list-results.ts'
import { IDENTIFIER, type Match } from './match/match-columns.ts'
import { NO_FILTER, type Filter } from './table/filter-rows.ts'
import { BY_RISK, type Order } from './table/order-rows.ts'
import type { Source } from './read/read-sheet.ts'
import type { Cell, RowFault, Sheet } from './read/sheet.ts'

export interface Progress {
  readonly done: number
  readonly total: number
  readonly startedAt: number
  /** Seconds until the next try, while the service does not answer. */
  readonly waitS: number | undefined
}

/**
 * What scored a list. Title, values, threshold, histogram, details and downloads come from here, and never from the
 * deployment that is chosen at the moment.
 */
export interface ScoredBy extends Loaded {
  readonly deployment: DeploymentSummary
  /** When scoring started. */
  readonly at: number
}

/** Whether the list's deployment answers Yes or No; its risks are then 1 and 0. */
export function isYesNo({ deployment }: ScoredBy): boolean {
  return deployment.output === 'yes-no'
}

/** From which value on a row counts as high; undefined where the model states no threshold. */
export function listThreshold(scoredBy: ScoredBy): number | undefined {
  return isYesNo(scoredBy) ? 1 : scoredBy.model.threshold?.risk
}

/** The kinds of doubt, a closed list of the service. */
export const DOUBT_KINDS = [
  'unit',
  'quantity',
  'period',
  'codes',
  'share',
  'missing-code',
  'constant',
  'copied',
  'repeated',
  'digits',
  'limit',
  'misaligned',
  'format',
  'missing',
  'selective',
] as const

/** A field that is in doubt, and what was seen. */
export interface ListDoubt {
  readonly field: string
  readonly kind: (typeof DOUBT_KINDS)[number]
}

export interface ListState {
  readonly stage: 'empty' | 'reading' | 'matching' | 'scoring' | 'results'
  readonly sheet: Sheet | undefined
  /** The file itself, so that it can be read again with another header or separator. */
  readonly source: Source | undefined
  readonly matches: readonly Match[]
  /** How the cells of each column are read. */
  readonly readings: readonly Reading[]
  readonly results: ListResults
  /** Counts changes of results and cells, which are changed in place. */
  readonly version: number
  readonly progress: Progress | undefined
  readonly isCancelled: boolean
  /** Why scoring stopped, when it was not by the button. */
  readonly failure: ApiFailure | undefined
  readonly scoredBy: ScoredBy | undefined
  /** What the service says of fields that probably mean something else, as it was answered last. */
  readonly doubts: readonly ListDoubt[]
  readonly filter: Filter
  readonly order: Order
  readonly openRow: number | undefined
  /** How columns of the table are shown, by their id, where the reader said so. */
  readonly shapes: Readonly<Record<string, ColumnShape>>
  /** Whether there are corrections that no download holds yet. */
  readonly isUnsaved: boolean
  /** Whether a file holds the answers of this list: a download of all rows, or the saved list. */
  readonly isHeld: boolean
  /** After a correction: the other rows that have the same value in that column. */
  readonly offer: Offer | undefined
  readonly history: History
  readonly marks: Marks
  /** An encrypted list that waits for its passphrase. */
  readonly saved: Uint8Array<ArrayBuffer> | undefined
}

export type ColumnShape = 'shown' | 'narrow' | 'hidden'

export interface Offer {
  readonly column: number
  readonly from: string
  readonly to: string
  readonly rows: readonly number[]
}

export const EMPTY_LIST: ListState = {
  stage: 'empty',
  sheet: undefined,
  source: undefined,
  matches: [],
  readings: [],
  results: new ListResults(0),
  version: 0,
  progress: undefined,
  isCancelled: false,
  failure: undefined,
  scoredBy: undefined,
  doubts: [],
  filter: NO_FILTER,
  order: BY_RISK,
  openRow: undefined,
  shapes: {},
  isUnsaved: false,
  isHeld: false,
  offer: undefined,
  history: NO_HISTORY,
  marks: new Map(),
  saved: undefined,
}

export const list = createState<ListState>(EMPTY_LIST)

export function textOfCell(sheet: Sheet, row: number, column: number): string {
  return cellText(sheet.rows[row]?.[column])
}

/** The identifier of a row; empty where the list has none, and where a row that does not fit the header may have another one. */
export function identifierOf({ matches, sheet }: Pick<ListState, 'matches' | 'sheet'>, row: number): string {
  const column = matches.indexOf(IDENTIFIER)
  if (column < 0 || sheet === undefined) return ''
  const rejected = sheet.rejected.get(row)
  return rejected === undefined ? textOfCell(sheet, row, column) : raggedIdentifier(sheet, column, rejected)
}

/** The identifiers of all rows. */
export function identifiersOf(state: Pick<ListState, 'matches' | 'sheet'>): readonly string[] {
  return Array.from({ length: state.sheet?.rows.length ?? 0 }, (_each, row) =>
    identifierOf(state, row).trim(),
  )
}

/**
 * An extra cell cannot shift the first column, but may have split it; then it does not look like the others. If a cell is
 * missing, it may be the first one, so the identifier is unknown.
 */
function raggedIdentifier(sheet: Sheet, column: number, { reason, cells }: RowFault): string {
  const text = cells[column] ?? ''
  if (column > 0 || reason === 'tooFewCells' || text === '') return ''
  const isLike = (each: readonly Cell[]): boolean => formOf(cellText(each[column])) === formOf(text)
  return sheet.rows.some(isLike) ? text : ''
}

/** The form of a text: "H-1042" becomes "A-9999". */
function formOf(text: string): string {
  return text.replace(/\p{L}/gu, 'A').replace(/\d/g, '9')
}

/** The line of the file that a row starts on, or its place in a list of JSON. */
export function lineOf(state: ListState, row: number): number {
  return state.sheet?.lines[row] ?? row + 1
}

/** What a search looks through: the identifier, or every cell where the list has none, the further columns that are shown, and the note. */
export function searchedText(state: ListState, row: number): string {
  const rejected = state.sheet?.rejected.get(row)
  const { note } = markOf(state.marks, row)
  if (rejected !== undefined) return [...rejected.cells, note].join('\n')
  const cells = state.sheet?.rows[row] ?? []
  const identifier = state.matches.indexOf(IDENTIFIER)
  const askedFor = Object.keys(state.shapes)
    .filter((id) => state.shapes[id] !== 'hidden')
    .map(Number)
  const columns = identifier < 0 ? [...cells.keys()] : [identifier, ...askedFor]
  return [...columns.map((column) => cellText(cells[column])), note].join('\n')
}

/** The name of a row in exported texts: the column and the value of its identifier; empty where the list has none. */
export function namedIdentifier(state: ListState, row: number): string {
  const column = state.matches.indexOf(IDENTIFIER)
  const identifier = identifierOf(state, row)
  return identifier === '' ? '' : `${state.sheet?.columns[column] ?? ''} ${identifier}`
}

/** What a table is sorted by in a column that is not of figures; states in the order of the work. */
export function orderedText(state: ListState, row: number, part: Part): string {
  const mark = markOf(state.marks, row)
  if (part === 'note') return mark.note
  if (part === 'state') return String(ROW_STATES.indexOf(mark.state))
  return state.sheet === undefined ? '' : textOfCell(state.sheet, row, part)
}
