/** Result lines in the form that was asked for, with what was kept of their records. */
import type { RowFormat, Task } from './task.ts'
import type { WrittenFormat } from './format.ts'
import { printCell } from './print-cell.ts'

/** What parts the cells of the forms that have any. */
const DELIMITERS: Readonly<Partial<Record<WrittenFormat, string>>> = { csv: ',', tsv: '\t' }

export type Kept = readonly (readonly (string | undefined)[])[]

interface Result {
  readonly idx: number | null
  readonly risk: number | string | null
  readonly error_message: readonly unknown[] | null
}

/** The row of names, empty for a form that has none. */
export function headerOf(to: WrittenFormat, keep: readonly string[]): string {
  const delimiter = DELIMITERS[to]
  return delimiter === undefined ? '' : rowOf(['idx', 'risk', 'error_message', ...keep], delimiter)
}

export function printResults(
  lines: readonly string[],
  kept: Kept,
  { keep, keepsText }: Pick<Task, 'keep' | 'keepsText'>,
  to: RowFormat,
  isFirst: boolean,
): string {
  const delimiter = DELIMITERS[to]
  if (delimiter !== undefined)
    return lines.map((line, row) => rowOf(cellsOf(line, kept[row] ?? [], keep), delimiter)).join('')
  const print = keepsText ? textJson : asItIs
  const whole =
    keep.length === 0 ? lines : lines.map((line, row) => withKept(line, (kept[row] ?? []).map(print), keep))
  if (to === 'ndjson') return whole.map((line) => `${line}\n`).join('')
  const joined = whole.join(',\n')
  return joined === '' ? '' : `${isFirst ? '[\n' : ',\n'}${joined}`
}

function withKept(line: string, kept: readonly (string | undefined)[], keep: readonly string[]): string {
  const further = keep.map((name, place) => `,${JSON.stringify(name)}:${kept[place] ?? 'null'}`)
  return `${line.slice(0, -1)}${further.join('')}}`
}

function asItIs(json: string | undefined): string | undefined {
  return json
}

/** What a column of text holds of a value, as a JSON text. */
function textJson(json: string | undefined): string | undefined {
  return json === undefined || json.startsWith('"') || json === 'null' ? json : JSON.stringify(json)
}

function rowOf(cells: readonly string[], delimiter: string): string {
  return `${cells.map(printCell).join(delimiter)}\r\n`
}

function cellsOf(line: string, kept: readonly (string | undefined)[], keep: readonly string[]): string[] {
  const { idx, risk, error_message } = JSON.parse(line) as Result
  const problems = error_message === null ? '' : JSON.stringify(error_message)
  const further = keep.map((_name, place) => keptCell(kept[place]))
  return [String(idx ?? ''), String(risk ?? ''), problems, ...further]
}

/** A text without its quotes; anything else as its JSON. */
function keptCell(json: string | undefined): string {
  if (json === undefined || json === 'null') return ''
  return json.startsWith('"') ? (JSON.parse(json) as string) : json
}
