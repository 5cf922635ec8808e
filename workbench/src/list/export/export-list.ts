/** A scored list as CSV: the reader's own columns, the risk, the problems, what it rests on, what scored it, and what was corrected. */
import { wordingOf } from '../../i18n/problem-words.ts'
import type { Words } from '../../i18n/words.ts'
import {
  identifierOf,
  isYesNo,
  namedIdentifier,
  textOfCell,
  type ListState,
  type ScoredBy,
} from '../list-state.ts'
import { markOf, STATE_WORDS } from '../history/marks.ts'
import { IDENTIFIER } from '../match/match-columns.ts'
import type { Sheet } from '../read/sheet.ts'
import { RESTS_ON_COLUMNS } from '../score/rests-on-texts.ts'
import { csvText } from './write-csv.ts'

export type ExportKind = 'shown' | 'all' | 'faulty'

const ADDED = [
  'risk',
  'problems',
  ...RESTS_ON_COLUMNS,
  'model',
  'deployment',
  'digest',
  'scored',
  'corrected',
  'state',
  'note',
] as const

/** In the column of the problems, for a corrected row that has no answer yet. */
const UNSCORED = 'Not scored yet: the service did not answer after the last correction'

/** `shown` are the rows of the table, sorted and filtered. */
export function exportList(state: ListState, kind: ExportKind, shown: Uint32Array): string {
  const { sheet, results, scoredBy } = state
  if (sheet === undefined || scoredBy === undefined) return ''
  const { model, deployment } = scoredBy
  const origin = [`${model.id}@${model.version}`, deployment.name]
  const rows: string[][] = [[...sheet.columns, ...ADDED.map((name) => freeName(sheet.columns, name))]]
  for (const row of kind === 'shown' ? shown : results.answered.keys()) {
    const problems = results.problemsOf(row)
    if (results.answered[row] === 0 || (kind === 'faulty' && problems.length === 0)) continue
    const mark = markOf(state.marks, row)
    const name = namedIdentifier(state, row)
    rows.push([
      ...ownCells(state, sheet, row),
      riskCell(sheet, results.riskOf(row), isYesNo(scoredBy)),
      results.isUnscored(row) ? UNSCORED : problems.map((item) => wordingOf(item, name)).join('; '),
      ...(results.restsOn[row] ?? RESTS_ON_COLUMNS.map(() => '')),
      ...origin,
      results.digestOf(row) ?? '',
      // A corrected row was scored later than its list; one that was not scored has no time.
      timeText(results.times[row]),
      correctionsOf(sheet, row),
      STATE_WORDS[mark.state],
      mark.note,
    ])
  }
  return csvText(rows, sheet.delimiter)
}

/** The cells of a row that was not scored cannot be said to belong to columns: all but a known identifier are left out. */
function ownCells(state: ListState, sheet: Sheet, row: number): readonly string[] {
  return sheet.columns.map((_name, column) =>
    state.matches[column] === IDENTIFIER ? identifierOf(state, row) : textOfCell(sheet, row, column),
  )
}

function timeText(at = 0): string {
  return at === 0 ? '' : new Date(at).toISOString()
}

/** A name that the file does not use already, so that the result can be read again. */
function freeName(columns: readonly string[], name: string): string {
  return columns.includes(name) ? freeName(columns, `${name} (scored)`) : name
}

/** "age (was 840)" for every corrected cell. */
function correctionsOf(sheet: Sheet, row: number): string {
  return [...(sheet.corrected.get(row) ?? [])]
    .map(([column, before]) => `${sheet.columns[column] ?? ''} (was ${before === '' ? 'empty' : before})`)
    .join('; ')
}

/** Where semicolons separate the columns, spreadsheets expect a decimal comma. */
function riskCell(sheet: Sheet, risk: number | undefined, isWord: boolean): string {
  if (risk === undefined) return ''
  if (isWord) return risk === 1 ? 'Yes' : 'No'
  return sheet.delimiter === ';' ? String(risk).replace('.', ',') : String(risk)
}

export function fileNameFor(words: Words, sheet: Sheet, kind: ExportKind, { model, at }: ScoredBy): string {
  const base = sheet.name.replace(/\.[a-z]+$/i, '')
  const what = words.t(kind === 'faulty' ? 'list.file.faulty' : 'list.file.results')
  return `${base}-${what}-${model.id}-${model.version}-${new Date(at).toISOString().slice(0, 10)}.csv`
}
