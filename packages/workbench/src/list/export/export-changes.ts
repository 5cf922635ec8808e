/** The changes of a list as a table: one line for every cell of every change, in the order in which they were made. */
import type { Words } from '../../i18n/words.ts'
import { identifierOf, lineOf, type ListState } from '../list-state.ts'
import { cellText } from '../match/convert-cell.ts'
import { STATE_WORDS, type RowState } from '../history/marks.ts'
import type { Cell } from '../read/sheet.ts'
import { csvText } from './write-csv.ts'

const COLUMNS = ['time', 'action', 'line', 'identifier', 'column', 'old value', 'new value'] as const

/** The times are ISO texts. */
export function changeRows(state: ListState): readonly (readonly (string | number)[])[] {
  const rows = state.history.log.flatMap(({ at, kind, change }) =>
    change.before.map(({ row, cell }) => {
      const { part } = change
      const textOf = (each: Cell): string =>
        part === 'state' ? STATE_WORDS[each as RowState] : cellText(each)
      const values = [textOf(cell), textOf(change.to)]
      return [
        new Date(at).toISOString(),
        kind,
        lineOf(state, row),
        identifierOf(state, row),
        typeof part === 'number' ? (state.sheet?.columns[part] ?? '') : part,
        ...(kind === 'undone' ? values.reverse() : values),
      ]
    }),
  )
  return [COLUMNS, ...rows]
}

/** Name, text and type of the file. */
export function changesFile(words: Words, state: ListState): readonly [string, string, 'text/csv'] {
  const base = state.sheet?.name.replace(/\.[a-z]+$/i, '') ?? ''
  const rows = changeRows(state).map((row) => row.map(String))
  const text = csvText(rows, state.sheet?.delimiter ?? ',')
  return [`${base}-${words.t('list.file.changes')}.csv`, text, 'text/csv']
}
