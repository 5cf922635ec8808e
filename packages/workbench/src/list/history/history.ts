/** Every change of a list, so that it can be undone and redone, and what was done when. */
import { list, textOfCell } from '../list-state.ts'
import type { Cell, Sheet } from '../read/sheet.ts'
import { scoreRows } from '../score/score-rows.ts'
import { markOf } from './marks.ts'
import type { Before, Change, History, LogEntry, Part } from './history-shape.ts'

/** Rows whose cells do not fit the header are left alone. */
export function change(rows: readonly number[], part: Part, to: Cell): void {
  const { sheet, history } = list.get()
  if (sheet === undefined) return
  const before = rows.flatMap((row) => {
    if (part === 'state' || part === 'note') return markBefore(row, part, to)
    return sheet.rejected.has(row) ? [] : [cellBefore(sheet, row, part)]
  })
  if (before.length === 0) return
  const made = { part, to, before }
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
  if (typeof made.part === 'number') void scoreRows(made.before.map(({ row }) => row))
}

/** Rows that have the mark already are not changed. */
function markBefore(row: number, part: 'state' | 'note', to: Cell): readonly Before[] {
  const cell = markOf(list.get().marks, row)[part]
  return cell === to ? [] : [{ row, cell, original: undefined, nonRecord: undefined, isRepeated: false }]
}

function putMarks(part: 'state' | 'note', before: readonly Before[], cellOf: (each: Before) => Cell): void {
  const marks = new Map(list.get().marks)
  for (const each of before) marks.set(each.row, { ...markOf(marks, each.row), [part]: cellOf(each) })
  list.patch({ marks })
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
function apply(sheet: Sheet, { part, to, before }: Change): void {
  if (typeof part !== 'number') putMarks(part, before, () => to)
  else for (const { row } of before) correct(sheet, row, part, to)
}

function correct(sheet: Sheet, row: number, column: number, to: Cell): void {
  const corrected = sheet.corrected.get(row) ?? new Map<number, string>()
  if (!corrected.has(column)) corrected.set(column, textOfCell(sheet, row, column))
  sheet.corrected.set(row, corrected)
  putCell(sheet, row, column, to)
  sheet.nonRecords.delete(row)
  sheet.repeated.get(row)?.delete(sheet.columns[column] ?? '')
}

function takeBack(sheet: Sheet, { part: column, before }: Change): void {
  if (typeof column !== 'number') putMarks(column, before, ({ cell }) => cell)
  else
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
