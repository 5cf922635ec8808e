/** Result lines in the form that was asked for, with what was kept of their records. */
import type { RowFormat, Task } from './task.ts'
import { printCell } from './print-cell.ts'

export type Kept = readonly (readonly (string | undefined)[])[]

interface Result {
  readonly idx: number | null
  readonly risk: number | string | null
  readonly error_message: readonly unknown[] | null
}

export function csvHeader(keep: readonly string[]): string {
  return `${['idx', 'risk', 'error_message', ...keep].map(printCell).join(',')}\r\n`
}

export function printResults(
  lines: readonly string[],
  kept: Kept,
  { keep, keepsText }: Pick<Task, 'keep' | 'keepsText'>,
  to: RowFormat,
  isFirst: boolean,
): string {
  if (to === 'csv') return lines.map((line, row) => csvRow(line, kept[row] ?? [], keep)).join('')
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

function csvRow(line: string, kept: readonly (string | undefined)[], keep: readonly string[]): string {
  const { idx, risk, error_message } = JSON.parse(line) as Result
  const problems = error_message === null ? '' : JSON.stringify(error_message)
  const further = keep.map((_name, place) => keptCell(kept[place]))
  return `${[String(idx ?? ''), String(risk ?? ''), problems, ...further].map(printCell).join(',')}\r\n`
}

/** A text without its quotes; anything else as its JSON. */
function keptCell(json: string | undefined): string {
  if (json === undefined || json === 'null') return ''
  return json.startsWith('"') ? (JSON.parse(json) as string) : json
}
