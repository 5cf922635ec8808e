/** What leaves the page as a file: the reader's own columns, then the risk and the problems in words of the service. */
import type { Words } from '../i18n/words.ts'
import { csvText } from './csv.ts'
import { textOfCell, type ListState } from './list-state.ts'
import type { Sheet } from './sheet.ts'

export type ExportKind = 'results' | 'faulty'

export function exportList(state: ListState, kind: ExportKind, isYesNo: boolean): string {
  const { sheet, results } = state
  if (sheet === undefined) return ''
  const rows: string[][] = [[...sheet.columns, 'risk', 'problems']]
  for (let row = 0; row < results.size; row++) {
    const problems = results.problemsOf(row)
    if (results.answered[row] === 0 || (kind === 'faulty' && problems.length === 0)) continue
    rows.push([
      ...sheet.columns.map((_name, column) => textOfCell(sheet, row, column)),
      riskCell(sheet, results.riskOf(row), isYesNo),
      problems.map((item) => item.ExtendError).join('; '),
    ])
  }
  return csvText(rows, sheet.delimiter)
}

/** Where columns are parted by semicolons, spreadsheets expect a decimal comma. */
function riskCell(sheet: Sheet, risk: number | undefined, isYesNo: boolean): string {
  if (risk === undefined) return ''
  if (isYesNo) return risk === 1 ? 'Yes' : 'No'
  return sheet.delimiter === ';' ? String(risk).replace('.', ',') : String(risk)
}

export function fileNameFor(words: Words, sheet: Sheet, kind: ExportKind): string {
  const base = sheet.name.replace(/\.[a-z]+$/i, '')
  return `${base}-${words.t(kind === 'results' ? 'list.file.results' : 'list.file.faulty')}.csv`
}
