/** A scored list as CSV or XLSX: the reader's columns, the risk, what it rests on, what scored it, what was corrected, state and note. */
import { alarmOf } from '../../calibration-alarm.ts'
import { wordingOf } from '../../i18n/problem-words.ts'
import type { Words } from '../../i18n/words.ts'
import {
  identifierOf,
  identifiersOf,
  isYesNo,
  lineOf,
  listThreshold,
  namedIdentifier,
  textOfCell,
  type ListState,
  type ScoredBy,
} from '../list-state.ts'
import { markOf, STATE_WORDS } from '../history/marks.ts'
import { cellText, convertCell } from '../match/convert-cell.ts'
import { IDENTIFIER } from '../match/match-columns.ts'
import type { Sheet } from '../read/sheet.ts'
import { Duplicates } from '../table/duplicates.ts'
import { RESTS_ON_COLUMNS } from '../score/rests-on-texts.ts'
import { sentColumns } from '../score/row-text.ts'
import { changeRows } from './export-changes.ts'
import { csvText } from './write-csv.ts'
import type { OutCell } from './write-xlsx.ts'

export type ExportKind = 'shown' | 'all' | 'faulty'

const ADDED = [
  'risk',
  'threshold',
  'same identifier',
  'calibration alarm',
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
const UNSCORED = 'Not scored yet: no answer came after the last correction'

/** The rows of a download, below their names. `shown` are the rows of the table, sorted and filtered. */
export function* exportRows(
  state: ListState,
  kind: ExportKind,
  shown: Uint32Array,
  ownCell: OwnCell,
  timeName = 'scored',
): Generator<readonly OutCell[]> {
  const { sheet, results, scoredBy } = state
  if (sheet === undefined || scoredBy === undefined) return
  const { model, deployment } = scoredBy
  const duplicates = new Duplicates(identifiersOf(state))
  yield [
    ...sheet.columns,
    ...ADDED.map((name) => freeName(sheet.columns, name === 'scored' ? timeName : name)),
  ]
  for (const row of kind === 'shown' ? shown : results.answered.keys()) {
    const problems = results.problemsOf(row)
    if (results.answered[row] === 0 || (kind === 'faulty' && problems.length === 0)) continue
    const mark = markOf(state.marks, row)
    const name = namedIdentifier(state, row)
    const at = results.times[row] ?? 0
    yield [
      // The cells of a row that was not scored cannot be said to belong to columns: all but a known identifier are left out.
      ...sheet.columns.map((_name, column) =>
        state.matches[column] === IDENTIFIER ? identifierOf(state, row) : ownCell(row, column),
      ),
      riskCell(results.riskOf(row), isYesNo(scoredBy)),
      sideOf(results.riskOf(row), scoredBy),
      duplicates
        .others(row)
        .map((each) => `line ${lineOf(state, each)}`)
        .join('; '),
      results.riskOf(row) === undefined ? '' : alarmCell(results.alarmOf(row), deployment.name),
      results.isUnscored(row) ? UNSCORED : problems.map((item) => wordingOf(item, name)).join('; '),
      ...(results.restsOn[row] ?? RESTS_ON_COLUMNS.map(() => '')),
      // Rows that were answered before the deployment changed keep the model that answered them.
      results.modelOf(row) ?? `${model.id}@${model.version}`,
      deployment.name,
      results.digestOf(row) ?? '',
      // A corrected row was scored later than its list; one that was not scored has no time.
      at === 0 ? '' : new Date(at),
      correctionsOf(sheet, row),
      STATE_WORDS[mark.state],
      mark.note,
    ]
  }
}

type OwnCell = (row: number, column: number) => OutCell

/** The cells of the file as they are. Where semicolons separate the columns, spreadsheets expect a decimal comma. */
export function exportCsv(state: ListState, kind: ExportKind, shown: Uint32Array): string {
  const { sheet } = state
  if (sheet === undefined) return ''
  const textOf = (cell: OutCell): string => {
    if (cell instanceof Date) return cell.toISOString()
    return typeof cell === 'number' && sheet.delimiter === ';' ? String(cell).replace('.', ',') : String(cell)
  }
  const rows = exportRows(state, kind, shown, (row, column) => textOfCell(sheet, row, column))
  return csvText(
    Array.from(rows, (row) => row.map(textOf)),
    sheet.delimiter,
  )
}

/** The list and its changes as two sheets. */
export async function exportXlsx(
  words: Words,
  state: ListState,
  kind: ExportKind,
  shown: Uint32Array,
): Promise<readonly Uint8Array<ArrayBuffer>[]> {
  const { writeXlsx } = await import('./write-xlsx.ts')
  // A time of a spreadsheet has no zone, so the name of its column says it.
  const results = exportRows(state, kind, shown, typedCells(state), 'scored (UTC)')
  return writeXlsx([
    { name: words.t('list.file.results'), rows: results },
    { name: words.t('list.file.changes'), rows: changeRows(state) },
  ])
}

/** Cells of columns that hold a number, a day or yes and no, as such where they can be read in one way; others as text. */
function typedCells(state: ListState): OwnCell {
  const { sheet, scoredBy } = state
  const sent = new Map(
    sentColumns(state, scoredBy?.catalogue.fields ?? []).map((each) => [each.column, each] as const),
  )
  return (row, column) => {
    const cell = sheet?.rows[row]?.[column]
    const { field, reading } = sent.get(column) ?? {}
    if (field === undefined || reading === undefined || field.type === 'string') {
      return typeof cell === 'number' || typeof cell === 'boolean' ? cell : cellText(cell)
    }
    const converted = convertCell(field, cell, { ...reading, values: {} })
    const value = 'value' in converted ? converted.value : undefined
    if (field.type === 'date') return dayOf(value) ?? cellText(cell)
    return typeof value === 'number' || typeof value === 'boolean' ? value : cellText(cell)
  }
}

function dayOf(value: unknown): Date | undefined {
  const [, day = '', month = '', year = ''] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(String(value)) ?? []
  const at = new Date(`${year}-${month}-${day}`)
  return at.getUTCDate() === Number(day) ? at : undefined
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

/** Which side of the threshold a risk is on, in a word; empty where the model states none, and where the answer is Yes or No. */
function sideOf(risk: number | undefined, scoredBy: ScoredBy): string {
  const threshold = listThreshold(scoredBy)
  if (risk === undefined || threshold === undefined || isYesNo(scoredBy)) return ''
  return risk >= threshold ? 'at or above' : 'below'
}

function riskCell(risk: number | undefined, isWord: boolean): OutCell {
  if (risk === undefined) return ''
  if (!isWord) return risk
  return risk === 1 ? 'Yes' : 'No'
}

/** The alarm that was open when the row was answered, or that has been opened since. */
function alarmCell(answered: string, deployment: string): string {
  const month = answered === '' ? alarmOf(deployment) : answered
  return month === '' ? '' : `Calibration alarm of ${month}: the outcomes here do not fit these risks`
}

/** Without its ending. */
export function fileNameFor(words: Words, sheet: Sheet, kind: ExportKind, { model, at }: ScoredBy): string {
  const base = sheet.name.replace(/\.[a-z]+$/i, '')
  const what = words.t(kind === 'faulty' ? 'list.file.faulty' : 'list.file.results')
  return `${base}-${what}-${model.id}-${model.version}-${new Date(at).toISOString().slice(0, 10)}`
}
