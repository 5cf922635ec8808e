/** Rows of a file that holds one JSON object a line. */
import { type OnProgress, readText } from './bytes.ts'
import { DataError } from './data-error.ts'
import { missingColumns } from './missing-columns.ts'
import type { Cell, Row } from './row.ts'

export async function* readNdjson(
  path: string,
  wanted: readonly string[],
  onProgress: OnProgress,
): AsyncGenerator<readonly Row[]> {
  let open = ''
  let line = 0
  const seen = new Set<string>()
  const take = (lines: readonly string[]): readonly Row[] =>
    lines.flatMap((text) => {
      line++
      if (text.trim() === '') return []
      const object = parse(path, line, text)
      const cells = wanted.map((column): Cell => {
        if (!Object.hasOwn(object, column)) return undefined
        seen.add(column)
        const value = object[column]
        return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell)
      })
      return [{ line, cells }]
    })
  for await (const text of readText(path, onProgress)) {
    const lines = (open + text).split('\n')
    open = lines.pop() ?? ''
    yield take(lines)
  }
  if (open !== '') yield take([open])
  if (line === 0) throw new DataError([`${path}: is empty`])
  const lost = wanted.filter((column) => !seen.has(column))
  if (lost.length > 0) throw missingColumns(path, wanted, [...seen])
}

function parse(path: string, line: number, text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's own error quotes the line, which may be a patient's record.
    throw new DataError([`${path}, line ${line}: is not well-formed JSON; the file may be cut off there`])
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>
  }
  throw new DataError([`${path}, line ${line}: is not a JSON object`])
}
