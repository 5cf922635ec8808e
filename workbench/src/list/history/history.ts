/** Every change of a list, so that it can be undone and redone, and what was done when. */
import { list, textOfCell } from '../list-state.ts'
import type { Cell, Sheet } from '../read/sheet.ts'
import { scoreRows } from '../score/score-rows.ts'
import type { Before, Change, History, LogEntry } from './history-shape.ts'

/** Rows whose cells do not fit the header are left alone. */
export function change(rows: readonly number[], column: number, to: Cell): void {
  const { sheet, history } = list.get()
  if (sheet === undefined) return
  const before = rows.flatMap((row) => (sheet.rejected.has(row) ? [] : [cellBefore(sheet, row, column)]))
  if (before.length === 0) return
  const made = { column, to, before }
  apply(sheet, made)
  note('changed', made, { done: [...history.done, made], undone: [] })
}

export function undo(): void {
  const { sheet, history } = list.get()
  const last = history.done.at(-1)
  if (sheet === undefined || last === undefined) return
  takeBack(sheet, last)
  note('undone', last, { done: history.done.slice(0, -1), undone: [...history.undone, last] })
}

export function redo(): void {
  const { sheet, history } = list.get()
  const next = history.undone.at(-1)
  if (sheet === undefined || next === undefined) return
  apply(sheet, next)
  note('redone', next, { done: [...history.done, next], undone: history.undone.slice(0, -1) })
}

function note(kind: LogEntry['kind'], made: Change, stacks: Pick<History, 'done' | 'undone'>): void {
  const log = [...list.get().history.log, { at: Date.now(), kind, change: made }]
  list.patch({ isUnsaved: true, offer: undefined, history: { ...stacks, log } })
  void scoreRows(made.before.map(({ row }) => row))
}

function cellBefore(sheet: Sheet, row: number, column: number): Before {
  return {
    row,
    cell: sheet.rows[row]?.[column],
    original: sheet.corrected.get(row)?.get(column),
    nonRecord: sheet.nonRecords.get(row),
    isRepeated: sheet.repeated.get(row)?.has(sheet.columns[column] ?? '') === true,
  }
}

/** What was not a record, or gave this name twice, is a plain record from then on. */
function apply(sheet: Sheet, { column, to, before }: Change): void {
  for (const { row } of before) {
    const corrected = sheet.corrected.get(row) ?? new Map<number, string>()
    if (!corrected.has(column)) corrected.set(column, textOfCell(sheet, row, column))
    sheet.corrected.set(row, corrected)
    putCell(sheet, row, column, to)
    sheet.nonRecords.delete(row)
    sheet.repeated.get(row)?.delete(sheet.columns[column] ?? '')
  }
}

function takeBack(sheet: Sheet, { column, before }: Change): void {
  for (const { row, cell, original, nonRecord, isRepeated } of before) {
    putCell(sheet, row, column, cell)
    const corrected = sheet.corrected.get(row)
    if (original === undefined) corrected?.delete(column)
    if (corrected?.size === 0) sheet.corrected.delete(row)
    if (nonRecord !== undefined) sheet.nonRecords.set(row, nonRecord)
    if (isRepeated) sheet.repeated.get(row)?.add(sheet.columns[column] ?? '')
  }
}

function putCell(sheet: Sheet, row: number, column: number, cell: Cell): void {
  const cells = sheet.rows[row]
  if (cells !== undefined) cells[column] = cell
}
